import type { Address } from '../lib/address.ts'
import type { MicroUsd } from '../lib/usd.ts'
import type { DecisionPort, Principal } from '../policy/index.ts'
import type { PolicyRecord } from '../schema/policy-record.ts'
import type { Pause, Storage, StoredTransaction } from '../storage/index.ts'

/** What the commands of a chat read and change beside the conversation. */
export type OwnerDesk = Readonly<{
  /** Who stopped all signing, if somebody did. */
  paused(): Promise<Pause | undefined>
  /** From then on nothing is signed, on any replica. False where it was so before. */
  pause(by: string): Promise<boolean>
  resume(by: string): Promise<boolean>
  /** Lets in who has a pairing code. Says who that is; nothing where the code is nobody's any more. */
  letIn(code: string, by: string): Promise<string | undefined>
  policy(): Promise<PolicyRecord | undefined>
  /** Micro-USD that left the wallet in the last 24 hours, or may leave it still; undefined where only the service knows. */
  outflow(): Promise<MicroUsd | undefined>
  /** The latest actions of the harness's agent, newest first. */
  history(limit: number): Promise<readonly StoredTransaction[]>
}>

/** What a desk is built from. Without a wallet there is no policy, and nothing was done. */
export type OwnerDeskSettings = Readonly<{
  storage: Storage
  policy: Pick<DecisionPort, 'readPolicy' | 'outflow'>
  wallet: Address | undefined
  principal: Principal | undefined
}>

/** A desk over a store. What it changes is written into the audit log. */
export function createOwnerDesk({ storage, policy, wallet, principal }: OwnerDeskSettings): OwnerDesk {
  const { stores } = storage
  const flip = (by: string, kind: 'pause' | 'resume') =>
    storage.transaction(async ({ killSwitch, audit }) => {
      const changed = await killSwitch.set(kind === 'pause' ? by : null)
      if (changed) await audit.append({ kind, subject: 'signing', payload: { by } })
      return changed
    })
  return {
    paused: () => stores.killSwitch.read(),
    pause: (by) => flip(by, 'pause'),
    resume: (by) => flip(by, 'resume'),
    async letIn(code, by) {
      return storage.transaction(async ({ pairings, audit }) => {
        const pairing = await pairings.approve(code, by)
        if (!pairing) return undefined
        const who = `${pairing.channel}:${pairing.sender}`
        await audit.append({ kind: 'pairing', subject: who, payload: { account: pairing.account, by } })
        return `${pairing.sender} on ${pairing.channel}`
      })
    },
    policy: async () => (wallet === undefined ? undefined : policy.readPolicy(wallet)),
    outflow: async () => (wallet === undefined ? 0n : policy.outflow(wallet)),
    async history(limit) {
      const agentId = principal?.agentId ?? undefined
      return agentId === undefined ? [] : (await stores.transactions.list({ agentId, limit })).items
    },
  }
}
