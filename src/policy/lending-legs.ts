import type { Address } from '../lib/address.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { Asset, Flow, Leg, PositionChange } from './decoded-action.ts'

/** What many lending venues read as "all there is". */
export const ALL = (1n << 256n) - 1n

/** An account at a lending venue. */
export type LendingAccount = Readonly<{
  venue: string
  market: Address
  /** Which of the markets that one contract keeps; absent where the contract is the market. */
  marketId?: PositionChange['marketId']
  /** What the account counts in. */
  asset: Address
  party: Address
}>

/** A deposit of exactly an amount, paid in the account's asset or in native coin that the venue wraps. */
export function supplyLeg(account: LendingAccount, amount: bigint, payer: Address, paid: Asset = account.asset): Leg {
  const spends: Flow[] = [{ asset: paid, amount, bound: 'exact', party: payer }]
  return leg('supply', account, { spends, positions: [change(account, 'supply', 'increase', amount)] })
}

/** What is taken out of a deposit and sent to somebody; null is all of it, of which nobody knows how much that is. */
export function withdrawLeg(account: LendingAccount, amount: bigint | null, to: Address, paid?: Asset): Leg {
  const receives = [arrives(paid ?? account.asset, amount, to)]
  return leg('withdraw', account, { receives, positions: [change(account, 'supply', 'decrease', amount)] })
}

/** A loan of exactly an amount, sent to somebody. */
export function borrowLeg(account: LendingAccount, amount: bigint, to: Address, paid?: Asset): Leg {
  const receives = [arrives(paid ?? account.asset, amount, to)]
  return leg('borrow', account, { receives, positions: [change(account, 'debt', 'increase', amount)] })
}

/** At most an amount is paid back: where less is owed, the venue takes or keeps less. */
export function repayLeg(
  account: LendingAccount,
  amount: bigint,
  payer: Address,
  { paid = account.asset, bound = 'max' }: Readonly<{ paid?: Asset; bound?: 'max' | 'exact' }> = {},
): Leg {
  const spends: Flow[] = [{ asset: paid, amount, bound, party: payer }]
  return leg('repay', account, { spends, positions: [change(account, 'debt', 'decrease', amount)] })
}

/** A debt that is paid back out of the deposit of the same asset; null is as much of both as there is. */
export function repayFromDepositLeg(account: LendingAccount, amount: bigint | null): Leg {
  const positions = [change(account, 'debt', 'decrease', amount), change(account, 'supply', 'decrease', amount)]
  return leg('repay', account, { positions })
}

/** A deposit, or a part of one, that becomes somebody else's without leaving the venue. */
export function transferPositionLeg(account: LendingAccount, amount: bigint, to: Address): Leg {
  const positions = [
    change(account, 'supply', 'decrease', amount),
    change({ ...account, party: to }, 'supply', 'increase', amount),
  ]
  return leg('transfer', account, { positions })
}

/** A right over an account at a venue that is given or taken away. */
export function controlLeg(venue: string, owner: Address, operator: Address, granted: boolean): Leg {
  const controls = [{ owner, operator, granted }]
  return { kind: 'authorize', venue, spends: [], receives: [], grants: [], controls, deadline: null }
}

/** The amount of a call in which 0 means nothing at all: venues refuse it, and so it is not decoded. */
export function someAmount(amount: bigint): Result<bigint> {
  return amount > 0n ? ok(amount) : refuse('the amount is 0')
}

function change(
  { market, marketId, asset, party }: LendingAccount,
  side: PositionChange['side'],
  direction: PositionChange['change'],
  amount: bigint | null,
): PositionChange {
  return { market, ...(marketId && { marketId }), side, change: direction, asset, amount, party }
}

function arrives(asset: Asset, amount: bigint | null, party: Address): Flow {
  return amount === null ? { asset, amount: 0n, bound: 'min', party } : { asset, amount, bound: 'exact', party }
}

function leg(
  kind: Leg['kind'],
  { venue }: LendingAccount,
  { spends = [], receives = [], positions }: Pick<Leg, 'positions'> & Partial<Pick<Leg, 'spends' | 'receives'>>,
): Leg {
  return { kind, venue, spends, receives, grants: [], ...(positions && { positions }), deadline: null }
}
