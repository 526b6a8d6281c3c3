import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type AbiFunction, abiFunction, address, bool } from './calldata.ts'
import type { Leg, PositionChange } from './decoded-action.ts'
import type { Call } from './decoder.ts'
import { POLYMARKET } from './polymarket-action.ts'
import { configureLeg } from './token-authorizations.ts'

const NO_PARENT = /^0x0{64}$/
/** The two outcomes of a market, each a set of one. */
const YES_AND_NO = [1n, 2n]

/** What a call does to a market: what it is paid in, which market, and how much of it. */
export type Moved = Readonly<{ asset: Address; marketId: Hex; amount: bigint }>

/** Dollars become one share of each outcome. */
export function splitLeg({ asset, marketId, amount }: Moved, call: Call): Leg {
  const spends = [{ asset, amount, bound: 'exact', party: call.wallet }] as const
  const positions = [changed({ asset, marketId, amount, change: 'increase' }, call)]
  return { ...configureLeg(POLYMARKET), kind: 'supply', spends, positions }
}

/** One share of each outcome becomes dollars again. */
export function mergeLeg({ asset, marketId, amount }: Moved, call: Call): Leg {
  const receives = [{ asset, amount, bound: 'exact', party: call.wallet }] as const
  const positions = [changed({ asset, marketId, amount, change: 'decrease' }, call)]
  return { ...configureLeg(POLYMARKET), kind: 'withdraw', receives, positions }
}

/**
 * Shares become what their market pays, which was decided elsewhere: a dollar each at most, nothing at least. Without an
 * amount all shares there are.
 */
export function redeemLeg(
  { asset, marketId, amount }: Omit<Moved, 'amount'> & Readonly<{ amount: bigint | null }>,
  call: Call,
): Leg {
  const positions = [changed({ asset, marketId, amount, change: 'decrease' }, call)]
  const paid = [{ asset, amount: 0n, bound: 'min', party: call.wallet }] as const
  return { ...configureLeg(POLYMARKET), kind: 'withdraw', receives: amount === null ? [] : paid, positions }
}

/** Letting somebody move every share that the wallet has, of `ConditionalTokens` and `PositionManager` alike. */
export const setApprovalForAll: AbiFunction<Call, Leg> = abiFunction(
  'setApprovalForAll',
  [address, bool],
  ([operator, granted], { wallet }) =>
    ok({ ...configureLeg(POLYMARKET), kind: 'authorize', controls: [{ owner: wallet, operator, granted }] }),
)

/** Whether a call names all of a market, and a market of its own: positions can be split within positions. */
export function wholeMarket(parent: Hex, sets: readonly bigint[]): Result<true> {
  if (!NO_PARENT.test(parent)) return refuse('positions within positions are not decoded')
  if (sets.length !== 2 || sets.some((set, i) => set !== YES_AND_NO[i]))
    return refuse('only the two outcomes of a market are split and merged')
  return ok(true)
}

function changed(
  {
    asset,
    marketId,
    amount,
    change,
  }: Pick<PositionChange, 'change' | 'amount'> & Readonly<{ asset: Address; marketId: Hex }>,
  { to: market, wallet: party }: Call,
): PositionChange {
  return { market, marketId, side: 'supply', change, asset, amount, party }
}
