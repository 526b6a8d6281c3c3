import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { exactly } from '../../amount-range.ts'
import { type AbiType, address, array, bool, bytes, uint } from '../../calldata.ts'
import { v2Pair } from '../../uniswap-pair.ts'
import { type Route, tokenRoute, v3Route } from '../../uniswap-path.ts'
import {
  type Command,
  type CommandContext,
  command,
  hasHopPrices,
  recipient,
  type Steps,
  WHOLE_BALANCE,
} from './version.ts'

type SwapValues<path> = readonly [Address, bigint, bigint, path, boolean]
type Swap<path> = (values: SwapValues<path>, context: CommandContext) => Steps

/** A swap's input. Since 2.1.1 it ends in a list of lowest prices, one a hop or none at all. */
function swapCommand<path extends Hex | readonly Address[]>(path: AbiType<path>, run: Swap<path>): Command {
  const plain = command<SwapValues<path>>([address, uint(256), uint(256), path, bool], run)
  const priced = command<readonly [...SwapValues<path>, readonly bigint[]]>(
    [address, uint(256), uint(256), path, bool, array(uint(256))],
    ([to, amount, limit, tokens, walletPays, prices], context) =>
      prices.length === 0 || prices.length === hopsOf(tokens)
        ? run([to, amount, limit, tokens, walletPays], context)
        : refuse(`it sets ${prices.length} prices for ${hopsOf(tokens)} hops`),
  )
  return (input, context) => (hasHopPrices(context) ? priced : plain)(input, context)
}

function hopsOf(path: Hex | readonly Address[]): number {
  return typeof path === 'string' ? (path.length - 42) / 46 : path.length - 1
}

/**
 * Exactly so much is sold, for at least so much. Between the pools of version 3 the router itself holds what is on its
 * way. A pool of version 2 may have been paid before, which an amount of 0 says as well.
 */
function sellExactly(
  route: Result<Route>,
  [to, amount, min, , walletPays]: SwapValues<unknown>,
  context: CommandContext,
  pools: 'v2' | 'v3',
): Steps {
  if (!route.ok) return route
  const { sells, middle, buys } = route.value
  const whole = amount === WHOLE_BALANCE
  return ok([
    {
      step: 'swap',
      payer: walletPays ? 'wallet' : 'router',
      sells: { asset: sells, amount: whole ? 'balance' : amount, sold: pools === 'v2' ? 'all' : 'while-liquid' },
      buys: { asset: buys, amount: { min, max: null }, checked: true },
      middle,
      custody: pools === 'v3',
      prepaid:
        pools === 'v2' && (whole || amount === 0n) ? v2Pair(context.chainId, sells, middle[0] ?? buys) : undefined,
      to: recipient(to, context),
    },
  ])
}

/**
 * So much is bought, for at most so much. With pools of version 2 rounding can bring a little more, and no check keeps it
 * from being less.
 */
function buyExactly(
  route: Result<Route>,
  [to, amount, max, , walletPays]: SwapValues<unknown>,
  context: CommandContext,
  pools: 'v2' | 'v3',
): Steps {
  if (!route.ok) return route
  const { sells, middle, buys } = route.value
  const bought = pools === 'v3' ? exactly(amount) : { min: amount, max: null }
  return ok([
    {
      step: 'swap',
      payer: walletPays ? 'wallet' : 'router',
      sells: { asset: sells, amount: max, sold: 'up-to' },
      buys: { asset: buys, amount: bought, checked: pools === 'v3' },
      middle,
      custody: false,
      prepaid: undefined,
      to: recipient(to, context),
    },
  ])
}

/** Swaps through pools of versions 2 and 3. Source: universal-router, modules/uniswap/v2 and v3. */
export const SWAPS: readonly (readonly [number, Command])[] = [
  [0x00, swapCommand(bytes, (values, at) => sellExactly(v3Route(values[3], 'forwards'), values, at, 'v3'))],
  [0x01, swapCommand(bytes, (values, at) => buyExactly(v3Route(values[3], 'backwards'), values, at, 'v3'))],
  [0x08, swapCommand(array(address), (values, at) => sellExactly(tokenRoute(values[3]), values, at, 'v2'))],
  [0x09, swapCommand(array(address), (values, at) => buyExactly(tokenRoute(values[3]), values, at, 'v2'))],
]
