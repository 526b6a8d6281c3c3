// Actions on Aave's pool of Ethereum, as their decoder gives them, and the accounts that the wallet may have there.
import type { Address } from '../../src/lib/address.ts'
import type { Asset, DecodedAction, Leg, LegKind, PositionChange } from '../../src/policy/decoded-action.ts'
import type { Account, Facts } from '../../src/policy/facts.ts'
import { OBSERVED_AT, USDC, WALLET } from './actions.ts'

export const AAVE_POOL: Address = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
export const MORPHO: Address = '0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb'

type Lent = Readonly<{ amount: bigint | null; asset?: Asset; party?: Address; to?: Address; market?: Address }>

function legOf(kind: LegKind, lent: Lent, side: PositionChange['side'], change: PositionChange['change']): Leg {
  const { amount, asset = USDC, party = WALLET, to = WALLET, market = AAVE_POOL } = lent
  const enters = (side === 'supply') === (change === 'increase')
  const flow = amount === null ? [] : [{ asset, amount, bound: 'exact' as const }]
  return {
    kind,
    venue: market === MORPHO ? 'morpho' : 'aave',
    spends: enters ? flow.map((one) => ({ ...one, party: WALLET })) : [],
    receives: enters
      ? []
      : [{ asset, amount: amount ?? 0n, bound: amount === null ? ('min' as const) : ('exact' as const), party: to }],
    grants: [],
    positions: [{ market, side, change, asset, amount, party }],
    deadline: null,
  }
}

export const supplyLeg = (lent: Lent) => legOf('supply', lent, 'supply', 'increase')
export const withdrawLeg = (lent: Lent) => legOf('withdraw', lent, 'supply', 'decrease')
export const borrowLeg = (lent: Lent) => legOf('borrow', lent, 'debt', 'increase')
export const repayLeg = (lent: Lent) => legOf('repay', lent, 'debt', 'decrease')

/** An action of these legs. */
export function lending(...legs: [Leg, ...Leg[]]): DecodedAction {
  const target = legs[0].positions?.[0]?.market ?? AAVE_POOL
  const { venue: protocol } = legs[0]
  return { protocol, chainId: 1, wallet: WALLET, target, selector: '0x617ba037', legs, touches: [], trailingBytes: 0 }
}

type Holding = Readonly<{ asset?: Asset; amount: bigint; usd: number | null }>

/** An account with one deposit and one debt, each worth so many US dollars. */
export function account(
  supplied: Holding | null,
  borrowed: Holding | null = null,
  market: Address = AAVE_POOL,
): Account {
  const amounts = (one: Holding | null) => (one === null ? {} : { [one.asset ?? USDC]: one.amount.toString() })
  const value = (one: Holding | null) =>
    one === null ? '0' : one.usd === null ? null : BigInt(Math.round(one.usd * 1e6)).toString()
  return {
    protocol: market === MORPHO ? 'morpho' : 'aave',
    market,
    supplied: amounts(supplied),
    borrowed: amounts(borrowed),
    suppliedMicroUsd: value(supplied),
    borrowedMicroUsd: value(borrowed),
  }
}

/** The fact of these accounts. */
export function positionsOf(...accounts: readonly Account[]): Required<Pick<Facts, 'positions'>> {
  return { positions: { status: 'fresh', source: 'positions', observedAt: OBSERVED_AT, value: { accounts } } }
}
