import { keccak256, zeroAddress } from 'viem'
import { addresses } from './addresses.ts'
import { readArtifact, readPermit2Code } from './artifacts.ts'
import { placeContract, type Sender } from './sender.ts'

const { tokens, uniswap } = addresses

export async function placeTokens(sender: Sender): Promise<void> {
  await placeContract(sender, tokens.WETH, readArtifact('canonical-weth/build/contracts/WETH9.json'))
  // Solmate's ERC-20 with EIP-2612 permit, and a mint that is open to everyone.
  const token = readArtifact('@uniswap/v4-periphery/foundry-out/MockERC20.sol/MockERC20.json')
  await placeContract(sender, tokens.USDC, token, ['USD Coin', 'USDC', 6])
  await placeContract(sender, tokens.DAI, token, ['Dai Stablecoin', 'DAI', 18])
}

export async function placeUniswapV2(sender: Sender): Promise<void> {
  const factory = readArtifact('@uniswap/v2-core/build/UniswapV2Factory.json')
  await placeContract(sender, uniswap.v2Factory, factory, [addresses.liquidityProvider])
  const router = readArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json')
  await placeContract(sender, uniswap.v2Router02, router, [uniswap.v2Factory, tokens.WETH])
}

export async function placeUniswapV3(sender: Sender): Promise<void> {
  const { v2Factory, v3Factory, v3PositionManager } = uniswap
  const periphery = '@uniswap/v3-periphery/artifacts/contracts'
  const factory = readArtifact('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json')
  await placeContract(sender, v3Factory, factory)
  const router = readArtifact(`${periphery}/SwapRouter.sol/SwapRouter.json`)
  await placeContract(sender, uniswap.v3SwapRouter, router, [v3Factory, tokens.WETH])
  const manager = readArtifact(`${periphery}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`)
  await placeContract(sender, v3PositionManager, manager, [v3Factory, tokens.WETH, zeroAddress])
  const quoter = readArtifact(`${periphery}/lens/QuoterV2.sol/QuoterV2.json`)
  await placeContract(sender, uniswap.quoterV2, quoter, [v3Factory, tokens.WETH])
  const router02 = readArtifact('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json')
  await placeContract(sender, uniswap.swapRouter02, router02, [v2Factory, v3Factory, v3PositionManager, tokens.WETH])
}

export async function placePermit2({ rpc }: Sender): Promise<void> {
  await rpc('anvil_setCode', [uniswap.permit2, readPermit2Code()])
}

export async function placeUniswapV4(sender: Sender): Promise<void> {
  const { permit2, v4PoolManager } = uniswap
  const periphery = '@uniswap/v4-periphery/foundry-out'
  const poolManager = readArtifact('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json')
  await placeContract(sender, v4PoolManager, poolManager, [addresses.liquidityProvider])
  const positionManager = readArtifact(`${periphery}/PositionManager.sol/PositionManager.json`)
  // The gas limit for unsubscribing is mainnet's; the descriptor only draws the position's picture.
  const settings = [v4PoolManager, permit2, 300_000n, zeroAddress, tokens.WETH]
  await placeContract(sender, uniswap.v4PositionManager, positionManager, settings)
  await placeContract(sender, uniswap.v4Quoter, readArtifact(`${periphery}/V4Quoter.sol/V4Quoter.json`), [
    v4PoolManager,
  ])
  const stateView = readArtifact(`${periphery}/StateView.sol/StateView.json`)
  await placeContract(sender, uniswap.v4StateView, stateView, [v4PoolManager])
}

/**
 * Two versions side by side, as on mainnet: they share selectors and differ in commands and their inputs.
 *
 * The newest release on npm, 2.1.0, stands at the address of 2.1.1. It has 2.1's command mask (0x7f), executeSigned and
 * the Across command, but limits the price of a hop in v4's multi-hop swaps only, as a greatest price times 1e18; 2.1.1
 * takes `minHopPriceX36` in every swap. On v2 and v3 this release ignores that field, which comes last. For v4 write
 * no limits: an empty list, and zero in a single swap.
 */
export async function placeUniversalRouters(sender: Sender): Promise<void> {
  const pair = readArtifact('@uniswap/v2-core/build/UniswapV2Pair.json')
  const pool = readArtifact('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json')
  const settings = {
    permit2: uniswap.permit2,
    weth9: tokens.WETH,
    v2Factory: uniswap.v2Factory,
    v3Factory: uniswap.v3Factory,
    pairInitCodeHash: keccak256(pair.bytecode),
    poolInitCodeHash: keccak256(pool.bytecode),
    v4PoolManager: uniswap.v4PoolManager,
    v3NFTPositionManager: uniswap.v3PositionManager,
    v4PositionManager: uniswap.v4PositionManager,
  }
  const artifact = 'artifacts/contracts/UniversalRouter.sol/UniversalRouter.json'
  await placeContract(sender, uniswap.universalRouter20, readArtifact(`universal-router-2.0/${artifact}`), [settings])
  // 2.1 can bridge through Across, which is not on this chain: such a command reverts.
  const settings21 = { ...settings, spokePool: zeroAddress }
  await placeContract(sender, uniswap.universalRouter21, readArtifact(`@uniswap/universal-router/${artifact}`), [
    settings21,
  ])
}
