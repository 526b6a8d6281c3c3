import { type Address, ZERO_ADDRESS } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { type AbiType, address, array, bool, bytes, tuple, uint } from '../../calldata.ts'
import type { Asset } from '../../decoded-action.ts'
import type { BookAmount, Step } from '../../router-step.ts'
import {
  type Command,
  type CommandContext,
  command,
  FULL_BIPS,
  hasHopPrices,
  recipient,
  refused,
  type Steps,
  WHOLE_BALANCE,
} from './version.ts'

// Source: v4-periphery's V4Router, IV4Router and CalldataDecoder, as each version of the router compiles them in.

/** More than any route that pays: each currency is screened. */
const MAX_HOPS = 15

type PoolKey = readonly [Address, Address, bigint, bigint, Address]
/** Two currencies, fee, tick spacing (no pool has a negative one), hooks. */
const poolKey: AbiType<PoolKey> = tuple(address, address, uint(24), uint(24), address)

type Hop = readonly [Address, bigint, bigint, Address, Hex]
/** The currency behind the pool; fee, tick spacing and hooks of the pool; what its hooks are told. */
const hop: AbiType<Hop> = tuple(address, uint(24), uint(24), address, bytes)

type SingleValues = readonly [PoolKey, boolean, bigint, bigint, Hex]
type PathValues = readonly [Address, readonly Hop[], bigint, bigint]
type Side = 'sale' | 'purchase'

/** A swap through one pool. Since 2.1.1 a lowest price comes before what the hooks are told. */
function single(side: Side): Command {
  const run = ([[first, second, , , hooks], forwards, amount, limit, told]: SingleValues, context: CommandContext) => {
    const [sells, buys] = forwards ? [first, second] : [second, first]
    return swap(side, { sells, buys, middle: [], pools: [{ hooks, told }], amount, limit }, context)
  }
  const plain = command<readonly [SingleValues]>(
    [tuple(poolKey, bool, uint(128), uint(128), bytes)],
    ([values], context) => run(values, context),
  )
  const priced = command<readonly [readonly [PoolKey, boolean, bigint, bigint, bigint, Hex]]>(
    [tuple(poolKey, bool, uint(128), uint(128), uint(256), bytes)],
    ([[key, forwards, amount, limit, , told]], context) => run([key, forwards, amount, limit, told], context),
  )
  return (input, context) => (hasHopPrices(context) ? priced : plain)(input, context)
}

/** A swap through several pools. Since 2.1.1 lowest prices, one a hop or none, come before the amounts. */
function path(side: Side): Command {
  const run = ([end, hops, amount, limit]: PathValues, context: CommandContext) => {
    const far = (side === 'sale' ? hops.at(-1) : hops[0])?.[0]
    if (far === undefined) return refuse('a path needs at least one pool')
    if (hops.length > MAX_HOPS) return refuse(`a path of more than ${MAX_HOPS} pools is not decoded`)
    const [sells, buys] = side === 'sale' ? [end, far] : [far, end]
    const middle = (side === 'sale' ? hops.slice(0, -1) : hops.slice(1)).map(([currency]) => currency)
    const pools = hops.map(([, , , hooks, told]) => ({ hooks, told }))
    const tokens = side === 'sale' ? [sells, ...middle, buys] : [sells, ...middle, buys]
    if (tokens.some((token, i) => token === tokens[i + 1])) return refuse('the path has a hop from a token to itself')
    return swap(side, { sells, buys, middle, pools, amount, limit }, context)
  }
  const plain = command<readonly [PathValues]>(
    [tuple(address, array(hop), uint(128), uint(128))],
    ([values], context) => run(values, context),
  )
  const priced = command<readonly [readonly [Address, readonly Hop[], readonly bigint[], bigint, bigint]]>(
    [tuple(address, array(hop), array(uint(256)), uint(128), uint(128))],
    ([[end, hops, prices, amount, limit]], context) =>
      prices.length === 0 || prices.length === hops.length
        ? run([end, hops, amount, limit], context)
        : refuse(`it sets ${prices.length} prices for ${hops.length} hops`),
  )
  return (input, context) => (hasHopPrices(context) ? priced : plain)(input, context)
}

type Swap = Readonly<{
  sells: Address
  buys: Address
  middle: readonly Address[]
  pools: readonly Readonly<{ hooks: Address; told: Hex }>[]
  amount: bigint
  limit: bigint
}>

function swap(side: Side, { sells, buys, middle, pools, amount, limit }: Swap, { version }: CommandContext): Steps {
  if (sells === buys) return refuse('it sells what it buys')
  // What a pool's hooks make of such words only their own code says.
  if (pools.some(({ told }) => told !== '0x')) return refuse('what it tells the hooks of a pool is not decoded')
  const hooks = pools.flatMap((pool) => (pool.hooks === ZERO_ADDRESS ? [] : [pool.hooks]))
  const route = { sells: assetOf(sells), buys: assetOf(buys), middle: middle.map(assetOf), hooks }
  const swapped = openOr(amount)
  return ok<readonly Step[]>([
    side === 'sale'
      ? { step: 'book-sale', ...route, amount: swapped, min: limit }
      : // Before 2.1.2 a pool that runs dry delivers less than it is asked for, and nobody looks.
        { step: 'book-purchase', ...route, amount: swapped, max: limit, filled: version === '2.1.2' },
  ])
}

/** An amount of 0 is all that is owed. */
function openOr(amount: bigint): BookAmount {
  return amount === 0n ? 'open' : amount
}

/** The asset of a currency: 0 is the chain's own coin. */
export function assetOf(token: Address): Asset {
  return token === ZERO_ADDRESS ? 'native' : token
}

const POSITIONS = 'the router has no such action: it acts on positions'
const NONE = 'the router has no such action'

const ACTIONS = new Map<number, Command>([
  [0x06, single('sale')],
  [0x07, path('sale')],
  [0x08, single('purchase')],
  [0x09, path('purchase')],
  [
    0x0b, // SETTLE
    command([address, uint(256), bool], ([token, amount, walletPays]) =>
      ok([
        {
          step: 'settle',
          asset: assetOf(token),
          amount: amount === WHOLE_BALANCE ? 'balance' : openOr(amount),
          payer: walletPays ? 'wallet' : 'router',
          max: null,
        },
      ]),
    ),
  ],
  [
    0x0c, // SETTLE_ALL
    command([address, uint(256)], ([token, max]) =>
      ok([{ step: 'settle', asset: assetOf(token), amount: 'open', payer: 'wallet', max }]),
    ),
  ],
  [
    0x0e, // TAKE
    command([address, address, uint(256)], ([token, to, amount], at) =>
      ok([{ step: 'take', asset: assetOf(token), amount: openOr(amount), min: 0n, to: recipient(to, at) }]),
    ),
  ],
  [
    0x0f, // TAKE_ALL
    command([address, uint(256)], ([token, min], { wallet }) =>
      ok([{ step: 'take', asset: assetOf(token), amount: 'open', min, to: wallet }]),
    ),
  ],
  [
    0x10, // TAKE_PORTION
    command([address, address, uint(256)], ([token, to, share], at) =>
      share === 0n
        ? refuse('a share of 0 pays nothing')
        : ok([{ step: 'take-share', asset: assetOf(token), share, whole: FULL_BIPS, to: recipient(to, at) }]),
    ),
  ],
  ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05].map((byte) => [byte, refused(POSITIONS)] as const),
  ...[0x0a, 0x0d, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18].map((byte) => [byte, refused(NONE)] as const),
])

/** V4_SWAP: actions on the pool manager's books, which must be even when they end. */
export const V4_SWAP: Command = command([bytes, array(bytes)], ([actions, inputs], context) => {
  const count = (actions.length - 2) / 2
  if (count !== inputs.length) return refuse(`${count} actions have ${inputs.length} inputs`)
  const steps: Step[] = []
  for (const [i, input] of inputs.entries()) {
    const result: Result<readonly Step[]> = action(
      Number.parseInt(actions.slice(2 + 2 * i, 4 + 2 * i), 16),
      input,
      context,
    )
    if (!result.ok) return refuse(`action ${i} (0x${actions.slice(2 + 2 * i, 4 + 2 * i)}): ${result.reason}`)
    steps.push(...result.value)
  }
  return ok<readonly Step[]>([...steps, { step: 'close-books' }])
})

function action(byte: number, input: Hex, context: CommandContext): Steps {
  const found = ACTIONS.get(byte)
  return found === undefined ? refuse(NONE) : found(input, context)
}
