import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import { holds } from '../lib/scopes.ts'
import type { StoredTransaction, Stores } from '../storage/index.ts'

/** Who asks: a key, the agent it acts for, and what it may do (contract section 3). */
export type Principal = Readonly<{
  id: string
  agentId: string | null
  scopes: readonly string[]
  /** The integrator that asks: `agentId` is then the agent that its submissions belong to. */
  appId?: string
  /** The wallet of a person who proved it by signature, on one chain or (null) on all: they act for it there. */
  wallet?: Readonly<{ address: Address; chainId: number | null }>
}>

/** Whose a submission is: an agent's, for a wallet on a chain. */
type Ownership = Readonly<{ agentId: string; wallet: Address; chainId: number }>

/** Scopes that allow to submit, and to end what was submitted. */
export const SUBMIT_SCOPES = ['verdicts:create:own', 'transactions:create:own']

/** Scopes that allow to read a submission of one's own. */
export const READ_SCOPES = ['transactions:read:own', ...SUBMIT_SCOPES]

/** Scopes that allow to decide what the policy holds for a person. */
export const REVIEW_SCOPES = ['transactions:approve:own']

/** @throws CountersignError insufficient_scope */
export function requireScope(principal: Principal, needed: readonly string[]): void {
  if (holds(principal.scopes, needed)) return
  throw new CountersignError('insufficient_scope', `The key needs one of the scopes ${needed.join(', ')}.`)
}

/** Whether a principal proved by signature that a wallet is theirs on a chain. */
export function hasProved({ wallet }: Principal, address: Address, chainId: number): boolean {
  return wallet?.address === address && (wallet.chainId === null || wallet.chainId === chainId)
}

/** Whether a principal acts for an agent, or for a wallet of theirs: its own, or any where a scope says so. */
export function actsFor(principal: Principal, owned: Ownership, needed: readonly string[]): boolean {
  if (principal.agentId === owned.agentId || hasProved(principal, owned.wallet, owned.chainId)) return true
  // A reviewer that is bound to no agent is the service's own, and reviews for all of them.
  if (needed === REVIEW_SCOPES && principal.agentId === null && principal.wallet === undefined) return true
  return needed.some((scope) => principal.scopes.includes(scope.replace(/:own$/, ':any')))
}

/**
 * A submission that the principal may see or end.
 *
 * @throws CountersignError insufficient_scope, not_found, not_owner
 */
export async function ownTransaction(
  stores: Pick<Stores, 'transactions'>,
  principal: Principal,
  requestHash: string,
  needed: readonly string[],
): Promise<StoredTransaction> {
  requireScope(principal, needed)
  const transaction = isHash(requestHash) ? await stores.transactions.byRequestHash(requestHash) : undefined
  if (!transaction) throw new CountersignError('not_found', 'No submission has this requestHash.')
  if (!actsFor(principal, transaction, needed))
    throw principal.appId === undefined
      ? new CountersignError('not_owner', 'This submission belongs to another agent.')
      : new CountersignError('not_found', 'No verification of this integration has this id.')
  return transaction
}

function isHash(text: string): text is Hex {
  return /^0x[0-9a-f]{64}$/.test(text)
}
