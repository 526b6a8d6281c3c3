// One action of each function and command that is decoded, field by field: what each field can be changed to, and which
// fields may change without a change of what happens to anybody's assets.
import { type Address, type Hex, maxUint48, maxUint256 } from 'viem'
import {
  type Command,
  erc20Approve,
  erc20IncreaseAllowance,
  erc20Transfer,
  erc20TransferFrom,
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
  srMulticallBlockhash,
  srMulticallDeadline,
  srPull,
  srRefundETH,
  srSelfPermit,
  srSelfPermitAllowed,
  srSelfPermitAllowedIfNecessary,
  srSelfPermitIfNecessary,
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
import {
  DAI,
  ETHER,
  FRIEND,
  flipped,
  type Inert,
  OTHER,
  type Sample,
  SIGNATURE,
  SOLD,
  sample,
  USDC,
  WALLET,
  WETH,
  WORD,
} from './sample.ts'
import { OLDER_ROUTERS } from './samples-routers.ts'
import { books } from './samples-v4.ts'

const approval = { token: USDC, spender: FRIEND, amount: 5n }
const transfer = { token: USDC, to: FRIEND, amount: 5n }
const details = { token: USDC, amount: 5n, expiration: 1_900_000_000, nonce: 3 } as const
const permit = { details, spender: FRIEND, sigDeadline: 1_800_000_000n } as const

type PermitFields = Readonly<{
  token: Address
  amount: bigint
  expiration: number
  nonce: number
  spender: Address
  sigDeadline: bigint
  signature: Hex
}>
const permitFields: PermitFields = {
  ...details,
  spender: permit.spender,
  sigDeadline: permit.sigDeadline,
  signature: SIGNATURE,
}
const permitChanges = {
  token: WETH,
  amount: 6n,
  expiration: 1_900_000_001,
  spender: OTHER,
  sigDeadline: 1_800_000_001n,
} as const
const permitInert: Inert = {
  nonce: ['nonce', Number(maxUint48) - 3],
  // Longer within the same words, too.
  signature: ['signature', flipped(SIGNATURE), `${SIGNATURE}${'ff'.repeat(31)}`],
}
const single = ({ token, amount, expiration, nonce, spender, sigDeadline }: PermitFields) => ({
  details: { token, amount, expiration, nonce },
  spender,
  sigDeadline,
})
const several = (f: PermitFields) => ({
  ...single(f),
  details: [single(f).details, { ...details, token: DAI, nonce: f.nonce }],
})

const token: readonly Sample[] = [
  sample('native transfer', { to: FRIEND, amount: 5n }, { to: OTHER, amount: 6n }, nativeTransfer),
  sample('ERC-20 transfer', transfer, { token: DAI, to: OTHER, amount: 6n }, erc20Transfer),
  sample(
    'ERC-20 transferFrom',
    { ...transfer, from: OTHER },
    { token: DAI, to: OTHER, amount: 6n, from: FRIEND },
    erc20TransferFrom,
  ),
  sample('ERC-20 approve', approval, { token: DAI, spender: OTHER, amount: 0n }, erc20Approve),
  sample('ERC-20 increaseAllowance', approval, { token: DAI, spender: OTHER, amount: 6n }, erc20IncreaseAllowance),
  sample('WETH deposit', { amount: 5n }, { amount: 6n }, wethDeposit),
  sample('WETH by plain value', { amount: 5n }, { amount: 6n }, wethReceive),
  sample('WETH withdraw', { amount: 5n }, { amount: 6n }, wethWithdraw),
]

const permit2: readonly Sample[] = [
  sample(
    'Permit2 approve',
    { ...approval, expiration: 1_900_000_000 },
    { token: DAI, spender: OTHER, amount: 6n, expiration: 1_900_000_001 },
    permit2Approve,
  ),
  sample(
    'Permit2 transferFrom',
    { ...transfer, from: OTHER },
    { token: DAI, to: OTHER, amount: 6n, from: FRIEND },
    permit2Transfer,
  ),
  sample(
    'Permit2 transferFrom, several',
    { ...transfer, from: OTHER },
    { token: DAI, to: OTHER, amount: 6n, from: FRIEND },
    (f) => permit2Transfers({ transfers: [{ from: WALLET, to: FRIEND, token: WETH, amount: 9n }, f] }),
  ),
  sample(
    'Permit2 permit',
    permitFields,
    permitChanges,
    (f) => permit2Permit({ owner: WALLET, permit: single(f), signature: f.signature }),
    permitInert,
  ),
  sample(
    'Permit2 permit, several',
    permitFields,
    permitChanges,
    (f) => permit2Permits({ owner: WALLET, permit: several(f), signature: f.signature }),
    permitInert,
  ),
  sample('Permit2 lockdown', { token: USDC, spender: FRIEND }, { token: DAI, spender: OTHER }, (f) =>
    permit2Lockdown({ pairs: [{ token: WETH, spender: OTHER }, f] }),
  ),
]

// SwapRouter02

const LIMIT = 0x0123456789abcdef0123456789abcdef01234567n
const NO_LIMIT_BITS = (1n << 160n) - 1n - LIMIT
const pool = { tokenIn: USDC, tokenOut: WETH, fee: 500, recipient: FRIEND, limit: 0n }
const poolChanges = { tokenIn: DAI, tokenOut: DAI, recipient: SENDER, limit: LIMIT }
const inverted: Inert = { fee: ['fee', 0xffffff - 500] }
const anyLimit: Inert = { limit: ['limit', (1n << 160n) - 1n] }
const exactIn = { amountIn: SOLD, min: ETHER }
const exactOut = { amountOut: ETHER, max: SOLD }
const route = { tokens: [USDC, DAI, WETH], fees: [500, 3000] }
const routeChanges = { tokens: [USDC, WETH, DAI] }
const routeInert = { fees: ['fee', [0xffffff - 500, 0xffffff - 3000]] } as const
const path = { path: [USDC, DAI, WETH] }
const signature = { v: 27, r: WORD, s: WORD }
const signatureInert = {
  v: ['signature', 0xff - 27],
  r: ['signature', flipped(WORD)],
  s: ['signature', flipped(WORD)],
} as const
/** Brings WETH to the router; its minimum is below the one that a later call of the sample demands. */
type Before = Readonly<{ before: bigint }>
const toRouter = ({ before }: Before) => srV2In({ path: [USDC, WETH], recipient: ROUTER, amountIn: SOLD, min: before })
const few: Before = { before: 0n }
const fewInert: Inert = { before: ['weaker', 1n] }
const manyInert: Inert = { before: ['weaker', 0x0cff_ffff_ffff_ffffn] }
const batch = (...calls: readonly Hex[]) => swapRouter02(srMulticall({ calls }))
const one = swapRouter02

const swapRouter: readonly Sample[] = [
  sample(
    'exactInputSingle',
    { ...pool, ...exactIn },
    { tokenIn: DAI, tokenOut: DAI, recipient: SENDER, amountIn: 0n, min: 1n },
    (f) => one(srExactInputSingle(f)),
    { ...inverted, ...anyLimit },
  ),
  sample(
    'exactInputSingle of native value, with a limit',
    { ...pool, ...exactIn, tokenIn: WETH, tokenOut: USDC, limit: LIMIT },
    { tokenIn: DAI, tokenOut: DAI, recipient: SENDER, amountIn: 1n, min: 1n, limit: 0n },
    (f) => swapRouter02(srExactInputSingle(f), SOLD),
    { ...inverted, limit: ['limit', NO_LIMIT_BITS] },
  ),
  sample(
    'exactOutputSingle',
    { ...pool, ...exactOut },
    { ...poolChanges, amountOut: 1n, max: 1n },
    (f) => one(srExactOutputSingle(f)),
    inverted,
  ),
  sample(
    'exactInput',
    { ...route, ...exactIn, recipient: FRIEND },
    { ...routeChanges, recipient: SENDER, amountIn: 1n, min: 1n },
    (f) => one(srExactInput(f)),
    routeInert,
  ),
  sample(
    'exactOutput',
    { ...route, ...exactOut, recipient: FRIEND },
    { ...routeChanges, recipient: SENDER, amountOut: 1n, max: 1n },
    (f) => one(srExactOutput(f)),
    routeInert,
  ),
  sample(
    'swapExactTokensForTokens',
    { ...path, ...exactIn, recipient: FRIEND },
    { path: [USDC, WETH], recipient: SENDER, amountIn: 1n, min: 1n },
    (f) => one(srV2In(f)),
  ),
  sample(
    'swapTokensForExactTokens',
    { ...path, ...exactOut, recipient: FRIEND },
    { path: [USDC, WETH], recipient: SENDER, amountOut: 1n, max: 1n },
    (f) => one(srV2Out(f)),
  ),
  sample(
    'multicall with a deadline',
    { deadline: 1_900_000_000n, calls: [srPull({ token: DAI, amount: 5n }), srRefundETH()] },
    { deadline: 1_900_000_001n, calls: [srPull({ token: DAI, amount: 6n })] },
    (f) => swapRouter02(srMulticallDeadline(f)),
  ),
  sample(
    'multicall after a block',
    { blockhash: WORD, calls: [srPull({ token: DAI, amount: 5n })] },
    { calls: [srPull({ token: DAI, amount: 6n })] },
    (f) => swapRouter02(srMulticallBlockhash(f)),
    { blockhash: ['blockhash', flipped(WORD)] },
  ),
  sample('multicall in a multicall', { amount: 5n }, { amount: 6n }, (f) =>
    batch(srMulticall({ calls: [srPull({ token: DAI, ...f })] })),
  ),
  sample(
    'unwrapWETH9 to somebody',
    { ...few, min: 5n, recipient: FRIEND },
    { min: 6n, recipient: OTHER },
    (f) => batch(toRouter(f), srUnwrapTo(f)),
    fewInert,
  ),
  sample('unwrapWETH9', { ...few, min: 5n }, { min: 6n }, (f) => batch(toRouter(f), srUnwrap(f)), fewInert),
  sample(
    'sweepToken to somebody',
    { ...few, token: WETH, min: 5n, recipient: FRIEND },
    { token: DAI, min: 6n, recipient: OTHER },
    (f) => batch(toRouter(f), srSweepTo(f)),
    fewInert,
  ),
  sample(
    'sweepToken',
    { ...few, token: WETH, min: 5n },
    { token: DAI, min: 6n },
    (f) => batch(toRouter(f), srSweep(f)),
    fewInert,
  ),
  sample(
    'sweepTokenWithFee to somebody',
    { ...few, token: WETH, min: ETHER, recipient: FRIEND, bips: 10n, feeTo: OTHER },
    { token: DAI, min: 1n, recipient: OTHER, bips: 11n, feeTo: FRIEND },
    (f) => batch(toRouter(f), srSweepFeeTo(f)),
    manyInert,
  ),
  sample(
    'sweepTokenWithFee',
    { ...few, token: WETH, min: ETHER, bips: 10n, feeTo: OTHER },
    { token: DAI, min: 1n, bips: 11n, feeTo: FRIEND },
    (f) => batch(toRouter(f), srSweepFee(f)),
    manyInert,
  ),
  sample('refundETH', { back: true }, { back: false }, ({ back }) => {
    const calls = [srPull({ token: DAI, amount: 5n }), ...(back ? [srRefundETH()] : [])]
    return swapRouter02(srMulticall({ calls }), 10n)
  }),
  // Whatever value comes along, what is not wrapped goes back.
  sample('wrapETH', { amount: 5n }, { amount: 6n }, (f) =>
    swapRouter02(srMulticall({ calls: [srWrapETH(f), srRefundETH()] }), 10n),
  ),
  sample('pull', { token: USDC, amount: 5n }, { token: DAI, amount: 6n }, (f) => one(srPull(f))),
  ...[['selfPermit', srSelfPermit] as const, ['selfPermitIfNecessary', srSelfPermitIfNecessary] as const].map(
    ([name, encode]) =>
      sample(
        name,
        { ...signature, token: USDC, amount: 5n, deadline: 1_900_000_000n },
        { token: DAI, amount: 6n, deadline: 1_900_000_001n },
        (f) => one(encode(f)),
        signatureInert,
      ),
  ),
  ...[
    ['selfPermitAllowed', srSelfPermitAllowed] as const,
    ['selfPermitAllowedIfNecessary', srSelfPermitAllowedIfNecessary] as const,
  ].map(([name, encode]) =>
    sample(
      name,
      { ...signature, token: DAI, nonce: 5n, expiry: 1_900_000_000n },
      { token: USDC, expiry: 1_900_000_001n },
      (f) => one(encode(f)),
      { ...signatureInert, nonce: ['nonce', (1n << 256n) - 6n] },
    ),
  ),
]

// Universal Router

function universal(version: Version): readonly Sample[] {
  const plan = (...commands: readonly Command[]) => universalRouter({ version, commands, deadline: 1_900_000_000n })
  // Its permit ends by itself.
  const undated = (command: Command) => universalRouter({ version, commands: [command], deadline: null })
  const prices = version === '2.1' ? [7n, 8n] : []
  const swap = { version, walletPays: true, recipient: FRIEND, prices }
  const swapChanges = { walletPays: false, recipient: SENDER }
  const pricesInert: Inert = version === '2.1' ? { prices: ['price', prices.map((p) => (1n << 256n) - 1n - p)] } : {}
  const brings = (min: bigint) =>
    urV2In({ ...swap, recipient: ROUTER, path: [USDC, WETH], prices: [], amountIn: SOLD, min })
  const held = brings(ETHER)
  return [
    sample(
      'execute with a deadline',
      { version, commands: [urCollect({ token: USDC, to: FRIEND, amount: 5n })], deadline: 1_900_000_000n, value: 5n },
      { commands: [], deadline: 1_900_000_001n, value: 6n },
      universalRouter,
    ),
    sample(
      'execute without an end',
      { version, commands: [urCollect({ token: USDC, to: FRIEND, amount: 5n })], deadline: maxUint256 },
      { deadline: 1_900_000_000n },
      universalRouter,
      { deadline: ['late', 0xffn << 248n, (1n << 248n) - 1n] },
    ),
    sample(
      'V3_SWAP_EXACT_IN',
      { ...swap, ...route, ...exactIn },
      { ...swapChanges, ...routeChanges, amountIn: 1n, min: 1n },
      (f) => plan(urV3In(f)),
      { ...routeInert, ...pricesInert },
    ),
    sample(
      'V3_SWAP_EXACT_OUT',
      { ...swap, ...route, ...exactOut },
      { ...swapChanges, ...routeChanges, amountOut: 1n, max: 1n },
      (f) => plan(urV3Out(f)),
      { ...routeInert, ...pricesInert },
    ),
    sample(
      'V2_SWAP_EXACT_IN',
      { ...swap, ...path, ...exactIn },
      { ...swapChanges, path: [USDC, WETH], amountIn: 1n, min: 1n },
      (f) => plan(urV2In(f)),
      pricesInert,
    ),
    sample(
      'V2_SWAP_EXACT_OUT',
      { ...swap, ...path, ...exactOut },
      { ...swapChanges, path: [USDC, WETH], amountOut: 1n, max: 1n },
      (f) => plan(urV2Out(f)),
      pricesInert,
    ),
    sample('PERMIT2_TRANSFER_FROM', transfer, { token: DAI, to: OTHER, amount: 6n }, (f) => plan(urCollect(f))),
    sample(
      'PERMIT2_TRANSFER_FROM_BATCH',
      { ...transfer, from: WALLET },
      { token: DAI, to: OTHER, amount: 6n, from: OTHER },
      (f) => plan(urCollects({ transfers: [{ from: WALLET, to: OTHER, token: WETH, amount: 9n }, f] })),
    ),
    sample(
      'PERMIT2_PERMIT',
      permitFields,
      permitChanges,
      (f) => undated(urPermit({ permit: single(f), signature: f.signature })),
      permitInert,
    ),
    sample(
      'PERMIT2_PERMIT_BATCH',
      permitFields,
      permitChanges,
      (f) => undated(urPermits({ permit: several(f), signature: f.signature })),
      permitInert,
    ),
    sample(
      'SWEEP',
      { ...few, token: WETH, to: FRIEND, min: 5n },
      { token: DAI, to: OTHER, min: 6n },
      (f) => plan(brings(f.before), urSweep(f)),
      fewInert,
    ),
    sample('TRANSFER', { token: WETH, to: FRIEND, amount: 5n }, { token: DAI, to: OTHER, amount: 6n }, (f) =>
      plan(held, urTransfer(f)),
    ),
    sample(
      'TRANSFER of all',
      { token: WETH, to: FRIEND, amount: WHOLE_BALANCE },
      { token: DAI, to: OTHER, amount: 6n },
      (f) => plan(held, urTransfer(f)),
    ),
    sample('PAY_PORTION', { token: WETH, to: FRIEND, bips: 10n }, { token: DAI, to: OTHER, bips: 11n }, (f) =>
      plan(held, urPortion(f)),
    ),
    sample('WRAP_ETH', { to: FRIEND, amount: 5n }, { to: OTHER, amount: 6n }, (f) =>
      universalRouter({ version, value: 10n, commands: [urWrap(f)], deadline: null }),
    ),
    sample(
      'UNWRAP_WETH',
      { ...few, to: FRIEND, min: 5n },
      { to: OTHER, min: 6n },
      (f) => plan(brings(f.before), urUnwrap(f)),
      fewInert,
    ),
    sample(
      'BALANCE_CHECK_ERC20',
      { owner: FRIEND, token: WETH, min: 5n },
      { owner: OTHER, token: DAI },
      (f) => plan(urCollect({ token: USDC, to: FRIEND, amount: 5n }), urBalanceCheck(f)),
      { min: ['check', (1n << 256n) - 6n] },
    ),
  ].map((s) => ({ ...s, name: `Universal Router ${version} ${s.name}` }))
}

/** A sample of everything. */
export const SAMPLES: readonly Sample[] = [
  ...token,
  ...permit2,
  ...swapRouter,
  ...universal('2.0'),
  ...universal('2.1'),
  ...books('2.0'),
  ...books('2.1'),
  ...OLDER_ROUTERS,
]
