import { type MicroUsd, valueOf } from '../lib/usd.ts'
import type { DecodedAction, PositionChange } from './decoded-action.ts'
import { type Account, type Facts, known, quoteOf } from './facts.ts'

/** Whether a change is of all that there is: how much that comes to only the venue knows. */
export function isAllThereIs({ amount }: PositionChange): boolean {
  return amount === null
}

/** How much a change is of, in the asset's smallest unit: what there is, where it names no amount. */
export function changedAmount(
  { wallet }: DecodedAction,
  { amount, market, side, asset, party }: PositionChange,
  facts: Facts,
): bigint | undefined {
  if (amount !== null) return amount
  const account = party === wallet ? known(facts.positions)?.accounts.find((one) => one.market === market) : undefined
  return account && BigInt((side === 'supply' ? account.supplied : account.borrowed)[asset] ?? 0)
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
 * them. Deposits are rounded as asked for, debts up. More is never paid back of an asset than is owed of it: what one
 * debt does not take does not lower another.
 */
export function projectAccounts(
  action: DecodedAction,
  facts: Facts,
  rounding: 'up' | 'down',
): readonly ProjectedAccount[] | undefined {
  const before = known(facts.positions)?.accounts
  const changes = ownChanges(action)
  const missing = changes.some(({ market }) => !before?.some((account) => account.market === market))
  if (before === undefined || missing) return undefined
  return before.map((account) => {
    const own = changes.filter(({ market }) => market === account.market)
    return {
      protocol: account.protocol,
      market: account.market,
      supplied: add(account.suppliedMicroUsd, deposited(account, own, facts, rounding)),
      borrowed: add(account.borrowedMicroUsd, owed(account, own, facts)),
    }
  })
}

/** What an action changes in the wallet's own accounts. */
export function ownChanges({ wallet, legs }: DecodedAction): readonly PositionChange[] {
  return legs.flatMap(({ positions = [] }) => positions.filter(({ party }) => party === wallet))
}

/** By how much the deposits of an account grow, in micro-USD; less than zero where they shrink. */
function deposited(
  { supplied }: Account,
  changes: readonly PositionChange[],
  facts: Facts,
  rounding: 'up' | 'down',
): MicroUsd | undefined {
  return total(
    changes.flatMap(({ side, change, asset, amount }) => {
      if (side !== 'supply') return []
      if (change === 'increase') return [worth(asset, amount ?? undefined, facts, rounding)]
      return [negative(worth(asset, amount ?? BigInt(supplied[asset] ?? 0), facts, rounding === 'up' ? 'down' : 'up'))]
    }),
  )
}

/** By how much the debts of an account grow, in micro-USD; less than zero where they shrink. */
function owed({ borrowed }: Account, changes: readonly PositionChange[], facts: Facts): MicroUsd | undefined {
  const owing = new Map<string, bigint>()
  return total(
    changes.flatMap(({ side, change, asset, amount }) => {
      if (side !== 'debt') return []
      const before = owing.get(asset) ?? BigInt(borrowed[asset] ?? 0)
      if (change === 'increase') {
        owing.set(asset, before + (amount ?? 0n))
        return [worth(asset, amount ?? undefined, facts, 'up')]
      }
      const paid = amount === null || amount > before ? before : amount
      owing.set(asset, before - paid)
      return [negative(worth(asset, paid, facts, 'down'))]
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
