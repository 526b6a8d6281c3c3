import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Storage } from '../storage/index.ts'

/** The one algorithm of our tokens' signatures: Ed25519. */
export const TOKEN_ALGORITHM = 'EdDSA'

/** Keys that sign tokens: the first signs, all verify. */
export type TokenKeys = Readonly<{
  /** The private keys, newest first; there is always one. `fresh` asks the store now. */
  list(fresh?: 'fresh'): Promise<readonly [JWK, ...JWK[]]>
}>

const DAY_MS = 86_400_000
const ROTATED_AFTER_MS = 30 * DAY_MS
/** Longer than anything lives that a key has signed. */
const KEPT_MS = 75 * DAY_MS
const KNOWN_FOR_MS = 60_000

/** Keys made when needed, kept in the store, shared by all replicas, and replaced every 30 days. */
export function createTokenKeys({ storage }: Readonly<{ storage: Storage }>): TokenKeys {
  const { tokenKeys } = storage.stores
  let known: Readonly<{ keys: readonly [JWK, ...JWK[]]; until: number }> | undefined
  const read = async () => {
    let kept = await tokenKeys.list()
    const due = (await storage.now()) - ROTATED_AFTER_MS
    if (kept[0] === undefined || kept[0].createdAt <= due) {
      await tokenKeys.rotate(await newKey(), ROTATED_AFTER_MS, KEPT_MS)
      kept = await tokenKeys.list()
    }
    return kept.map(({ id, jwk }) => ({ ...(jwk as JWK), kid: id, alg: TOKEN_ALGORITHM, use: 'sig' }))
  }
  return {
    async list(fresh) {
      if (known !== undefined && fresh === undefined && performance.now() < known.until) return known.keys
      const [first, ...others] = await read()
      if (first === undefined) throw new TypeError('There is no key, right after one was made.')
      const keys: readonly [JWK, ...JWK[]] = [first, ...others]
      known = { keys, until: performance.now() + KNOWN_FOR_MS }
      return keys
    },
  }
}

async function newKey() {
  const { privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true })
  const { kty, crv, x, d } = await exportJWK(privateKey)
  return { id: randomUUID(), jwk: { kty, crv, x, d } }
}
