import type { Address } from '../lib/address.ts'
import { ceilDiv } from '../lib/integers.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { CORE_USDC, type CoreToken, coreBridge, coreToken, isCoreSystemAddress } from '../registry/index.ts'
import type { Leg, VenueOrder } from './decoded-action.ts'
import { configureLeg, transferLeg } from './token-authorizations.ts'

/** Venue identifier of HyperCore. */
export const HYPERLIQUID = 'hyperliquid'

/** Decimals of US dollars in integer amounts, and of the token that they are in. */
const USD_DECIMALS = 6

/** The leg of an order. `until` is the Unix second after which the venue refuses it. */
export function orderLeg(order: VenueOrder, until: number | null = null): Leg {
  return { ...configureLeg(HYPERLIQUID, until), kind: 'order', order }
}

/** The leg of taking back orders. */
export function cancelLeg(until: number | null = null): Leg {
  return { ...configureLeg(HYPERLIQUID, until), kind: 'cancel' }
}

/** The leg of letting somebody act for an account, or take a fee of what it trades. */
export function controlLeg(owner: Address, operator: Address, granted: boolean): Leg {
  return { ...configureLeg(HYPERLIQUID), kind: 'authorize', controls: [{ owner, operator, granted }] }
}

/** A transfer of US dollars out of the wallet's margin, in millionths. */
export function usdLeg(from: Address, to: Address, amount: bigint): Leg {
  const leg = transferLeg(HYPERLIQUID, { asset: CORE_USDC.asset, from, to, amount })
  return { ...leg, margin: -amount }
}

/** Dollars that come out of an account of the wallet's own elsewhere at the venue. */
export function usdBackLeg(to: Address, amount: bigint): Leg {
  const { asset } = CORE_USDC
  const receives = [{ asset, amount, bound: 'exact', party: to }] as const
  return { ...configureLeg(HYPERLIQUID), kind: 'withdraw', receives, margin: amount }
}

/** Dollars between the wallet's margin and its spot balances. */
export function marginLeg(amount: bigint): Leg {
  return { ...configureLeg(HYPERLIQUID), margin: amount }
}

/**
 * A token that leaves the account: to somebody, or by a system address to the wallet itself on HyperEVM. `wei` is in the
 * token's own smallest unit on HyperCore.
 */
export function tokenLeg(token: CoreToken, from: Address, to: Address, wei: bigint): Result<Leg> {
  const amount = scaled(wei, token.weiDecimals, token.assetDecimals)
  const { asset } = token
  if (!isCoreSystemAddress(to)) return ok(transferLeg(HYPERLIQUID, { asset, from, to, amount }))
  if (coreBridge(to) !== asset) return refuse(`${to} is a system address, and not known to be that of ${token.name}`)
  return ok({ ...transferLeg(HYPERLIQUID, { asset, from, to: from, amount }), kind: 'withdraw' })
}

/** The token that a signed action names, or that HyperEVM numbers. */
export function tokenNamed(key: string | number): Result<CoreToken> {
  const token = coreToken(key)
  return token === undefined ? refuse(`token ${String(key).slice(0, 64)} is not known`) : ok(token)
}

/** The smallest units of a decimal text; what is finer than them counts as one more. */
export function unitsOf(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  return /[1-9]/.test(fraction.slice(decimals)) ? units + 1n : units
}

/** Millionths of a dollar in a decimal text, rounded up. */
export function usdOf(text: string): bigint {
  return unitsOf(text, USD_DECIMALS)
}

function scaled(amount: bigint, from: number, to: number): bigint {
  if (to >= from) return amount * 10n ** BigInt(to - from)
  return ceilDiv(amount, 10n ** BigInt(from - to))
}
