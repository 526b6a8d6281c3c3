import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { sha256 } from '../../lib/hash.ts'
import type { Json, Stores } from '../../storage/index.ts'

type Records = Stores['oauthRecords']

/** Clients that registered themselves are kept for this long, in seconds. Later they register again. */
const CLIENT_SECONDS = 31_536_000

/**
 * What the authorization server keeps, in our own store. A token, a code or a browser's session is found by the digest
 * of its text; the text itself is never stored.
 */
export function adapterOver(records: Records): (model: string) => Adapter {
  return (model) => {
    const keyOf = (id: string) => ({ model, id: sha256(id) })
    return {
      async upsert(id, { jti: _, ...payload }, expiresIn) {
        const seconds = expiresIn ?? (model === 'Client' ? CLIENT_SECONDS : undefined)
        const { grantId = null, uid = null } = payload
        const ttlMs = seconds === undefined ? null : seconds * 1000
        await records.put({ ...keyOf(id), payload: payload as Json, grantId, uid, ttlMs })
      },

      async find(id) {
        const record = await records.find(keyOf(id))
        return record && { ...payloadOf(record), jti: id }
      },

      async findByUid(uid) {
        const record = await records.findByUid(model, uid)
        return record && payloadOf(record)
      },

      // There is no device flow.
      findByUserCode: async () => undefined,

      // Two that come with one code are one too many: whoever is second ends what the first has got.
      async consume(id) {
        if (await records.consume(keyOf(id))) return
        const record = await records.find(keyOf(id))
        const { grantId } = record === undefined ? {} : payloadOf(record)
        if (grantId !== undefined) await revoke(records, grantId)
        throw new errors.InvalidGrant('it was used before')
      },

      destroy: (id) => records.remove(keyOf(id)),
      revokeByGrantId: (grantId) => records.removeGrant(grantId),
    }
  }
}

/** Ends a grant: what was issued under it is worthless at once. */
async function revoke(records: Records, grantId: string): Promise<void> {
  await records.remove({ model: 'Grant', id: sha256(grantId) })
  await records.removeGrant(grantId)
}

function payloadOf({ payload, consumedAt }: Readonly<{ payload: Json; consumedAt: number | null }>): AdapterPayload {
  const kept = payload as AdapterPayload
  return consumedAt === null ? kept : { ...kept, consumed: Math.floor(consumedAt / 1000) }
}
