// Random actions over all that the decoders read, for which the local chain has pools and the wallet has tokens. Most
// of them execute: what a plan's router would hold is followed roughly, so that it is not asked for what it has not.
import fc, { type Arbitrary, type GeneratorValue } from 'fast-check'
import { type Address, type Hex, maxUint160, maxUint256 } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import {
  type Command,
  type Encoded,
  erc20Approve,
  erc20Transfer,
  erc20TransferFrom,
  mayFail,
  NATIVE,
  nativeTransfer,
  type PermitBatch,
  type PermitSingle,
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

/** Whose actions they are, who else may receive, and permits that the wallet signed. */
export type Cast = Readonly<{
  wallet: Address
  friends: readonly [Address, ...Address[]]
  /** Accounts that let the wallet take their tokens. */
  lender: Address
  permits: readonly Readonly<{ permit: PermitSingle; signature: Hex }>[]
  batches: readonly Readonly<{ permit: PermitBatch; signature: Hex }>[]
}>

const { USDC, WETH, DAI } = tokens
const TOKENS = [USDC, WETH, DAI] as const
const NEVER = maxUint256

/** Base units of a token for a millionth of a dollar, at the prices that the pools are built at: as a fraction. */
const PER_MICRO_USD = new Map<Address, readonly [bigint, bigint]>([
  [USDC, [1n, 1n]],
  [DAI, [10n ** 12n, 1n]],
  [WETH, [10n ** 18n, 3_000_000_000n]],
])

type Pool = Readonly<{ kind: 'v2' | 'v3'; pair: readonly [Address, Address]; fee: number }>
const POOLS: readonly Pool[] = [
  { kind: 'v2', pair: [USDC, WETH], fee: 0 },
  { kind: 'v2', pair: [DAI, WETH], fee: 0 },
  { kind: 'v3', pair: [USDC, WETH], fee: 500 },
  { kind: 'v3', pair: [USDC, WETH], fee: 3000 },
  { kind: 'v3', pair: [DAI, WETH], fee: 3000 },
  { kind: 'v3', pair: [DAI, USDC], fee: 100 },
]

type Route = Readonly<{ kind: 'v2' | 'v3'; tokens: readonly Address[]; fees: readonly number[] }>

/** Draws of one action. */
type Dice = Readonly<{
  upTo(most: number): number
  chance(percent: number): boolean
  one<T>(of: readonly T[]): T
  amount(token: Address): bigint
}>

function diceOf(g: GeneratorValue): Dice {
  const upTo = (most: number) => g(fc.nat, { max: most })
  return {
    upTo,
    chance: (percent) => upTo(99) < percent,
    one: (of) => {
      const found = of[upTo(of.length - 1)]
      if (found === undefined) throw new Error('nothing to choose from')
      return found
    },
    // From a cent to some ten thousand dollars, with odd last digits.
    amount: (token) => inToken(token, 10n ** BigInt(4 + upTo(6)) + BigInt(upTo(1_000_000_000))),
  }
}

function inToken(token: Address, microUsd: bigint): bigint {
  const [units, per] = PER_MICRO_USD.get(token) ?? [1n, 1n]
  return (microUsd * units) / per
}

function converted(amount: bigint, from: Address, to: Address): bigint {
  const [units, per] = PER_MICRO_USD.get(from) ?? [1n, 1n]
  return inToken(to, (amount * per) / units)
}

/** A walk over pools of one kind that does not end where it began. */
function routeFrom(dice: Dice, from: Address, kind: 'v2' | 'v3'): Route {
  const walk = [from]
  const fees: number[] = []
  for (const _ of Array.from({ length: 1 + (dice.chance(40) ? 1 + dice.upTo(1) : 0) })) {
    const at = walk.at(-1) ?? from
    const open = POOLS.filter((pool) => pool.kind === kind && pool.pair.includes(at))
    const pool = dice.one(open)
    const [a, b] = pool.pair
    const next = a === at ? b : a
    if (next === from) break
    walk.push(next)
    fees.push(pool.fee)
  }
  if (walk.length > 1) return { kind, tokens: walk, fees }
  return routeFrom(dice, from, kind)
}

/** A share of an estimate in percent; the last choice is one that the chain refuses. */
const part = (dice: Dice, estimate: bigint, percents: readonly number[]) =>
  (estimate * BigInt(dice.one(percents))) / 100n
const MINIMA = [0, 1, 50, 90, 90, 95, 95, 120]
const MAXIMA = [105, 105, 110, 120, 200, 1000, 80]

/** What a router would hold, about. */
type Purse = Map<Address, bigint>
const put = (purse: Purse, token: Address, amount: bigint) => purse.set(token, (purse.get(token) ?? 0n) + amount)

export type ArbitraryActions = Readonly<Record<'token' | 'swapRouter02' | 'universalRouter', Arbitrary<Encoded>>>

/** Random actions by what is called. */
export function arbitraryActions(cast: Cast): ArbitraryActions {
  return {
    token: fc.gen().map((g) => tokenAction(diceOf(g), cast)),
    swapRouter02: fc.gen().map((g) => swapRouterAction(diceOf(g), cast)),
    universalRouter: fc.gen().map((g) => universalRouterAction(diceOf(g), cast)),
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
  for (const _ of Array.from({ length: swaps })) swapInPlan(plan)
  if (dice.chance(6)) relayInPlan(plan)
  if (dice.chance(10)) checkInPlan(plan)
  payOutInPlan(plan)
  const deadline = dice.one([NEVER, NEVER, 2_000_000_000n, null])
  const commands = plan.commands.map((command) => (dice.chance(4) ? mayFail(command) : command))
  return universalRouter({ version, commands, value, deadline })
}

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
      calls.push(dice.chance(50) ? srUnwrap({ min }) : srUnwrapTo({ min, recipient }))
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
