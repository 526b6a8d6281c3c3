// The reader and the swap tool against the venue's real contracts: what is proposed is executed, and balances are compared.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeFunctionData, parseAbi } from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { createChains } from '../../src/chain/index.ts'
import { createReader } from '../../src/harness/reader.ts'
import type { Reader, ToolContext } from '../../src/harness/tool.ts'
import { swap } from '../../src/harness/tools/swap.ts'
import { toAddress } from '../../src/lib/address.ts'
import { refuse } from '../../src/lib/result.ts'
import { contractOf } from '../../src/registry/index.ts'
import { createWallet, type Wallet } from '../local-chain/wallet.ts'
import { evmSteps } from '../support/evm-steps.ts'

const ETHER = 10n ** 18n

describe('swap on a chain', () => {
  let chain: LocalChain
  let wallet: Wallet
  let reader: Reader
  let context: ToolContext

  before(async () => {
    chain = await startLocalChain()
    wallet = createWallet(chain)
    await chain.fund(wallet.address, { native: 100n * ETHER, tokens: { USDC: 100_000_000_000n } })
    const client = createChains([{ id: 1, name: 'local', rpcUrl: chain.rpcUrl }]).of(1)
    assert.ok(client)
    reader = createReader({
      chain: client,
      wallet: toAddress(wallet.address),
      usdPrice: async () => undefined,
      verdict: async () => refuse('none'),
      history: async () => [],
      limits: async () => ({ policy: undefined, version: undefined, outflow: 0n }),
    })
    context = { chainId: 1, wallet: toAddress(wallet.address), reader, slippageBps: 50, now: () => new Date() }
  })
  after(() => chain.stop())

  /** Proposes and sends every step as it is; what the wallet's balances changed by, gas left out. */
  async function swapNow(args: object) {
    assert.equal(swap.kind, 'action')
    const proposal = await swap.propose(args, context)
    assert.ok(proposal.ok, proposal.ok ? '' : proposal.reason)
    const earlier = await held()
    let gas = 0n
    for (const { tx } of evmSteps(proposal.value)) {
      const receipt = await wallet.send(tx.to, tx.data, BigInt(tx.value))
      assert.equal(receipt.status, 'success')
      gas += receipt.gasUsed * receipt.effectiveGasPrice
    }
    const later = await held()
    const change = (symbol: string) => (later.get(symbol) ?? 0n) - (earlier.get(symbol) ?? 0n)
    return {
      steps: proposal.value.steps,
      ETH: change('ETH') + gas,
      USDC: change('USDC'),
      WETH: change('WETH'),
      DAI: change('DAI'),
    }
  }
  const held = async () => new Map((await reader.balances()).map(({ token, amount }) => [token.symbol, amount]))

  test('reads the balances that there are', async () => {
    const balances = await held()
    assert.deepEqual([...balances.keys()], ['ETH', 'USDC'])
    assert.equal(balances.get('USDC'), 100_000_000_000n)
  })

  for (const version of ['2.0', '2.1'])
    test(`exact USDC for WETH through router ${version}: two approvals and a swap that keep their word`, async () => {
      const via = contractOf(1, 'uniswap-universal-router', version)
      const result = await swapNow({ sell: 'USDC', buy: 'WETH', amount: '300', via })
      assert.equal(result.steps.length, 3)
      assert.equal(result.USDC, -300_000_000n)
      assert.ok(result.WETH > (ETHER * 98n) / 1000n && result.WETH < ETHER / 10n, String(result.WETH))
    })

  test('exact ETH for USDC, and USDC for an exact amount of ETH', async () => {
    const sold = await swapNow({ sell: 'ETH', buy: 'USDC', amount: '1' })
    assert.equal(sold.ETH, -ETHER)
    assert.ok(sold.USDC > 2_950_000_000n)
    const bought = await swapNow({ sell: 'USDC', buy: 'ETH', amount: '0.5', side: 'exact-out' })
    assert.equal(bought.ETH, ETHER / 2n)
    assert.ok(bought.USDC < -1_490_000_000n && bought.USDC > -1_520_000_000n, String(bought.USDC))
  })

  test('ETH for an exact amount of USDC gives back what it does not need', async () => {
    const bought = await swapNow({ sell: 'ETH', buy: 'USDC', amount: '3000', side: 'exact-out' })
    assert.equal(bought.USDC, 3_000_000_000n)
    assert.ok(bought.ETH <= (-ETHER * 99n) / 100n && bought.ETH > (-ETHER * 102n) / 100n, String(bought.ETH))
    assert.equal(bought.WETH, 0n)
  })

  test('an approval that already suffices is not proposed again', async () => {
    const permit2 = contractOf(1, 'permit2')
    const router = contractOf(1, 'uniswap-universal-router')
    const usdc = chain.addresses.tokens.USDC
    assert.ok(permit2 && router)
    const abi = parseAbi(['function approve(address,address,uint160,uint48)', 'function approve(address,uint256)'])
    await wallet.send(usdc, encodeFunctionData({ abi, functionName: 'approve', args: [permit2, 10n ** 18n] }))
    await wallet.send(
      permit2,
      encodeFunctionData({ abi, functionName: 'approve', args: [usdc, router, 10n ** 18n, 2 ** 40] }),
    )
    assert.equal(await reader.allowance(toAddress(usdc), permit2), 10n ** 18n)
    assert.deepEqual(await reader.permit2Allowance(toAddress(usdc), router), { amount: 10n ** 18n, expiresAt: 2 ** 40 })
    assert.equal((await swapNow({ sell: 'USDC', buy: 'DAI', amount: '10' })).steps.length, 1)
  })

  test('quotes the best pool, and says so where there is none', async () => {
    const [usdc, dai] = await Promise.all([reader.token('USDC'), reader.token('DAI')])
    assert.ok(usdc.ok && dai.ok)
    const quote = await reader.quote(usdc.value, dai.value, 1_000_000n, 'exact-in')
    assert.ok(quote.ok)
    assert.deepEqual([quote.value.pool, quote.value.fee], ['v3', 100])
    const other = {
      chainId: 1,
      address: toAddress('0x00000000000000000000000000000000000000aa'),
      symbol: 'X',
      decimals: 18,
      stable: false,
    }
    assert.match(JSON.stringify(await reader.quote(usdc.value, other, 1n, 'exact-in')), /No pool with liquidity/)
  })

  test('a token says who it is; a look-alike, a plain account and an unlisted symbol are refused', async () => {
    assert.ok((await reader.token('usdc')).ok)
    assert.ok((await reader.token(chain.addresses.tokens.WETH)).ok)
    assert.match(JSON.stringify(await reader.token('PEPE2')), /is listed on chain 1/)
    assert.match(JSON.stringify(await reader.token(wallet.address)), /does not say that it is a token/)
    // The listed USDC's code at another address: it says USDC of itself.
    const copy = '0x00000000000000000000000000000000000c0ffe'
    const code = await chain.request('eth_getCode', [chain.addresses.tokens.USDC, 'latest'])
    await chain.request('anvil_setCode', [copy, code])
    for (let slot = 0; slot < 12; slot++) {
      const key = `0x${slot.toString(16).padStart(64, '0')}`
      const value = await chain.request('eth_getStorageAt', [chain.addresses.tokens.USDC, key, 'latest'])
      await chain.request('anvil_setStorageAt', [copy, key, value])
    }
    assert.match(JSON.stringify(await reader.token(copy)), /look-alike/)
  })
})
