import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { LEG_KINDS } from '../schema/decoded-action.ts'

/** A token contract in lower case, or the chain's own coin. */
export type Asset = Address | 'native'

/** Value that leaves or arrives, in the asset's smallest unit. */
export type Flow = Readonly<{
  asset: Asset
  amount: bigint
  /** What the chain enforces: exactly this, at most this (what leaves), at least this (what arrives). */
  bound: 'exact' | 'max' | 'min'
  /** Who pays, for what leaves; who receives, for what arrives. */
  party: Address
}>

/** A right to spend the owner's tokens. `expiresAt` is in Unix seconds; null means it never ends. */
export type Grant = Readonly<{
  asset: Address
  owner: Address
  spender: Address
  amount: bigint
  unlimited: boolean
  expiresAt: number | null
}>

/**
 * What a leg changes in an account that a venue keeps: a deposit in a lending pool or a vault, or a debt. `amount` is in
 * the asset's smallest unit; of a debt that is paid back it is the most, as no more is taken than is owed. Null, of a
 * decrease alone, is up to all there is: how much that comes to only the venue knows.
 */
export type PositionChange = Readonly<{
  /** The contract that keeps the account: a lending pool, a vault. */
  market: Address
  /** Which of its markets, where one contract keeps many; absent elsewhere. */
  marketId?: Hex
  side: 'supply' | 'debt'
  change: 'increase' | 'decrease'
  asset: Asset
  amount: bigint | null
  /** Whose account it is. */
  party: Address
}>

/** A right over somebody's account at a venue that no amount limits: an operator, an agent's key. `granted` false takes it away. */
export type Control = Readonly<{ owner: Address; operator: Address; granted: boolean }>

/** A setting of an account at a venue: which one, of which asset where it has one, and to what, in the venue's own words. */
export type AccountSetting = Readonly<{ market: Address; name: string; asset: Address | null; value: string }>

/** An order at a venue. Sizes and prices are exact decimal texts in units of the market, as the venue takes them. */
export type VenueOrder = Readonly<{
  /** The venue's own number or id of the market; what it stands for is a fact of the venue. */
  market: string
  side: 'buy' | 'sell'
  size: string
  /** The worst price at which it may be filled, as the venue enforces it; null where nothing bounds it. */
  price: string | null
  /** Price at which it becomes an order; null where it is one at once. */
  trigger: string | null
  /** It can only shrink a position. */
  reduceOnly: boolean
  /** How long it stands: the venue's own word. */
  timeInForce: string
  /** The key by which the venue is asked about it; null where it has none. */
  cloid: string | null
  /** Whose account trades. */
  account: Address
  /** Who gets a fee of it beside the venue; null where nobody does. */
  feeTo: Address | null
}>

/** A new leverage of one market. */
export type LeverageChange = Readonly<{ market: string; leverage: number; margin: 'cross' | 'isolated' }>

export type LegKind = (typeof LEG_KINDS)[number]

/**
 * One economically separate part of an action. A router's plan of many commands is one leg with its net effect:
 * what can leave at most, what must arrive at least, and where.
 */
export type Leg = Readonly<{
  kind: LegKind
  /** Venue identifier: `native`, `erc20`, `weth`, `permit2`, `uniswap`, … */
  venue: string
  spends: readonly Flow[]
  receives: readonly Flow[]
  grants: readonly Grant[]
  /** Absent where it changes no account at a venue. */
  positions?: readonly PositionChange[]
  /** Absent where it hands out no control. */
  controls?: readonly Control[]
  /** Present where it sets something of an account at a venue. */
  setting?: AccountSetting
  /** Present where it is an order at a venue. */
  order?: VenueOrder
  /** Present where it sets a market's leverage. */
  leverage?: LeverageChange
  /** What the margin of the wallet's perpetuals account changes by, in micro-USD; less than zero where it shrinks. */
  margin?: bigint
  /** Unix seconds after which the chain refuses it; null where there is none. */
  deadline: number | null
}>

/** A contract's function that a call reaches; `selector` is null for plain value. */
export type CalledFunction = Readonly<{ target: Address; selector: string | null }>

/** All that an action does, as its bytes say. */
export type DecodedAction = Readonly<{
  /** Venue of the target contract. */
  protocol: string
  chainId: number
  /** The wallet that would send it. */
  wallet: Address
  /** The contract that is called, or that a signature is for; null for an order that no contract sees. */
  target: Address | null
  /** 4 bytes in lower case, or null for a plain value transfer. */
  selector: string | null
  legs: readonly [Leg, ...Leg[]]
  /** What a batch calls in turn; absent where nothing is nested. */
  calls?: readonly CalledFunction[]
  /** Every further address that it touches (tokens that a route goes through, …), to be screened beside the flows' parties. */
  touches: readonly Address[]
  /** The digest that a signature would be over, where it is signed and not sent. */
  digest?: Hex
  /** Bytes behind the canonical calldata, accepted only where the target ignores them. */
  trailingBytes: number
}>

/** Whether an amount means "all there ever is": at or above 2^159, which no token's supply reaches. */
export function isUnlimited(amount: bigint): boolean {
  return amount >= 1n << 159n
}
