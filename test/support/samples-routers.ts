// Samples of Uniswap's older routers.
import { zeroAddress } from 'viem'
import { ROUTER, srExactInputSingle, srMulticall, swapRouter02 } from './encode.ts'
import {
  unwrapFee,
  unwrapFeeTo,
  V2_NATIVE_REMOVALS,
  V2_NATIVE_SWAPS,
  V2_SWAPS,
  v2Add,
  v2AddNative,
  v2NativeSwap,
  v2Remove,
  v2RemoveNative,
  v2Swap,
  v3In,
  v3InSingle,
  v3Out,
  v3OutSingle,
  v3SwapRouter,
} from './encode-routers.ts'
import {
  DAI,
  ETHER,
  FRIEND,
  flipped,
  type Inert,
  OTHER,
  type Sample,
  SOLD,
  sample,
  USDC,
  WETH,
  WORD,
} from './sample.ts'

const UNTIL = { deadline: 1_900_000_000n }
const LATER = { deadline: 1_900_000_001n }

const v2Swaps: readonly Sample[] = [
  ...V2_SWAPS.map((name) =>
    sample(
      name,
      { amount: 7n, limit: 5n, path: [DAI, USDC, WETH], to: FRIEND, ...UNTIL },
      { amount: 8n, limit: 6n, path: [DAI, WETH], to: OTHER, ...LATER },
      (f) => v2Swap(name, f),
    ),
  ),
  ...V2_NATIVE_SWAPS.map((name) =>
    sample(
      name,
      { value: 9n, amount: 5n, path: [WETH, USDC, DAI], to: FRIEND, ...UNTIL },
      { value: 8n, amount: 6n, path: [WETH, DAI], to: OTHER, ...LATER },
      (f) => v2NativeSwap(name, f),
    ),
  ),
]

const least = (min: bigint) => (1n << 256n) - 1n - min
const added = { to: FRIEND, ...UNTIL }
const addedChanges = { to: OTHER, ...LATER }
const signed = { all: true, v: 27, r: WORD, s: WORD }
const signatures: readonly (typeof signed)[] = [{ ...signed, v: 0xff - 27, r: flipped(WORD), s: flipped(WORD) }]
const permitInert: Inert = { permit: ['signature', ...signatures] }
const removed = { shares: 50n, ...added }
const removedChanges = { shares: 51n, ...addedChanges }
const native = { token: USDC, min: 3n, minNative: 4n, ...removed }
const nativeChanges = { token: DAI, min: 2n, minNative: 5n, ...removedChanges }
const two = { a: USDC, b: WETH, minA: 3n, minB: 4n, ...removed }
const twoChanges = { a: DAI, b: DAI, minA: 2n, minB: 5n, ...removedChanges }

const v2Liquidity: readonly Sample[] = [
  sample(
    'addLiquidity',
    { a: USDC, b: WETH, amountA: 7n, amountB: 8n, minA: 3n, minB: 4n, ...added },
    { a: DAI, b: DAI, amountA: 8n, amountB: 9n, ...addedChanges },
    v2Add,
    { minA: ['least', least(3n)], minB: ['least', least(4n)] },
  ),
  sample(
    'addLiquidityETH',
    { token: USDC, amount: 7n, value: 8n, min: 3n, minNative: 4n, ...added },
    { token: DAI, amount: 8n, value: 9n, ...addedChanges },
    v2AddNative,
    { min: ['least', least(3n)], minNative: ['least', least(4n)] },
  ),
  sample('removeLiquidity', two, twoChanges, v2Remove),
  sample(
    'removeLiquidityWithPermit',
    { ...two, permit: signed },
    { ...twoChanges, permit: { ...signed, all: false } },
    v2Remove,
    permitInert,
  ),
  ...V2_NATIVE_REMOVALS.flatMap((name) => [
    sample(name, native, nativeChanges, (f) => v2RemoveNative(name, f)),
    sample(
      `${name} with a permit`,
      { ...native, permit: signed },
      { ...nativeChanges, permit: { ...signed, all: false } },
      (f) => v2RemoveNative(name, f),
      permitInert,
    ),
  ]),
]

const single = { tokenIn: USDC, tokenOut: WETH, fee: 500, recipient: FRIEND, ...UNTIL }
const singleChanges = { tokenIn: DAI, tokenOut: DAI, recipient: OTHER, ...LATER }
const route = { tokens: [USDC, DAI, WETH], fees: [500, 3000], recipient: FRIEND, ...UNTIL }
const routeChanges = { tokens: [USDC, WETH, DAI], recipient: OTHER, ...LATER }
const routeInert = { fees: ['fee', [0xffffff - 500, 0xffffff - 3000]] } as const
const fee: Inert = { fee: ['fee', 0xffffff - 500] }
const sold = { amount: SOLD, limit: ETHER }
const bought = { amount: ETHER, limit: SOLD }
const changed = { amount: 1n, limit: 1n }
const cut = { min: ETHER, bips: 10n, feeTo: OTHER }
/** What brings WETH to the router; its minimum is below the one of the call that is looked at. */
const few = { before: { fee: 500, min: 0n, limit: 0n } }
const fewInert: Inert = {
  before: ['weaker', { fee: 0xffffff - 500, min: 0x0cff_ffff_ffff_ffffn, limit: (1n << 160n) - 1n }],
}

const swapRouters: readonly Sample[] = [
  sample(
    'exactInputSingle',
    { ...single, ...sold, priceLimit: 0n },
    { ...singleChanges, ...changed },
    (f) => v3SwapRouter(v3InSingle(f)),
    { ...fee, priceLimit: ['limit', (1n << 160n) - 1n] },
  ),
  sample(
    'exactOutputSingle',
    { ...single, ...bought, priceLimit: 0n },
    { ...singleChanges, ...changed, priceLimit: 1n },
    (f) => v3SwapRouter(v3OutSingle(f)),
    fee,
  ),
  sample(
    'exactInput',
    { ...route, ...sold },
    { ...routeChanges, ...changed },
    (f) => v3SwapRouter(v3In(f)),
    routeInert,
  ),
  sample(
    'exactOutput',
    { ...route, ...bought },
    { ...routeChanges, ...changed },
    (f) => v3SwapRouter(v3Out(f)),
    routeInert,
  ),
  sample(
    'unwrapWETH9WithFee',
    { ...few, ...cut, recipient: FRIEND },
    { min: 1n, bips: 11n, feeTo: FRIEND, recipient: OTHER },
    ({ before: { fee, min, limit }, ...f }) => {
      const bought = v3InSingle({ ...single, ...sold, recipient: zeroAddress, fee, limit: min, priceLimit: limit })
      return v3SwapRouter(srMulticall({ calls: [bought, unwrapFeeTo(f)] }))
    },
    fewInert,
  ),
].map((s) => ({ ...s, name: `SwapRouter ${s.name}` }))

export const OLDER_ROUTERS: readonly Sample[] = [
  ...[...v2Swaps, ...v2Liquidity].map((s) => ({ ...s, name: `Router02 ${s.name}` })),
  ...swapRouters,
  sample(
    'SwapRouter02 unwrapWETH9WithFee to the sender',
    { ...few, ...cut },
    { min: 1n, bips: 11n, feeTo: FRIEND },
    ({ before, ...f }) => {
      const held = { tokenIn: USDC, tokenOut: WETH, recipient: ROUTER, amountIn: SOLD, ...before }
      return swapRouter02(srMulticall({ calls: [srExactInputSingle(held), unwrapFee(f)] }))
    },
    fewInert,
  ),
]
