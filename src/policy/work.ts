import type { Address } from '../lib/address.ts'
import { type Batch, batching, sharing } from '../lib/batching.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { NewTransaction, PolicyVersion, StoredTransaction } from '../storage/index.ts'
import type { PolicyDeps } from './operation.ts'
import { type Stored, storeDecisions, type Undecided } from './store-decisions.ts'
import { keep } from './submission.ts'

/** What the operations that decide work with. What comes at once goes to the database together. */
export type PolicyWork = PolicyDeps &
  Readonly<{
    /** Keeps a submission with its row of the audit log. @throws CountersignError */
    keep(draft: NewTransaction): Promise<StoredTransaction>
    /** Id of the agent that a wallet is registered to on a chain, as of now or later. */
    ownerOf(wallet: Address, chainId: number): Promise<string | undefined>
    /** A wallet's policy to prepare a decision by: `store` says where it is not the current one. */
    policyOf(wallet: Address): Promise<PolicyVersion | null>
    /** Decides under the wallet's lock: those of one wallet that wait for it are decided in one turn. */
    store(undecided: Undecided): Promise<Stored>
  }>

const KEPT_AT_ONCE = 64
const DECIDED_AT_ONCE = 64
/** Wallets whose policy is remembered. */
const MOST_POLICIES = 10_000

/** The work of one policy service. */
export function workOf(deps: PolicyDeps): PolicyWork {
  const { storage } = deps
  const { wallets, policies } = storage.stores
  const keepAll = batching<NewTransaction, StoredTransaction | CountersignError>(
    eachForItself((drafts) => storage.transaction((stores) => keep(stores, drafts))),
    KEPT_AT_ONCE,
  )
  const storeAll = batching<Undecided, Stored>(
    eachForItself((batch, again) =>
      // What was tried before may have been stored all the same.
      storeDecisions(deps, again ? batch.map((undecided) => ({ ...undecided, isNew: false })) : batch),
    ),
    DECIDED_AT_ONCE,
  )
  const readOwner = sharing((key) => {
    const [wallet, chainId] = key.split(' ')
    return wallets.ownerOf(wallet as Address, Number(chainId))
  })
  const readPolicy = sharing((wallet) => policies.current(wallet as Address))
  const remembered = new Map<Address, PolicyVersion>()
  return {
    ...deps,
    async keep(draft) {
      const kept = await keepAll(draft)
      if (kept instanceof CountersignError) throw kept
      return kept
    },
    ownerOf: (wallet, chainId) => readOwner(`${wallet} ${chainId}`),
    async policyOf(wallet) {
      const known = remembered.get(wallet)
      if (known !== undefined) return known
      const current = await readPolicy(wallet)
      if (current === undefined) return null
      if (remembered.size >= MOST_POLICIES) remembered.clear()
      remembered.set(wallet, current)
      return current
    },
    async store(undecided) {
      const { wallet } = undecided.transaction
      const stored = await storeAll(undecided, wallet)
      if (stored === 'policy changed') remembered.delete(wallet)
      return stored
    },
  }
}

/**
 * Work on several at once where one that cannot be stored neither undoes those beside it nor costs them their answer: what
 * fails together is done again, one by one, `again`. A database that does not answer fails all of them.
 */
function eachForItself<item, result>(
  work: (items: readonly item[], again: boolean) => Promise<readonly result[]>,
): Batch<item, result | CountersignError> {
  return async (items) => {
    try {
      return await work(items, false)
    } catch (thrown) {
      if (thrown instanceof CountersignError && thrown.code === 'unavailable') throw thrown
      const results: (result | CountersignError)[] = []
      for (const item of items) {
        const [one] = await work([item], true).catch((fault: unknown) => [faultOf(fault)])
        results.push(one ?? faultOf(undefined))
      }
      return results
    }
  }
}

function faultOf(thrown: unknown): CountersignError {
  return thrown instanceof CountersignError ? thrown : new CountersignError('internal', messageOf(thrown))
}
