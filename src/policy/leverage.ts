import { ceilDiv } from '../lib/integers.ts'
import { formatDecimal, formatUsd, type MicroUsd, toMicroUsd } from '../lib/usd.ts'
import { ownChanges, type ProjectedAccount } from './account.ts'
import type { Input } from './check.ts'
import { mostOf } from './counterfactual.ts'
import type { PositionChange } from './decoded-action.ts'

/** Leverage with six decimals, as `toMicroUsd` makes it of a policy's number. */
const ONE = 1_000_000n

/** Whether a change can only raise leverage: more debt, or less behind it. */
export function raisesLeverage({ side, change }: PositionChange): boolean {
  return (side === 'debt') === (change === 'increase')
}

/**
 * Whether accounts are leveraged beyond a limit: what is supplied, divided by what of it is not borrowed. Both sums as
 * they are after the action.
 */
export function tooHigh(
  input: Input,
  accounts: readonly ProjectedAccount[],
  max: number,
  whose: string,
  inWords: (supplied: MicroUsd, borrowed: MicroUsd) => string = lent,
): Readonly<{ passed: string }> | Readonly<{ reason: string }> | Readonly<{ unavailable: string }> {
  const unvalued = accounts.find(({ supplied, borrowed }) => supplied === undefined || borrowed === undefined)
  if (unvalued)
    return { unavailable: `What the wallet has and owes at ${unvalued.protocol} cannot be valued in US dollars.` }
  const supplied = sum(accounts.map((account) => account.supplied))
  const borrowed = sum(accounts.map((account) => account.borrowed))
  const limit = toMicroUsd(max)
  if (borrowed === 0n) return { passed: 'Nothing would be borrowed.' }
  const amounts = inWords(supplied, borrowed)
  const equity = supplied - borrowed
  if (equity > 0n && supplied * ONE <= limit * equity)
    return { passed: `${whose} would be ${ratio(supplied, equity)} of at most ${max}: ${amounts}.` }
  const value = equity > 0n ? ratio(supplied, equity) : 'beyond any number'
  return {
    reason: `${whose} would be ${value}, above the limit of ${max}: ${amounts}${nearest(input, supplied, borrowed, limit)}.`,
  }
}

function lent(supplied: MicroUsd, borrowed: MicroUsd): string {
  return `${formatUsd(supplied)} supplied and ${formatUsd(borrowed)} borrowed`
}

/** How much of the one change that raises leverage would pass, all else being as it is. */
function nearest(input: Input, supplied: MicroUsd, borrowed: MicroUsd, limit: MicroUsd): string {
  const [change, ...others] = ownChanges(input.action).filter(raisesLeverage)
  const { notional } = input.valuation
  const besides = input.action.legs.some(({ spends }) => spends.length > 0)
  if (!change || others.length > 0 || besides || limit <= ONE || typeof notional !== 'bigint') return ''
  const over =
    change.side === 'debt'
      ? borrowed - (supplied * (limit - ONE)) / limit
      : ceilDiv(borrowed * limit, limit - ONE) - supplied
  return mostOf(
    input,
    change.asset,
    notional - over,
    change.side === 'debt' ? 'could be borrowed' : 'could be taken out',
  )
}

/** Rounded up to two decimals: what is just above a limit is never shown as the limit itself. */
function ratio(supplied: MicroUsd, equity: MicroUsd): string {
  return formatDecimal(ceilDiv(supplied * 100n, equity), 2)
}

function sum(values: readonly (MicroUsd | undefined)[]): MicroUsd {
  return values.reduce<MicroUsd>((total, value) => total + (value ?? 0n), 0n)
}
