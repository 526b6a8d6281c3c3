import { createClient } from '../client/index.ts'
import type { Config } from '../config.ts'
import type { RemoteService } from '../config-role.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import {
  type Attestor,
  createRemoteDecisions,
  type DecisionPort,
  embeddedDecisions,
  type PolicyService,
  publishedKey,
} from '../policy/index.ts'
import type { Storage } from '../storage/index.ts'

type Parts = Readonly<{ storage: Storage; policy: PolicyService; attestor: Pick<Attestor, 'publicKey'>; log: Log }>
type Chores = Pick<PolicyService, 'expireApprovals' | 'decideUndecided' | 'countActivity'>

/**
 * Who decides for the harness, the key that their receipts must verify with, and what has to be done now and then.
 * `serviceFault` says why a service elsewhere cannot decide now, and null where it can.
 */
export type Decisions = Readonly<{
  decisions: DecisionPort
  trusted: Hex
  chores: Chores
  serviceFault?: () => Promise<string | null>
}>

/** Milliseconds for one answer of the service, and for the one to whether it is there: whoever asks that has a second. */
const ANSWER_MS = 5_000
const SIGN_OF_LIFE_MS = 500

/**
 * The service in this process, or the one that `service.url` names.
 *
 * @throws CountersignError unavailable where the service's key is not known, and it cannot be asked for it
 */
export async function decisionsOf(
  { remote, wallet }: Pick<Config, 'remote' | 'wallet'>,
  { storage, policy, attestor, log }: Parts,
): Promise<Decisions> {
  const embedded = { decisions: embeddedDecisions(policy, storage), trusted: attestor.publicKey, chores: policy }
  if (remote === undefined || wallet === undefined) return embedded
  const client = createClient({ baseUrl: remote.url, apiKey: remote.apiKey, timeoutMs: ANSWER_MS })
  const trusted = await keyOf(remote, client, storage)
  const decisions = createRemoteDecisions({ client, storage, local: policy, wallet, publicKey: trusted, log })
  const chores: Chores = {
    expireApprovals: policy.expireApprovals,
    async decideUndecided() {
      await decisions.tend()
      return 0
    },
    countActivity: async () => 0,
  }
  const probe = createClient({ baseUrl: remote.url, timeoutMs: SIGN_OF_LIFE_MS })
  return {
    decisions,
    trusted,
    chores,
    async serviceFault() {
      const answer = await probe.call('readHealth')
      if (answer.ok) return null
      return answer.status === null
        ? `The policy service ${answer.reason}.`
        : `The policy service answers ${answer.status}.`
    },
  }
}

/** The key that is configured; else the one that the service published when it was first asked, ever since. */
async function keyOf({ url, publicKey }: RemoteService, client: ReturnType<typeof createClient>, { stores }: Storage) {
  if (publicKey !== undefined) return publicKey
  const name = `service-key ${url}`
  const known = await stores.settings.get(name)
  if (known !== undefined) return known as Hex
  try {
    return (await stores.settings.put(name, await publishedKey(client))) as Hex
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    throw new CountersignError(
      'unavailable',
      `${thrown.message} Its key is not known yet: start it first, or set service.publicKey.`,
    )
  }
}
