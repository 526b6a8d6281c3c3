import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  maxUint128,
  maxUint160,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseEther,
  parseUnits,
  zeroAddress,
} from 'viem'
import { addresses } from './addresses.ts'
import { type Amount, fullRange, fullRangeLiquidity, sortAmounts, sqrtPriceX96 } from './pool-math.ts'
import type { Sender } from './sender.ts'

const { tokens, uniswap, liquidityProvider } = addresses
const noDeadline = maxUint256

const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function mint(address to, uint256 amount)',
  'function deposit() payable',
])
const permit2Abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])
const v2RouterAbi = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 amountA, uint256 amountB, uint256 minA, uint256 minB, address to, uint256 deadline)',
])
const v3FactoryAbi = parseAbi(['function enableFeeAmount(uint24 fee, int24 tickSpacing)'])
const v3PositionManagerAbi = parseAbi([
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable',
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(MintParams params) payable',
])
const poolKey = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const v4PoolManagerAbi = parseAbi([poolKey, 'function initialize(PoolKey key, uint160 sqrtPriceX96)'])
const v4PositionManagerAbi = parseAbi(['function modifyLiquidities(bytes unlockData, uint256 deadline) payable'])
const v4MintParameters = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address owner, bytes hookData',
  poolKey,
])
/** Actions of v4's position manager: MINT_POSITION, SETTLE_PAIR, SWEEP. */
const v4MintActions = '0x020d14'

// Every pool is built at 3,000 USD for one ETH, the price that the feeds answer at first.
const eth = (amount: string): Amount => ({ token: zeroAddress, amount: parseEther(amount) })
const weth = (amount: string): Amount => ({ token: tokens.WETH, amount: parseEther(amount) })
const usdc = (amount: string): Amount => ({ token: tokens.USDC, amount: parseUnits(amount, 6) })
const dai = (amount: string): Amount => ({ token: tokens.DAI, amount: parseEther(amount) })

/** Mints what the pools need and opens them: v2, v3 and v4, deep enough that a few ETH barely move the price. */
export async function addLiquidity(sender: Sender): Promise<void> {
  await provisionProvider(sender)
  await addV2(sender, usdc('6000000'), weth('2000'))
  await addV2(sender, dai('3000000'), weth('1000'))
  await addV3(sender, usdc('60000000'), weth('20000'), 500, 10)
  await addV3(sender, usdc('30000000'), weth('10000'), 3000, 60)
  await addV3(sender, dai('15000000'), weth('5000'), 3000, 60)
  // Mainnet's factory got this tier by a vote after its deployment.
  const enable = { abi: v3FactoryAbi, functionName: 'enableFeeAmount', args: [100, 1] } as const
  await sender.send(uniswap.v3Factory, encodeFunctionData(enable))
  await addV3(sender, dai('50000000'), usdc('50000000'), 100, 1)
  await addV4(sender, eth('10000'), usdc('30000000'), 500, 10)
  await addV4(sender, usdc('15000000'), weth('5000'), 3000, 60)
}

async function provisionProvider({ send }: Sender): Promise<void> {
  const mint = (token: Amount) => {
    const args = [liquidityProvider, token.amount] as const
    return send(token.token, encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args }))
  }
  await mint(usdc('1000000000'))
  await mint(dai('1000000000'))
  const reserve = parseEther('1000000')
  await send(tokens.WETH, encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }), reserve)
  for (const token of Object.values(tokens)) {
    for (const spender of [uniswap.v2Router02, uniswap.v3PositionManager, uniswap.permit2]) {
      const args = [spender, maxUint256] as const
      await send(token, encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args }))
    }
    const args = [token, uniswap.v4PositionManager, maxUint160, 2 ** 48 - 1] as const
    await send(uniswap.permit2, encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args }))
  }
}

/** Opens a pool of v2 where there is none, and adds to it. */
export async function addV2({ send }: Sender, a: Amount, b: Amount): Promise<void> {
  const args = [a.token, b.token, a.amount, b.amount, 0n, 0n, liquidityProvider, noDeadline] as const
  await send(uniswap.v2Router02, encodeFunctionData({ abi: v2RouterAbi, functionName: 'addLiquidity', args }))
}

/** Opens a pool of v3 over the full range, and adds to it. */
export async function addV3({ send }: Sender, a: Amount, b: Amount, fee: number, tickSpacing: number): Promise<void> {
  const [first, second] = sortAmounts(a, b)
  const price = sqrtPriceX96(first.amount, second.amount)
  const create = {
    abi: v3PositionManagerAbi,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [first.token, second.token, fee, price],
  } as const
  await send(uniswap.v3PositionManager, encodeFunctionData(create))
  const position = {
    token0: first.token,
    token1: second.token,
    fee,
    ...fullRange(tickSpacing),
    amount0Desired: first.amount,
    amount1Desired: second.amount,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: liquidityProvider,
    deadline: noDeadline,
  }
  const mint = { abi: v3PositionManagerAbi, functionName: 'mint', args: [position] } as const
  await send(uniswap.v3PositionManager, encodeFunctionData(mint))
}

/** Opens a pool of v4 without hooks over the full range. */
export async function addV4({ send }: Sender, a: Amount, b: Amount, fee: number, tickSpacing: number): Promise<void> {
  const [first, second] = sortAmounts(a, b)
  const key = { currency0: first.token, currency1: second.token, fee, tickSpacing, hooks: zeroAddress }
  const price = sqrtPriceX96(first.amount, second.amount)
  const initialize = { abi: v4PoolManagerAbi, functionName: 'initialize', args: [key, price] } as const
  await send(uniswap.v4PoolManager, encodeFunctionData(initialize))

  const { tickLower, tickUpper } = fullRange(tickSpacing)
  const liquidity = fullRangeLiquidity(first.amount, second.amount)
  const mint = encodeAbiParameters(v4MintParameters, [
    key,
    tickLower,
    tickUpper,
    liquidity,
    maxUint128,
    maxUint128,
    liquidityProvider,
    '0x',
  ])
  const settle = encodePair(first.token, second.token)
  const sweep = encodePair(first.token, liquidityProvider)
  const actions = parseAbiParameters('bytes, bytes[]')
  const unlockData = encodeAbiParameters(actions, [v4MintActions, [mint, settle, sweep]])
  const modify = {
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [unlockData, noDeadline],
  } as const
  await send(uniswap.v4PositionManager, encodeFunctionData(modify), first.token === zeroAddress ? first.amount : 0n)
}

function encodePair(a: Address, b: Address) {
  return encodeAbiParameters(parseAbiParameters('address, address'), [a, b])
}
