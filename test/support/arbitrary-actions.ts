// Random actions over all that the decoders read, for which the local chain has pools and the wallet has tokens. Most
// of them execute: what a plan's router would hold is followed roughly, so that it is not asked for what it has not.
import fc, { type Arbitrary } from 'fast-check'
import { type Address, type Hex, maxUint160, maxUint256 } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import { v2RouterAction, v3RouterAction } from './arbitrary-routers.ts'
import { bookSwap } from './arbitrary-v4.ts'
import {
  type Cast,
  converted,
  type Dice,
  diceOf,
  MAXIMA,
  MINIMA,
  NEVER,
  POOLS,
  type Purse,
  part,
  put,
  routeFrom,
  TOKENS,
} from './dice.ts'
import {
  type Command,
  type Encoded,
  erc20Approve,
  erc20Transfer,
  erc20TransferFrom,
  mayFail,
  NATIVE,
  nativeTransfer,
  permit2Approve,
  permit2Lockdown,
  permit2Permit,
  permit2Permits,
  permit2Transfer,
  permit2Transfers,
  ROUTER,
  SENDER,
  srExactInput,
  srExactInputSingle,
  srExactOutput,
  srExactOutputSingle,
  srMulticall,
  srMulticallDeadline,
  srPull,
  srRefundETH,
  srSweep,
  srSweepFee,
  srSweepFeeTo,
  srSweepTo,
  srUnwrap,
  srUnwrapTo,
  srV2In,
  srV2Out,
  srWrapETH,
  swapRouter02,
  tokens,
  uniswap,
  universalRouter,
  urBalanceCheck,
  urCollect,
  urCollects,
  urPermit,
  urPermits,
  urPortion,
  urSweep,
  urTransfer,
  urUnwrap,
  urV2In,
  urV2Out,
  urV3In,
  urV3Out,
  urWrap,
  type Version,
  WHOLE_BALANCE,
  wethDeposit,
  wethReceive,
  wethWithdraw,
} from './encode.ts'
import { unwrapFee, unwrapFeeTo } from './encode-routers.ts'
import { urSubPlan } from './encode-v4.ts'

const { USDC, WETH, DAI } = tokens

export const ACTION_KINDS = ['token', 'swapRouter02', 'universalRouter', 'v2Router02', 'v3SwapRouter'] as const
export type ArbitraryActions = Readonly<Record<(typeof ACTION_KINDS)[number], Arbitrary<Encoded>>>

/** Random actions by what is called. */
export function arbitraryActions(cast: Cast): ArbitraryActions {
  return {
    token: fc.gen().map((g) => tokenAction(diceOf(g), cast)),
    swapRouter02: fc.gen().map((g) => swapRouterAction(diceOf(g), cast)),
    universalRouter: fc.gen().map((g) => universalRouterAction(diceOf(g), cast)),
    v2Router02: fc.gen().map((g) => v2RouterAction(diceOf(g), cast)),
    v3SwapRouter: fc.gen().map((g) => v3RouterAction(diceOf(g), cast)),
  }
}

function tokenAction(dice: Dice, { wallet, friends, lender, permits, batches }: Cast): Encoded {
  const token = dice.one(TOKENS)
  const amount = dice.amount(token)
  const to = dice.one([...friends, wallet])
  const spender = dice.one([...friends, ...Object.values(uniswap)])
  const expiration = 2_000_000_000 + dice.upTo(1_000_000)
  const granted = dice.one([0n, amount, maxUint160])
  const transfer = () => ({ from: wallet, to: dice.one(friends), amount: dice.amount(token), token })
  const pair = () => ({ token: dice.one(TOKENS), spender: dice.one([...friends, uniswap.universalRouter20]) })
  return dice.one([
    () => nativeTransfer({ to, amount: dice.amount(WETH) }),
    () => erc20Transfer({ token, to, amount }),
    () => erc20TransferFrom({ token, from: lender, to: dice.one([...friends, wallet]), amount }),
    () => erc20Approve({ token, spender, amount: dice.one([0n, amount, maxUint256]) }),
    () => wethDeposit({ amount: dice.amount(WETH) }),
    () => wethReceive({ amount: dice.amount(WETH) }),
    () => wethWithdraw({ amount: dice.amount(WETH) }),
    () => permit2Approve({ token, spender, amount: granted, expiration }),
    () => permit2Transfer({ from: lender, to, amount, token }),
    () =>
      permit2Transfers({
        transfers: [
          { ...transfer(), from: lender },
          { ...transfer(), from: lender },
        ],
      }),
    () => permit2Permit({ owner: wallet, ...dice.one(permits) }),
    () => permit2Permits({ owner: wallet, ...dice.one(batches) }),
    () => permit2Lockdown({ pairs: [pair(), pair()] }),
  ])()
}

// Universal Router

type UrPlan = Readonly<{ dice: Dice; cast: Cast; version: Version; commands: Command[]; purse: Purse }>

function universalRouterAction(dice: Dice, cast: Cast): Encoded {
  const version = dice.one(['2.0', '2.1'] as const)
  const plan: UrPlan = { dice, cast, version, commands: [], purse: new Map() }
  const value = dice.chance(40) ? dice.amount(WETH) : 0n
  if (value > 0n) put(plan.purse, NATIVE, value)
  if (dice.chance(15)) permitInPlan(plan)
  if (value > 0n && dice.chance(90)) wrapInPlan(plan, value)
  if (dice.chance(25)) collectInPlan(plan)
  const swaps = dice.one([0, 1, 1, 1, 2, 2, 3])
  for (const _ of Array.from({ length: swaps }))
    if (dice.chance(40)) plan.commands.push(...bookSwap(plan))
    else swapInPlan(plan)
  if (dice.chance(6)) relayInPlan(plan)
  if (dice.chance(10)) checkInPlan(plan)
  payOutInPlan(plan)
  const deadline = dice.one([NEVER, NEVER, 2_000_000_000n, null])
  const commands = nested(dice, plan.commands).map((command) => (dice.chance(4) ? mayFail(command) : command))
  return universalRouter({ version, commands, value, deadline })
}

/** Some commands in a plan of their own, which may fail or not. A permit in one that fails would give no right. */
function nested(dice: Dice, commands: readonly Command[]): readonly Command[] {
  if (commands.length === 0 || dice.chance(75)) return commands
  const from = dice.upTo(commands.length - 1)
  const to = from + 1 + dice.upTo(commands.length - from - 1)
  const inner = commands.slice(from, to)
  if (inner.some(({ byte }) => PERMITS.includes(byte))) return commands
  const plan = urSubPlan(...inner)
  return [...commands.slice(0, from), dice.chance(50) ? mayFail(plan) : plan, ...commands.slice(to)]
}
const PERMITS = [0x03, 0x0a]

function permitInPlan({ dice, cast, commands }: UrPlan): void {
  commands.push(dice.chance(70) ? urPermit(dice.one(cast.permits)) : urPermits(dice.one(cast.batches)))
}

function wrapInPlan({ dice, commands, purse, cast }: UrPlan, value: bigint): void {
  const amount = dice.one([value, value, WHOLE_BALANCE, value / 2n])
  const to = dice.one([ROUTER, ROUTER, ROUTER, SENDER, cast.friends[0]])
  commands.push(urWrap({ to, amount }))
  const wrapped = amount === WHOLE_BALANCE ? value : amount
  put(purse, NATIVE, -wrapped)
  if (to === ROUTER) put(purse, WETH, wrapped)
}

function collectInPlan(plan: UrPlan): void {
  const { dice, cast, commands, purse } = plan
  const token = dice.one(TOKENS)
  const amount = dice.amount(token)
  const router = routerOf(plan)
  const to = dice.one([ROUTER, ROUTER, router, cast.friends[0]])
  if (dice.chance(30)) {
    // In a batch the router has no word for itself.
    const literal = to === ROUTER ? router : to
    commands.push(
      urCollects({
        transfers: [
          { from: cast.wallet, to: literal, amount, token },
          { from: cast.wallet, to: cast.friends[0], amount: 7n, token: dice.one(TOKENS) },
        ],
      }),
    )
  } else commands.push(urCollect({ token, to, amount }))
  if (to !== cast.friends[0]) put(purse, token, amount)
}

function routerOf({ version }: Pick<UrPlan, 'version'>): Address {
  return version === '2.0' ? uniswap.universalRouter20 : uniswap.universalRouter21
}

function swapInPlan(plan: UrPlan): void {
  const { dice, cast, version, commands, purse } = plan
  const held = TOKENS.filter((token) => (purse.get(token) ?? 0n) > 0n)
  const walletPays = held.length === 0 || dice.chance(25)
  const from = walletPays ? dice.one(TOKENS) : dice.one(held)
  const route = routeFrom(dice, from, dice.one(['v2', 'v3'] as const))
  const to = route.tokens.at(-1) ?? from
  const recipient = dice.one([SENDER, SENDER, ROUTER, ROUTER, ROUTER, routerOf(plan), cast.wallet, cast.friends[0]])
  const prices = version === '2.1' && dice.chance(20) ? route.fees.map(() => 0n) : []
  const swap = { version, walletPays, prices, recipient }
  const has = walletPays ? dice.amount(from) : (purse.get(from) ?? 0n)
  const exactIn = dice.chance(60)
  if (exactIn) {
    const whole = !walletPays && dice.chance(60)
    const sold = walletPays || whole ? has : (has * BigInt(1 + dice.upTo(98))) / 100n
    const got = converted(sold, from, to)
    const amounts = { amountIn: whole ? WHOLE_BALANCE : sold, min: part(dice, got, MINIMA) }
    commands.push(
      route.kind === 'v3'
        ? urV3In({ ...swap, ...amounts, ...route })
        : urV2In({ ...swap, ...amounts, path: route.tokens }),
    )
    if (!walletPays) put(purse, from, -sold)
    if (recipient === ROUTER || recipient === routerOf(plan)) put(purse, to, (got * 97n) / 100n)
    return
  }
  const bought = converted(walletPays ? has : (has * 80n) / 100n, from, to) + 1n
  const paid = converted(bought, to, from) + 1n
  const amounts = { amountOut: bought, max: walletPays ? part(dice, paid, MAXIMA) : has }
  commands.push(
    route.kind === 'v3'
      ? urV3Out({ ...swap, ...amounts, ...route })
      : urV2Out({ ...swap, ...amounts, path: route.tokens }),
  )
  if (!walletPays) put(purse, from, -(paid * 104n) / 100n)
  if (recipient === ROUTER || recipient === routerOf(plan)) put(purse, to, bought)
}

/** A swap that pays the pool of the next one, which then sells what it was sent. */
function relayInPlan({ dice, cast, version, commands }: UrPlan): void {
  const [from, middle, to, pair] = dice.one([
    [USDC, WETH, DAI, addresses.pools.v2DaiWeth],
    [DAI, WETH, USDC, addresses.pools.v2UsdcWeth],
    [WETH, USDC, WETH, addresses.pools.v2UsdcWeth],
    [DAI, USDC, WETH, addresses.pools.v2UsdcWeth],
  ] as const)
  const amountIn = dice.amount(from)
  const fee = dice.one(
    POOLS.filter(({ kind, pair: [a, b] }) => kind === 'v3' && [a, b].includes(from) && [a, b].includes(middle)),
  ).fee
  const first = {
    version,
    walletPays: true,
    recipient: dice.chance(90) ? pair : addresses.pools.v3UsdcWeth500,
    min: 0n,
    amountIn,
  }
  commands.push(
    urV3In({ ...first, tokens: [from, middle], fees: [fee] }),
    urV2In({
      version,
      walletPays: false,
      recipient: dice.one([SENDER, cast.wallet, cast.friends[0]]),
      amountIn: WHOLE_BALANCE,
      min: part(dice, converted(amountIn, from, to), MINIMA),
      path: [middle, to],
    }),
  )
}

function checkInPlan({ dice, cast, commands }: UrPlan): void {
  const check = urBalanceCheck({ owner: cast.wallet, token: dice.one(TOKENS), min: dice.one([0n, 1n, maxUint256]) })
  commands.push(dice.chance(80) ? mayFail(check) : check)
}

function payOutInPlan(plan: UrPlan): void {
  const { dice, cast, commands, purse } = plan
  for (const [token, about] of purse) {
    if (about <= 0n || dice.chance(10)) continue
    if (dice.chance(20))
      commands.push(urPortion({ token, to: cast.friends[0], bips: BigInt(1 + dice.upTo(dice.one([100, 9_999]))) }))
    if (dice.chance(20)) {
      const amount = dice.one([about / 100n, about / 2n, token === NATIVE ? about / 3n : WHOLE_BALANCE])
      commands.push(urTransfer({ token, to: dice.one([SENDER, cast.friends[0], cast.wallet]), amount }))
    }
    if (dice.chance(5)) continue
    const to = dice.one([SENDER, SENDER, SENDER, cast.wallet, cast.friends[0]])
    const min = part(dice, about, [0, 1, 10, 30])
    if (token === WETH && dice.chance(60)) {
      const through = dice.chance(20)
      commands.push(urUnwrap({ to: through ? ROUTER : to, min }))
      if (through) commands.push(urSweep({ token: NATIVE, to, min }))
    } else commands.push(urSweep({ token, to, min }))
    if (dice.chance(5)) commands.push(urSweep({ token, to: SENDER, min: 0n }))
  }
}

// SwapRouter02

type SrPlan = Readonly<{ dice: Dice; cast: Cast; calls: Hex[]; purse: Purse }>

function swapRouterAction(dice: Dice, cast: Cast): Encoded {
  const plan: SrPlan = { dice, cast, calls: [], purse: new Map() }
  const value = dice.chance(35) ? dice.amount(WETH) : 0n
  if (value > 0n) {
    put(plan.purse, NATIVE, value)
    if (dice.chance(40)) {
      const amount = dice.one([value, value, value / 3n])
      plan.calls.push(srWrapETH({ amount }))
      put(plan.purse, NATIVE, -amount)
      put(plan.purse, WETH, amount)
    }
  }
  if (dice.chance(20)) {
    const token = dice.one(TOKENS)
    const amount = dice.amount(token)
    plan.calls.push(srPull({ token, amount }))
    put(plan.purse, token, amount)
  }
  for (const _ of Array.from({ length: dice.one([0, 1, 1, 1, 2, 2, 3]) })) swapInBatch(plan)
  payOutInBatch(plan)
  const [only, ...others] = plan.calls
  if (only !== undefined && others.length === 0 && dice.chance(50))
    return swapRouter02(only, value, 'SwapRouter02: one call')
  return swapRouter02(batchOf(dice, plan.calls), value, `SwapRouter02: ${plan.calls.length} calls`)
}

/** A batch, some of it in batches of its own. */
function batchOf(dice: Dice, calls: readonly Hex[]): Hex {
  const at = dice.upTo(calls.length)
  const nested = dice.chance(20) ? [srMulticall({ calls: calls.slice(0, at) }), ...calls.slice(at)] : calls
  if (dice.chance(30)) return srMulticallDeadline({ deadline: dice.one([NEVER, 2_000_000_000n]), calls: nested })
  return srMulticall({ calls: nested })
}

function swapInBatch(plan: SrPlan): void {
  const { dice, cast, calls, purse } = plan
  const native = purse.get(NATIVE) ?? 0n
  const held = TOKENS.filter((token) => (purse.get(token) ?? 0n) > 0n)
  const fromRouter = held.length > 0 && dice.chance(60)
  const from = fromRouter ? dice.one(held) : native > 0n && dice.chance(70) ? WETH : dice.one(TOKENS)
  const route = routeFrom(dice, from, dice.one(['v2', 'v3'] as const))
  const to = route.tokens.at(-1) ?? from
  const single = route.kind === 'v3' && route.tokens.length === 2
  const recipient = dice.one([SENDER, SENDER, ROUTER, ROUTER, uniswap.swapRouter02, cast.wallet, cast.friends[0]])
  const inNative = !fromRouter && from === WETH && native > 0n
  const has = fromRouter
    ? (purse.get(from) ?? 0n)
    : inNative
      ? (native * BigInt(dice.one([40, 90, 100]))) / 100n
      : dice.amount(from)
  // A limit that no trade reaches: below for the token that sorts first, above for the other.
  const limit = dice.chance(15)
    ? BigInt(from) < BigInt(to)
      ? 4295128740n
      : 1461446703485210103287273052203988822378723970341n
    : 0n
  const pool = { tokenIn: from, tokenOut: to, fee: route.fees[0] ?? 0, recipient, limit }
  const toRouter = recipient === ROUTER || recipient === uniswap.swapRouter02
  if (fromRouter || dice.chance(60)) {
    const got = converted(has, from, to)
    const amounts = { amountIn: fromRouter ? 0n : has, min: part(dice, got, MINIMA) }
    if (single && dice.chance(70)) calls.push(srExactInputSingle({ ...pool, ...amounts }))
    else if (route.kind === 'v3') calls.push(srExactInput({ ...route, recipient, ...amounts }))
    else calls.push(srV2In({ path: route.tokens, recipient, ...amounts }))
    if (fromRouter) put(purse, from, -has)
    else if (inNative) put(purse, NATIVE, -has)
    if (toRouter) put(purse, to, (got * 97n) / 100n)
    return
  }
  const bought = converted((has * 80n) / 100n, from, to) + 1n
  const paid = converted(bought, to, from) + 1n
  const amounts = { amountOut: bought, max: inNative ? has : part(dice, paid, MAXIMA) }
  if (single && dice.chance(70)) calls.push(srExactOutputSingle({ ...pool, ...amounts }))
  else if (route.kind === 'v3') calls.push(srExactOutput({ ...route, recipient, ...amounts }))
  else calls.push(srV2Out({ path: route.tokens, recipient, ...amounts }))
  if (inNative) put(purse, NATIVE, -paid)
  if (toRouter) put(purse, to, bought)
}

function payOutInBatch({ dice, cast, calls, purse }: SrPlan): void {
  const friend = cast.friends[0]
  for (const [token, about] of purse) {
    if (about <= 0n || dice.chance(8)) continue
    const min = part(dice, about, [0, 1, 10, 30])
    const recipient = dice.one([cast.wallet, cast.wallet, friend])
    const bips = BigInt(1 + dice.upTo(99))
    if (token === NATIVE) calls.push(srRefundETH())
    else if (token === WETH && dice.chance(60))
      calls.push(
        dice.one([
          () => srUnwrap({ min }),
          () => srUnwrapTo({ min, recipient }),
          () => unwrapFee({ min, bips, feeTo: friend }),
          () => unwrapFeeTo({ min, recipient, bips, feeTo: friend }),
        ])(),
      )
    else
      calls.push(
        dice.one([
          () => srSweep({ token, min }),
          () => srSweepTo({ token, min, recipient }),
          () => srSweepFee({ token, min, bips, feeTo: friend }),
          () => srSweepFeeTo({ token, min, recipient, bips, feeTo: friend }),
        ])(),
      )
  }
}
