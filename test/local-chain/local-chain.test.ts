import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Address,
  encodeFunctionData,
  type Hex,
  maxUint160,
  maxUint256,
  numberToHex,
  parseAbi,
  parseEther,
  parseUnits,
  toFunctionSelector,
} from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import {
  execute,
  permit2Permit,
  v2Swap,
  v3Path,
  v3SwapExactIn20,
  v3SwapExactIn21,
  v4MultiHopNativeIn21,
  v4SwapNativeIn20,
} from './swap-calldata.ts'
import { createWallet, tokenAbi, type Wallet } from './wallet.ts'

const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] prices, uint32[] ticks, uint256 gas)',
])
const permit2Abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])
const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80, int256 answer, uint256 startedAt, uint256 updatedAt, uint80)',
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
])
const oracleAbi = parseAbi(['function isSanctioned(address account) view returns (bool)'])
const noExpiration = 2 ** 48 - 1

const tooLittlePerHop = toFunctionSelector('V4TooLittleReceivedPerHop(uint256,uint256,uint256)').slice(2)

let chain: LocalChain
let wallet: Wallet

before(async () => {
  const started = performance.now()
  chain = await startLocalChain({ onProgress: (step) => console.log(`  ${step}`) })
  console.log(`  ready after ${Math.round(performance.now() - started)} ms`)
  wallet = createWallet(chain)
  const tokens = { WETH: parseEther('10'), USDC: parseUnits('50000', 6), DAI: parseEther('50000') }
  await chain.fund(wallet.address, { native: parseEther('10'), tokens })
})
after(() => chain?.stop())

const approve = (token: Address, spender: Address) =>
  wallet.send(token, encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, maxUint256] }))

const approvePermit2 = async (token: Address, spender: Address) => {
  const { permit2 } = chain.addresses.uniswap
  await approve(token, permit2)
  const args = [token, spender, maxUint160, noExpiration] as const
  await wallet.send(permit2, encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args }))
}

const quote = async (path: Hex, amountIn: bigint) => {
  const call = { abi: quoterAbi, functionName: 'quoteExactInput', args: [path, amountIn] } as const
  const { result } = await wallet.reader.simulateContract({ address: chain.addresses.uniswap.quoterV2, ...call })
  return result[0]
}

const feed = async (pair: keyof LocalChain['addresses']['feeds']) => {
  const at = { address: chain.addresses.feeds[pair], abi: feedAbi } as const
  const [, answer, , updatedAt] = await wallet.reader.readContract({ ...at, functionName: 'latestRoundData' })
  const decimals = await wallet.reader.readContract({ ...at, functionName: 'decimals' })
  const description = await wallet.reader.readContract({ ...at, functionName: 'description' })
  return { answer, updatedAt, decimals, description }
}

/** One ETH is worth 3,000 USD here; fees and depth take less than one percent. */
const assertNear = (actual: bigint, expected: bigint) =>
  assert.ok(actual > (expected * 99n) / 100n && actual < expected, `${actual} is not just below ${expected}`)

test('has mainnet’s pools and tokens, and is at the present', async () => {
  for (const [name, address] of Object.entries(chain.addresses.pools)) {
    assert.notEqual(await wallet.reader.getCode({ address }), undefined, name)
  }
  assert.equal(await wallet.reader.getChainId(), 1)
  for (const [symbol, address] of Object.entries(chain.addresses.tokens)) {
    assert.equal(await wallet.reader.readContract({ address, abi: tokenAbi, functionName: 'symbol' }), symbol)
    const decimals = await wallet.reader.readContract({ address, abi: tokenAbi, functionName: 'decimals' })
    assert.equal(decimals, symbol === 'USDC' ? 6 : 18)
  }
  const { timestamp } = await wallet.reader.getBlock()
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60)
})

test('swaps on v2 over two pools', async () => {
  const { tokens, uniswap } = chain.addresses
  await approve(tokens.DAI, uniswap.v2Router02)
  const before = await wallet.balanceOf(tokens.USDC)
  const path = [tokens.DAI, tokens.WETH, tokens.USDC]
  const receipt = await wallet.send(uniswap.v2Router02, v2Swap(parseEther('3000'), path, wallet.address))
  assert.equal(receipt.status, 'success')
  assertNear((await wallet.balanceOf(tokens.USDC)) - before, parseUnits('3000', 6))
})

test('quotes v3 in every pool', async () => {
  const { DAI, USDC, WETH } = chain.addresses.tokens
  assertNear(await quote(v3Path(WETH, [500, USDC]), parseEther('1')), parseUnits('3000', 6))
  assertNear(await quote(v3Path(WETH, [3000, USDC]), parseEther('1')), parseUnits('3000', 6))
  assertNear(await quote(v3Path(WETH, [3000, DAI], [100, USDC]), parseEther('1')), parseUnits('3000', 6))
})

test('swaps on v3 through Universal Router 2.0 with Permit2', async () => {
  const { tokens, uniswap } = chain.addresses
  await approvePermit2(tokens.USDC, uniswap.universalRouter20)
  const amountIn = parseUnits('3000', 6)
  const path = v3Path(tokens.USDC, [500, tokens.WETH])
  const quoted = await quote(path, amountIn)
  const before = await wallet.balanceOf(tokens.WETH)
  const receipt = await wallet.send(uniswap.universalRouter20, execute(v3SwapExactIn20(amountIn, quoted, path)))
  assert.equal(receipt.status, 'success')
  assert.equal((await wallet.balanceOf(tokens.WETH)) - before, quoted)
})

test('swaps on v4 through Universal Router 2.0', async () => {
  const { tokens, uniswap } = chain.addresses
  const before = await wallet.balanceOf(tokens.USDC)
  const amountIn = parseEther('1')
  const receipt = await wallet.send(
    uniswap.universalRouter20,
    execute(v4SwapNativeIn20(amountIn, tokens.USDC)),
    amountIn,
  )
  assert.equal(receipt.status, 'success')
  assertNear((await wallet.balanceOf(tokens.USDC)) - before, parseUnits('3000', 6))
})

test('swaps on v3 through Universal Router 2.1 with a signed permit', async () => {
  const { tokens, uniswap } = chain.addresses
  await approve(tokens.DAI, uniswap.permit2)
  const details = { token: tokens.DAI, amount: maxUint160, expiration: noExpiration, nonce: 0 }
  const permit = { details, spender: uniswap.universalRouter21, sigDeadline: maxUint256 }
  const signature = await wallet.account.signTypedData({
    domain: { name: 'Permit2', chainId: chain.chainId, verifyingContract: uniswap.permit2 },
    types: {
      PermitSingle: [
        { name: 'details', type: 'PermitDetails' },
        { name: 'spender', type: 'address' },
        { name: 'sigDeadline', type: 'uint256' },
      ],
      PermitDetails: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint160' },
        { name: 'expiration', type: 'uint48' },
        { name: 'nonce', type: 'uint48' },
      ],
    },
    primaryType: 'PermitSingle',
    message: permit,
  })
  const amountIn = parseEther('3000')
  const path = v3Path(tokens.DAI, [100, tokens.USDC], [500, tokens.WETH])
  const before = await wallet.balanceOf(tokens.WETH)
  const quoted = await quote(path, amountIn)
  const data = execute(permit2Permit(permit, signature), v3SwapExactIn21(amountIn, quoted, path))
  const receipt = await wallet.send(uniswap.universalRouter21, data)
  assert.equal(receipt.status, 'success')
  assert.equal((await wallet.balanceOf(tokens.WETH)) - before, quoted)
})

test('swaps on v4 through Universal Router 2.1, which limits the price of each hop', async () => {
  const { tokens, uniswap } = chain.addresses
  const amountIn = parseEther('1')
  const swap = (maxHopPrices: readonly bigint[]) =>
    execute(v4MultiHopNativeIn21(amountIn, tokens.USDC, tokens.WETH, maxHopPrices))
  const { universalRouter21: to } = uniswap
  const call = { from: wallet.address, to, value: numberToHex(amountIn), data: swap([1n, 1n]) }
  const isTooLittle = ({ cause }: Error) => JSON.stringify(cause).includes(tooLittlePerHop)
  await assert.rejects(chain.request('eth_call', [call, 'latest']), isTooLittle)
  const before = await wallet.balanceOf(tokens.WETH)
  const receipt = await wallet.send(to, swap([]), amountIn)
  assert.equal(receipt.status, 'success')
  assertNear((await wallet.balanceOf(tokens.WETH)) - before, amountIn)
})

test('reads command 0x40 as a v3 swap on Universal Router 2.0, and not on 2.1', async () => {
  const { tokens, uniswap } = chain.addresses
  await approvePermit2(tokens.USDC, uniswap.universalRouter20)
  await approvePermit2(tokens.USDC, uniswap.universalRouter21)
  const { input } = v3SwapExactIn20(parseUnits('3', 6), 1n, v3Path(tokens.USDC, [500, tokens.WETH]))
  const call = { account: wallet.account, data: execute({ byte: '0x40', input }) }
  await wallet.reader.call({ ...call, to: uniswap.universalRouter20 })
  await assert.rejects(wallet.reader.call({ ...call, to: uniswap.universalRouter21 }), /reverted/)
})

test('answers as the price feeds, at the price and time that are set', async () => {
  const id = await chain.snapshot()
  const { timestamp } = await wallet.reader.getBlock()
  const fresh = { answer: 3_000_00000000n, updatedAt: timestamp, decimals: 8, description: 'ETH / USD' }
  assert.deepEqual(await feed('ETH/USD'), fresh)
  assert.equal((await feed('USDC/USD')).description, 'USDC / USD')
  await chain.setPrice('DAI/USD', -1n, 1_700_000_000)
  const stale = { answer: -1n, updatedAt: 1_700_000_000n, decimals: 8, description: 'DAI / USD' }
  assert.deepEqual(await feed('DAI/USD'), stale)
  await chain.revert(id)
  assert.equal((await feed('DAI/USD')).answer, 1_00000000n)
})

test('answers as the sanctions oracle', async () => {
  const isSanctioned = (account: Address) =>
    wallet.reader.readContract({
      address: chain.addresses.sanctionsOracle,
      abi: oracleAbi,
      functionName: 'isSanctioned',
      args: [account],
    })
  assert.equal(await isSanctioned(wallet.address), false)
  await chain.sanction(wallet.address)
  assert.equal(await isSanctioned(wallet.address), true)
  assert.equal(await isSanctioned(chain.addresses.liquidityProvider), false)
  await chain.sanction(wallet.address, false)
  assert.equal(await isSanctioned(wallet.address), false)
})

test('moves the clock on, and returns to the present with the snapshot', async () => {
  const id = await chain.snapshot()
  const funded = await wallet.balanceOf(chain.addresses.tokens.DAI)
  await chain.increaseTime(86_400)
  await chain.fund(wallet.address, { tokens: { DAI: 5n } })
  assert.equal(await wallet.balanceOf(chain.addresses.tokens.DAI), funded + 5n)
  assert.ok(Number((await wallet.reader.getBlock()).timestamp) > Date.now() / 1000 + 86_000)
  await chain.revert(id)
  assert.equal(await wallet.balanceOf(chain.addresses.tokens.DAI), funded)
  assert.ok(Math.abs(Number((await wallet.reader.getBlock()).timestamp) - Date.now() / 1000) < 60)
})

test('starts again from the cached state, beside the first and without its changes', async () => {
  const steps: string[] = []
  const started = performance.now()
  await using second = await startLocalChain({ onProgress: (step) => steps.push(step) })
  console.log(`  second start: ${Math.round(performance.now() - started)} ms`)
  assert.deepEqual(steps, ['anvil'])
  assert.notEqual(second.rpcUrl, chain.rpcUrl)
  const other = createWallet(second)
  const { timestamp } = await other.reader.getBlock()
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60)
  assert.equal(await other.balanceOf(chain.addresses.tokens.USDC), 0n)
  await second.fund(other.address, { tokens: { USDC: 7n, WETH: 1n } })
  assert.equal(await other.balanceOf(chain.addresses.tokens.USDC), 7n)
  assert.equal(await other.balanceOf(chain.addresses.tokens.WETH), 1n)
})
