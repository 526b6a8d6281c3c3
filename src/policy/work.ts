import type { Address } from '../lib/address.ts'
import { batching } from '../lib/batching.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { NewTransaction, PolicyVersion, StoredTransaction } from '../storage/index.ts'
import type { PolicyDeps } from './operation.ts'
import { type Stored, storeDecisions, type Undecided } from './store-decisions.ts'
import { keep } from './submission.ts'

/** What the operations that decide work with. What comes at once goes to the database together. */
export type PolicyWork = PolicyDeps &
  Readonly<{
    /** Keeps a submission with its row of the audit log. */
    keep(draft: NewTransaction): Promise<StoredTransaction>
    /** The current policy of a wallet, as of now or later. */
    currentPolicy(wallet: Address): Promise<PolicyVersion | null>
    /** Decides under the wallet's lock: those of one wallet that wait for it are decided in one turn. */
    store(undecided: Undecided): Promise<Stored>
  }>

const KEPT_AT_ONCE = 64
const DECIDED_AT_ONCE = 64
const READ_AT_ONCE = 1_000

/** The work of one policy service. */
export function workOf(deps: PolicyDeps): PolicyWork {
  const { storage } = deps
  const keepAll = batching<NewTransaction, StoredTransaction>(
    (drafts) => storage.transaction((stores) => keep(stores, drafts)),
    KEPT_AT_ONCE,
  )
  const readPolicy = batching<Address, PolicyVersion | null>(async (wallets) => {
    const [wallet] = wallets
    const current = wallet && ((await storage.stores.policies.current(wallet)) ?? null)
    return wallets.map(() => current ?? null)
  }, READ_AT_ONCE)
  const storeAll = batching<Undecided, Stored>(async (batch) => {
    try {
      return await storeDecisions(deps, batch)
    } catch (thrown) {
      // One that cannot be stored must not hold up those beside it.
      if (thrown instanceof CountersignError && thrown.code === 'unavailable') throw thrown
      return oneByOne(deps, batch)
    }
  }, DECIDED_AT_ONCE)
  return {
    ...deps,
    keep: (draft) => keepAll(draft),
    currentPolicy: (wallet) => readPolicy(wallet, wallet),
    store: (undecided) => storeAll(undecided, undecided.transaction.wallet),
  }
}

async function oneByOne(deps: PolicyDeps, batch: readonly Undecided[]): Promise<readonly Stored[]> {
  const stored: Stored[] = []
  for (const undecided of batch) {
    const [one] = await storeDecisions(deps, [{ ...undecided, isNew: false }]).catch((thrown: unknown) => [
      faultOf(thrown),
    ])
    stored.push(one ?? faultOf(undefined))
  }
  return stored
}

function faultOf(thrown: unknown): CountersignError {
  return thrown instanceof CountersignError ? thrown : new CountersignError('internal', messageOf(thrown))
}
