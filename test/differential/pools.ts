// Pools beside those of the local chain: hostile ones, and ones that run dry.
import assert from 'node:assert/strict'
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint128,
  maxUint160,
  maxUint256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { type Address, toAddress } from '../../src/lib/address.ts'
import { erc20Approve, permit2Approve, tokens, uniswap } from '../support/encode.ts'
import type { PoolKey } from '../support/encode-v4.ts'
import type { Scene } from './scene.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
/** A contract of a thief's, in the place of a token. */
export const HOSTILE = toAddress('0xE000000000000000000000000000000000000e11')

/** A token that passes on a thousandth of what it is told to, and says that all is well. Balances are kept by address. */
const KEEPER: Hex = `0x${[
  '60003560e01c', // selector
  '806370a0823114601f57', // balanceOf → 0x1f
  '8063a9059cbb14602c57', // transfer → 0x2c
  '60006000fd', // revert
  '5b6004355460005260206000f3', // sload(owner)
  '5b6103e860243504600435540160043555', // sstore(to, sload(to) + amount / 1000)
  '600160005260206000f3', // true
].join('')}`

const FACTORY = parseAbi([
  'function createPair(address a, address b)',
  'function getPair(address a, address b) view returns (address)',
])
const PAIR = parseAbi(['function sync()'])

/** Pools of v2 of USDC and WETH with the token that keeps what passes through it. */
export async function hostilePools({ chain, owner }: Scene): Promise<readonly Address[]> {
  const made: Address[] = []
  const pair = (token: Hex) =>
    owner.reader.readContract({
      address: uniswap.v2Factory,
      abi: FACTORY,
      functionName: 'getPair',
      args: [HOSTILE, token],
    })
  if (BigInt(await pair(WETH)) > 0n) return made
  await chain.request('anvil_setCode', [HOSTILE, KEEPER])
  const funds = { USDC: { USDC: 10_000_000_000n }, WETH: { WETH: 100n * ETHER } }
  for (const symbol of ['USDC', 'WETH'] as const) {
    const args = [HOSTILE, tokens[symbol]] as const
    await owner.send(uniswap.v2Factory, encodeFunctionData({ abi: FACTORY, functionName: 'createPair', args }))
    const address = await pair(tokens[symbol])
    made.push(toAddress(address))
    await chain.fund(address, { tokens: funds[symbol] })
    const slot = `0x${address.slice(2).padStart(64, '0')}`
    await chain.request('anvil_setStorageAt', [HOSTILE, slot, `0x${(10_000n * ETHER).toString(16).padStart(64, '0')}`])
    await owner.send(address, encodeFunctionData({ abi: PAIR }))
  }
  return made
}

const POOLS = parseAbi(['function getPool(address, address, uint24) view returns (address)'])
const POSITIONS = parseAbi([
  'function createAndInitializePoolIfNecessary(address, address, uint24, uint160) payable',
  'struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0; uint256 amount1; uint256 min0; uint256 min1; address recipient; uint256 deadline; }',
  'function mint(Mint) payable',
])

/** A pool of v3 of DAI and USDC with some thousand dollars in a narrow range, and nothing outside of it. */
export async function thinPool({ owner, wallet }: Scene): Promise<Address> {
  const manager = uniswap.v3PositionManager
  for (const token of [USDC, DAI])
    await owner.send(token, erc20Approve({ token, spender: manager, amount: maxUint256 }).data)
  const price = 79228162514264337593543n // sqrt(10^-12) * 2^96: a millionth of 2^96
  const create = {
    abi: POSITIONS,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [DAI, USDC, 500, price],
  } as const
  await owner.send(manager, encodeFunctionData(create))
  const position = {
    token0: DAI,
    token1: USDC,
    fee: 500,
    tickLower: -276_340,
    tickUpper: -276_310,
    amount0: 5_000n * ETHER,
    amount1: 5_000_000_000n,
    min0: 0n,
    min1: 0n,
    recipient: wallet,
    deadline: maxUint256,
  }
  const pool = { address: uniswap.v3Factory, abi: POOLS, functionName: 'getPool', args: [DAI, USDC, 500] } as const
  const address = toAddress(await owner.reader.readContract(pool))
  const minted = await owner.send(
    manager,
    encodeFunctionData({ abi: POSITIONS, functionName: 'mint', args: [position] }),
  )
  assert.equal(minted.status, 'success')
  return address
}

const KEY = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const MANAGER = parseAbi([KEY, 'function initialize(PoolKey key, uint160 sqrtPriceX96)'])
const V4_POSITIONS = parseAbi(['function modifyLiquidities(bytes unlockData, uint256 deadline) payable'])
const MINT_V4 = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address owner, bytes hookData',
  KEY,
])

/** A pool of version 4 of two tokens of the wallet's, with liquidity in a range of ticks. */
export async function bookPool(
  { owner, wallet }: Scene,
  key: PoolKey,
  at: Readonly<{ price: bigint; ticks: readonly [number, number]; liquidity: bigint }>,
): Promise<void> {
  const { price, ticks, liquidity } = at
  await owner.send(uniswap.v4PoolManager, encodeFunctionData({ abi: MANAGER, args: [key, price] }))
  const { v4PositionManager, permit2 } = uniswap
  for (const token of [key.currency0, key.currency1]) {
    await owner.send(token, erc20Approve({ token, spender: permit2, amount: maxUint256 }).data)
    const right = { token, spender: v4PositionManager, amount: maxUint160, expiration: 2 ** 48 - 1 }
    await owner.send(permit2, permit2Approve(right).data)
  }
  const mint = encodeAbiParameters(MINT_V4, [key, ...ticks, liquidity, maxUint128, maxUint128, wallet, '0x'])
  const settle = encodeAbiParameters(parseAbiParameters('address, address'), [key.currency0, key.currency1])
  const unlockData = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x020d', [mint, settle]])
  const data = encodeFunctionData({ abi: V4_POSITIONS, args: [unlockData, maxUint256] })
  assert.equal((await owner.send(v4PositionManager, data)).status, 'success')
}
