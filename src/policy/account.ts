import type { Address } from '../lib/address.ts'
import { type MicroUsd, valueOf } from '../lib/usd.ts'
import { depositsOf, vaultAt } from '../registry/index.ts'
import type { DecodedAction, Flow, Leg, PositionChange } from './decoded-action.ts'
import { type Account, type Facts, known, quoteOf, type StandingAccount } from './facts.ts'

/** Whether a change is of all that there is: how much that comes to only the venue knows. */
export function isAllThereIs({ amount }: PositionChange): boolean {
  return amount === null
}

/** What an account is called among the facts: the contract that keeps it, and which of its markets. */
export function marketOf({ market, marketId }: Pick<PositionChange, 'market' | 'marketId'>): string {
  return marketId === undefined ? market : `${market}:${marketId}`
}

/**
 * How much a leg's change is of, in the asset's smallest unit. Of what names no amount it is all that there is to take
 * out, and as much debt as that pays back; undefined where the account is not known, or not the wallet's.
 */
export function changedAmount(leg: Leg, one: PositionChange, wallet: Address, facts: Facts): bigint | undefined {
  if (one.amount !== null) return one.amount
  const account = one.party === wallet ? accountOf(marketOf(one), facts) : undefined
  if (account === undefined) return undefined
  const supplied = BigInt(account.supplied[one.asset] ?? 0)
  const borrowed = BigInt(account.borrowed[one.asset] ?? 0)
  const other = leg.positions?.find((two) => two !== one && two.side !== one.side && isAllThereIs(two))
  const paired = other !== undefined && marketOf(other) === marketOf(one) && other.asset === one.asset
  if (paired) return supplied < borrowed ? supplied : borrowed
  return one.side === 'supply' ? supplied : 0n
}

function accountOf(market: string, facts: Facts): Account | undefined {
  return known(facts.positions)?.accounts.find((account) => account.market === market)
}

/** An account as it would be after an action, in micro-USD. Undefined where an asset of it cannot be valued. */
export type ProjectedAccount = Readonly<{
  protocol: string
  market: string
  supplied: MicroUsd | undefined
  borrowed: MicroUsd | undefined
}>

/**
 * The wallet's accounts after an action. Undefined where the accounts are not known, or one that changes is not among
 * them. What other approvals may do counts where it is the worse: rounded up, what they deposit; rounded down, what they
 * take out; always what they borrow. Deposits are rounded as asked for, debts up. More is never paid back of an asset than is owed of it: what one
 * debt does not take does not lower another.
 */
export function projectAccounts(
  action: DecodedAction,
  facts: Facts,
  rounding: 'up' | 'down',
): readonly ProjectedAccount[] | undefined {
  const before = known(facts.positions)?.accounts
  const changes = action.legs.flatMap((leg) =>
    ownChangesOf(leg, action).map(({ change: one }) => ({
      ...one,
      amount: settledAmount(leg, one, action, facts, rounding),
    })),
  )
  const missing = changes.some((one) => !before?.some(({ market }) => market === marketOf(one)))
  if (before === undefined || missing || facts.standing?.status === 'unavailable') return undefined
  const standing = known(facts.standing)?.accounts ?? []
  const others = standing.filter(({ market }) => !before.some((account) => account.market === market))
  return [...before, ...others.map(opened)].map((account) => {
    const own = changes.filter((one) => marketOf(one) === account.market)
    const approved = standing.find(({ market }) => market === account.market)
    const coming = rounding === 'up' ? approved?.depositedMicroUsd : negative(BigInt(approved?.withdrawnMicroUsd ?? 0))
    return {
      protocol: account.protocol,
      market: account.market,
      supplied: add(account.suppliedMicroUsd, total([deposited(own, facts, rounding), BigInt(coming ?? 0)])),
      borrowed: add(
        account.borrowedMicroUsd,
        total([owed(account, own, facts), BigInt(approved?.borrowedMicroUsd ?? 0)]),
      ),
    }
  })
}

/** An account that an approval would open. */
function opened({ protocol, market }: StandingAccount): Account {
  return { protocol, market, supplied: {}, borrowed: {}, suppliedMicroUsd: '0', borrowedMicroUsd: '0' }
}

/**
 * What is taken out without an amount may be all there is or less, as of a vault whose shares are named: all of it, or
 * nothing, whichever is the worse.
 */
function settledAmount(
  leg: Leg,
  one: PositionChange,
  { wallet }: DecodedAction,
  facts: Facts,
  rounding: 'up' | 'down',
): bigint | undefined {
  const mayBeLess = isAllThereIs(one) && one.side === 'supply' && one.change === 'decrease'
  return mayBeLess && rounding === 'up' ? 0n : changedAmount(leg, one, wallet, facts)
}

/** A change whose amount is settled, as far as it can be. */
type Settled = Omit<PositionChange, 'amount'> & Readonly<{ amount: bigint | undefined }>

/** What an action changes in the wallet's own accounts. */
export function ownChanges(action: DecodedAction): readonly PositionChange[] {
  return action.legs.flatMap((leg) => ownChangesOf(leg, action).map(({ change }) => change))
}

/**
 * What a leg changes in the wallet's own accounts, and at which venue. Where it says nothing of accounts, the tokens of
 * deposits that it trades are such changes all the same: aTokens and shares can be sold and bought like any token.
 */
export function ownChangesOf(
  { venue, spends, receives, positions }: Leg,
  { chainId, wallet }: Pick<DecodedAction, 'chainId' | 'wallet'>,
): readonly Readonly<{ venue: string; change: PositionChange }>[] {
  if (positions) return positions.flatMap((change) => (change.party === wallet ? [{ venue, change }] : []))
  const traded = (flows: readonly Flow[], change: PositionChange['change']) =>
    flows.flatMap(({ asset, amount, party }) => {
      const deposit = party === wallet && asset !== 'native' ? depositAt(chainId, asset) : undefined
      if (deposit === undefined) return []
      const { market, of } = deposit
      return [{ venue: deposit.venue, change: { market, side: 'supply' as const, change, asset: of, amount, party } }]
    })
  return [...traded(spends, 'decrease'), ...traded(receives, 'increase')]
}

/** The account that a token is a part of. */
function depositAt(chainId: number, token: Address) {
  const pool = depositsOf(chainId, token)
  if (pool) return { venue: 'aave', market: pool.pool, of: pool.asset }
  const vault = vaultAt(chainId, token)
  return vault && { venue: vault.venue, market: vault.vault, of: vault.asset }
}

/** By how much the deposits of an account grow, in micro-USD; less than zero where they shrink. */
function deposited(changes: readonly Settled[], facts: Facts, rounding: 'up' | 'down'): MicroUsd | undefined {
  return total(
    changes.flatMap(({ side, change, asset, amount }) => {
      if (side !== 'supply') return []
      if (change === 'increase') return [worth(asset, amount, facts, rounding)]
      return [negative(worth(asset, amount, facts, rounding === 'up' ? 'down' : 'up'))]
    }),
  )
}

/** By how much the debts of an account grow, in micro-USD; less than zero where they shrink. */
function owed({ borrowed }: Account, changes: readonly Settled[], facts: Facts): MicroUsd | undefined {
  const owing = new Map<string, bigint>()
  return total(
    changes.flatMap(({ side, change, asset, amount }) => {
      if (side !== 'debt') return []
      const before = owing.get(asset) ?? BigInt(borrowed[asset] ?? 0)
      if (change === 'increase') {
        owing.set(asset, before + (amount ?? 0n))
        return [worth(asset, amount, facts, 'up')]
      }
      const paid = amount === undefined || amount > before ? before : amount
      owing.set(asset, before - paid)
      return [negative(worth(asset, amount === undefined ? undefined : paid, facts, 'down'))]
    }),
  )
}

function worth(
  asset: PositionChange['asset'],
  amount: bigint | undefined,
  facts: Facts,
  rounding: 'up' | 'down',
): MicroUsd | undefined {
  if (amount === 0n) return 0n
  const quote = amount === undefined ? undefined : quoteOf(asset, facts)
  return quote && amount !== undefined ? valueOf(amount, quote.decimals, quote.usdE8, rounding) : undefined
}

function negative(value: MicroUsd | undefined): MicroUsd | undefined {
  return value === undefined ? undefined : -value
}

function total(values: readonly (MicroUsd | undefined)[]): MicroUsd | undefined {
  return values.reduce<MicroUsd | undefined>(
    (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
    0n,
  )
}

/** An account is worth nothing at least: what a withdrawal takes beyond it the venue refuses. */
function add(before: string | null, change: MicroUsd | undefined): MicroUsd | undefined {
  if (before === null || change === undefined) return undefined
  const after = BigInt(before) + change
  return after > 0n ? after : 0n
}
