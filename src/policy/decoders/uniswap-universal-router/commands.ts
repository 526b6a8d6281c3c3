import { type Address, ZERO_ADDRESS } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { exactly } from '../../amount-range.ts'
import { type AbiType, type AbiTypes, address, argumentsOf, array, bool, bytes, tuple, uint } from '../../calldata.ts'
import type { Asset, Leg } from '../../decoded-action.ts'
import { permitBatch, permitLegs, permitSignature, permitSingle } from '../../permit2-permit.ts'
import type { PlanAmount, Step } from '../../router-step.ts'
import { v2Pair } from '../../uniswap-pair.ts'
import { type Route, tokenRoute, v3Route } from '../../uniswap-path.ts'

/** Versions whose commands are decoded. */
export type RouterVersion = '2.0' | '2.1'

/** Whose plan it is, and of which router. */
export type CommandContext = Readonly<{ version: RouterVersion; chainId: number; wallet: Address; router: Address }>

type Steps = Result<readonly Step[]>
type Command = (input: Hex, context: CommandContext) => Steps

/** Beside a command's number: the plan goes on where the command says that it failed. Only three of these commands can say so. */
const ALLOW_REVERT = 0x80

const SENDER: Address = '0x0000000000000000000000000000000000000001'
const ROUTER: Address = '0x0000000000000000000000000000000000000002'

/** Stands for all that the router holds. */
const WHOLE_BALANCE = 1n << 255n
const FULL_BIPS = 10_000n
const FULL_PRECISION = 10n ** 18n

/**
 * What one command does. A byte counts as a command only where it is written as the command's own number, with or
 * without the flag: other bits mean different things to different versions.
 */
export function commandSteps(byte: number, input: Hex, context: CommandContext): Steps {
  const command = COMMANDS[context.version].get(byte & ~ALLOW_REVERT)
  return command === undefined
    ? refuse(`this command of version ${context.version} is not decoded`)
    : command(input, context)
}

function command<A extends readonly unknown[]>(
  types: AbiTypes<A>,
  run: (values: A, context: CommandContext) => Steps,
): Command {
  const reader = argumentsOf<A>(...types)
  return (input, context) => {
    const read = reader.read(input)
    if (!read.ok) return read
    if (read.value.trailing > 0) return refuse(`its input is followed by ${read.value.trailing} bytes`)
    return run(read.value.values, context)
  }
}

type SwapValues<path> = readonly [Address, bigint, bigint, path, boolean]
type Swap<path> = (values: SwapValues<path>, context: CommandContext) => Steps

/** A swap's input. Version 2.1 has a list of lowest prices behind it, one a hop or none at all. */
function swapCommand<path extends Hex | readonly Address[]>(path: AbiType<path>, run: Swap<path>): Command {
  const plain = command<SwapValues<path>>([address, uint(256), uint(256), path, bool], run)
  const priced = command<readonly [...SwapValues<path>, readonly bigint[]]>(
    [address, uint(256), uint(256), path, bool, array(uint(256))],
    ([to, amount, limit, tokens, walletPays, prices], context) =>
      prices.length === 0 || prices.length === hopsOf(tokens)
        ? run([to, amount, limit, tokens, walletPays], context)
        : refuse(`it sets ${prices.length} prices for ${hopsOf(tokens)} hops`),
  )
  return (input, context) => (context.version === '2.0' ? plain : priced)(input, context)
}

function hopsOf(path: Hex | readonly Address[]): number {
  return typeof path === 'string' ? (path.length - 42) / 46 : path.length - 1
}

/** Exactly so much is sold, for at least so much. Between the pools of version 3 the router itself holds what is on its way. */
function sellExactly(
  route: Result<Route>,
  [to, amount, min, , walletPays]: SwapValues<unknown>,
  context: CommandContext,
  pools: 'v2' | 'v3',
): Steps {
  if (!route.ok) return route
  const { sells, middle, buys } = route.value
  return ok([
    {
      step: 'swap',
      payer: walletPays ? 'wallet' : 'router',
      sells: { asset: sells, amount: wholeOr(amount), sold: pools === 'v2' ? 'all' : 'while-liquid' },
      buys: { asset: buys, amount: { min, max: null }, checked: true },
      middle,
      custody: pools === 'v3',
      prepaid:
        pools === 'v2' && amount === WHOLE_BALANCE ? v2Pair(context.chainId, sells, middle[0] ?? buys) : undefined,
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

function permits(legs: readonly Leg[]): Steps {
  return ok(legs.map((leg) => ({ step: 'grant', leg })))
}

/** Pays somebody a part of all that the router holds of a token. */
function payShare(
  [token, to, share]: readonly [Address, Address, bigint],
  whole: bigint,
  context: CommandContext,
): Steps {
  if (share === 0n) return refuse('a share of 0 pays nothing')
  return ok([{ step: 'share', asset: assetOf(token), share, whole, to: recipient(to, context) }])
}

function recipient(to: Address, { wallet, router }: CommandContext): Address {
  if (to === SENDER) return wallet
  return to === ROUTER ? router : to
}

function assetOf(token: Address): Asset {
  return token === ZERO_ADDRESS ? 'native' : token
}

function wholeOr(amount: bigint): PlanAmount {
  return amount === WHOLE_BALANCE ? 'balance' : amount
}

// Source: universal-router 2.0.0, 2.1.0 and 2.1.1, libraries/Commands.sol and base/Dispatcher.sol.
const COMMON = new Map<number, Command>([
  [0x00, swapCommand(bytes, (values, at) => sellExactly(v3Route(values[3], 'forwards'), values, at, 'v3'))],
  [0x01, swapCommand(bytes, (values, at) => buyExactly(v3Route(values[3], 'backwards'), values, at, 'v3'))],
  [
    0x02, // PERMIT2_TRANSFER_FROM
    command([address, address, uint(160)], ([asset, to, amount], at) =>
      ok([{ step: 'collect', asset, amount, to: recipient(to, at) }]),
    ),
  ],
  [
    0x03, // PERMIT2_PERMIT_BATCH
    command([permitBatch, permitSignature], ([[details, spender, until]], { wallet }) =>
      permits(permitLegs(wallet, spender, details, until)),
    ),
  ],
  [
    0x04, // SWEEP: the router reads only the low 160 bits of the minimum, so one with more would be no guard
    command([address, address, uint(160)], ([token, to, min], at) =>
      ok([{ step: 'pay', asset: assetOf(token), amount: 'balance', min, to: recipient(to, at) }]),
    ),
  ],
  [
    0x05, // TRANSFER: of tokens alone the mark stands for the whole balance
    command([address, address, uint(256)], ([token, to, value], at) => {
      const asset = assetOf(token)
      const amount = asset === 'native' ? value : wholeOr(value)
      return ok([{ step: 'pay', asset, amount, min: 0n, to: recipient(to, at) }])
    }),
  ],
  [0x06, command([address, address, uint(256)], (values, at) => payShare(values, FULL_BIPS, at))], // PAY_PORTION
  [0x08, swapCommand(array(address), (values, at) => sellExactly(tokenRoute(values[3]), values, at, 'v2'))],
  [0x09, swapCommand(array(address), (values, at) => buyExactly(tokenRoute(values[3]), values, at, 'v2'))],
  [
    0x0a, // PERMIT2_PERMIT
    command([permitSingle, permitSignature], ([[details, spender, until]], { wallet }) =>
      permits(permitLegs(wallet, spender, [details], until)),
    ),
  ],
  [
    0x0b, // WRAP_ETH
    command([address, uint(256)], ([to, amount], at) =>
      ok([{ step: 'wrap', amount: wholeOr(amount), to: recipient(to, at) }]),
    ),
  ],
  [
    0x0c, // UNWRAP_WETH
    command([address, uint(256)], ([to, min], at) => ok([{ step: 'unwrap', min, to: recipient(to, at) }])),
  ],
  [
    0x0d, // PERMIT2_TRANSFER_FROM_BATCH: its receivers are literal
    command([array(tuple(address, address, uint(160), address))], ([transfers], { wallet }) =>
      transfers.every(([from]) => from === wallet)
        ? ok(transfers.map(([, to, amount, asset]) => ({ step: 'collect', asset, amount, to })))
        : refuse('it takes tokens of somebody else'),
    ),
  ],
  [
    0x0e, // BALANCE_CHECK_ERC20: a guard of somebody's balance, which says nothing of what this plan brings
    command([address, address, uint(256)], ([owner, token]) =>
      ok([
        { step: 'touch', address: owner },
        { step: 'touch', address: token },
      ]),
    ),
  ],
])

const COMMANDS: Readonly<Record<RouterVersion, ReadonlyMap<number, Command>>> = {
  '2.0': COMMON,
  '2.1': new Map([
    ...COMMON,
    // PAY_PORTION_FULL_PRECISION, since 2.1.1
    [0x07, command([address, address, uint(256)], (values, at) => payShare(values, FULL_PRECISION, at))],
  ]),
}
