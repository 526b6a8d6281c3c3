import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { createChains } from '../../../src/chain/index.ts'
import type { Address } from '../../../src/lib/address.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import { gather } from '../../../src/policy/gather.ts'
import { questionAbout } from '../../../src/policy/source.ts'
import { positions } from '../../../src/policy/sources/positions.ts'
import { usdPrice } from '../../../src/policy/sources/usd-price.ts'
import { lendingPools, morphoOf, reservesOf, usdFeed, vaultsOf } from '../../../src/registry/index.ts'
import { WALLET } from '../../support/actions.ts'
import { AAVE_POOL, borrowLeg, lending, supplyLeg, withdrawLeg } from '../../support/lending.ts'
import * as c from './contracts.ts'

const abi = parseAbi([
  'function getUserAccountData(address)',
  'function balanceOf(address)',
  'function convertToAssets(uint256)',
  'function ADDRESSES_PROVIDER()',
  'function getPriceOracle()',
  'function getAssetPrice(address)',
  'function position(bytes32,address)',
  'function market(bytes32)',
  'function idToMarketParams(bytes32)',
])
const PROVIDER: Address = '0x8000000000000000000000000000000000000008'
const ORACLE: Address = '0x9000000000000000000000000000000000000009'
const MARKET_ID: Hex = `0x${'ab'.repeat(32)}`
const usdc = reserve('USDC')
const weth = reserve('WETH')
const VAULT = vaultsOf(1).find(({ asset }) => asset === c.USDC)
const MORPHO = morphoOf(1)
assert.ok(VAULT && MORPHO)
const vault = VAULT
const morpho = MORPHO
/** When the stand-in's blocks are from. */
const NOW = new Date(0x68000000 * 1000)
const SECONDS = Math.floor(NOW.getTime() / 1000)

let stand: c.ContractsStandIn

function reserve(symbol: string) {
  const found = reservesOf(1, AAVE_POOL).find((one) => one.symbol === symbol)
  assert.ok(found)
  return found
}

function says(to: Address, data: Hex, ...words: readonly bigint[]): void {
  stand.answer(to, data, `0x${words.map((word) => c.uint(word).slice(2)).join('')}`)
}

const of = {
  account: encodeFunctionData({ abi, functionName: 'getUserAccountData', args: [WALLET] }),
  balance: encodeFunctionData({ abi, functionName: 'balanceOf', args: [WALLET] }),
  rate: encodeFunctionData({ abi, functionName: 'convertToAssets', args: [10n ** 27n] }),
  provider: encodeFunctionData({ abi, functionName: 'ADDRESSES_PROVIDER' }),
  oracle: encodeFunctionData({ abi, functionName: 'getPriceOracle' }),
  price: (asset: Address) => encodeFunctionData({ abi, functionName: 'getAssetPrice', args: [asset] }),
  position: encodeFunctionData({ abi, functionName: 'position', args: [MARKET_ID, WALLET] }),
  market: encodeFunctionData({ abi, functionName: 'market', args: [MARKET_ID] }),
  params: encodeFunctionData({ abi, functionName: 'idToMarketParams', args: [MARKET_ID] }),
}

describe('the source of positions', () => {
  beforeEach(async () => {
    await stand?.node.stop()
    stand = await c.startContracts()
    says(AAVE_POOL, of.account, 6_000_00000000n, 1_000_00000000n, 0n, 0n, 0n, 0n)
    says(AAVE_POOL, of.provider, BigInt(PROVIDER))
    says(PROVIDER, of.oracle, BigInt(ORACLE))
    says(ORACLE, of.price(c.USDC), 1_00000000n)
    says(ORACLE, of.price(c.WETH), 3_000_00000000n)
    for (const { aToken, variableDebtToken } of reservesOf(1, AAVE_POOL))
      for (const token of [aToken, variableDebtToken]) says(token, of.balance, 0n)
    says(weth.aToken, of.balance, 2n * 10n ** 18n)
    says(usdc.variableDebtToken, of.balance, 1_000_000_000n)
    const feed = usdFeed(1, c.USDC)
    assert.ok(feed)
    stand.answer(feed.feed, c.LATEST_ROUND_DATA, c.round(1_00000000n, SECONDS))
    stand.answer(feed.feed, c.DECIMALS, c.uint(8))
    stand.answer(feed.feed, c.DESCRIPTION, c.text('USDC / USD'))
  })
  before(async () => {
    stand = await c.startContracts()
  })
  after(() => stand.node.stop())

  function source(now = () => NOW, chains = c.clientsOf({ 1: stand.node })) {
    return positions({ chains, now, prices: usdPrice({ chains, now }) })
  }

  async function read(one = source(), action: DecodedAction = lending(borrowLeg({ amount: 1n }))) {
    const { positions: fact } = await gather(['positions'], [one], questionAbout(action, new AbortController().signal))
    assert.ok(fact)
    return fact
  }

  async function accounts(one = source(), action?: DecodedAction) {
    const fact = await read(one, action)
    assert.ok(fact.status === 'fresh', JSON.stringify(fact))
    return fact.value.accounts
  }

  async function reasonWithout(action?: DecodedAction, one = source()): Promise<string> {
    const fact = await read(one, action)
    assert.ok(fact.status === 'unavailable', JSON.stringify(fact))
    assert.doesNotMatch(fact.reason, /127\.0\.0\.1|secret-key|https?:/)
    return fact.reason
  }

  /** A deposit in a market of Morpho, with its id. */
  function atMorpho(id: Hex | undefined = MARKET_ID): DecodedAction {
    const leg = supplyLeg({ amount: 1n, market: morpho })
    const found = (leg.positions ?? []).map((one) => ({ ...one, ...(id && { marketId: id }) }))
    return lending({ ...leg, positions: found })
  }

  describe('accounts in a pool of Aave', () => {
    test('what is supplied and borrowed, by reserve, valued by the pool’s own oracle', async () => {
      assert.deepEqual(await accounts(), [
        {
          protocol: 'aave',
          market: AAVE_POOL,
          supplied: { [c.WETH]: (2n * 10n ** 18n).toString() },
          borrowed: { [c.USDC]: '1000000000' },
          suppliedMicroUsd: '6000000000',
          borrowedMicroUsd: '1000000000',
        },
      ])
    })

    test('a debt that no known reserve has is in the pool’s own sum', async () => {
      says(AAVE_POOL, of.account, 6_000_00000000n, 4_000_00000001n, 0n, 0n, 0n, 0n)
      const [account] = await accounts()
      assert.deepEqual([account?.suppliedMicroUsd, account?.borrowedMicroUsd], ['6000000000', '4000000001'])
    })

    test('what is supplied and secures nothing counts too', async () => {
      says(AAVE_POOL, of.account, 0n, 0n, 0n, 0n, 0n, 0n)
      assert.equal((await accounts())[0]?.suppliedMicroUsd, '6000000000')
    })

    test('what nobody prices is worth null, and never nothing', async () => {
      for (const price of ['0x', c.uint(0), c.uint(1n << 200n)]) {
        stand.answer(ORACLE, of.price(c.WETH), price)
        const [account] = await accounts()
        assert.deepEqual([account?.suppliedMicroUsd, account?.borrowedMicroUsd], [null, '1000000000'])
      }
    })

    test('a hundred things are asked in one call, and where the oracle is once an hour', async () => {
      let at = NOW.getTime()
      const one = source(() => new Date(at))
      const from = stand.reads()
      await accounts(one)
      const first = stand.reads() - from
      at += 3_599_000
      stand.node.lie('eth_getBlockByNumber', {
        result: { number: '0x11', timestamp: `0x${Math.floor(at / 1000).toString(16)}` },
      })
      await accounts(one)
      const second = stand.reads() - from - first
      at += 2_000
      await accounts(one)
      const reserves = lendingPools(1).flatMap((pool) => pool.reserves)
      const hundreds = Math.ceil((lendingPools(1).length + 2 * reserves.length + 2 * vaultsOf(1).length) / 100)
      assert.deepEqual(
        [first, second, stand.reads() - from - first - second],
        [3 + hundreds, 1 + hundreds, 3 + hundreds],
      )
    })

    test('amounts are read anew each time', async () => {
      const one = source()
      await accounts(one)
      says(weth.aToken, of.balance, 10n ** 18n)
      assert.equal((await accounts(one))[0]?.supplied[c.WETH], (10n ** 18n).toString())
    })
  })

  describe('shares of vaults', () => {
    test('are worth a part of their asset', async () => {
      says(vault.vault, of.balance, 50n * 10n ** 18n)
      says(vault.vault, of.rate, 1_100_000_000_000_000n)
      const found = (await accounts()).find(({ market }) => market === vault.vault)
      assert.deepEqual(found, {
        protocol: vault.venue,
        market: vault.vault,
        supplied: { [c.USDC]: '55000000' },
        borrowed: {},
        suppliedMicroUsd: '55000000',
        borrowedMicroUsd: '0',
      })
    })

    test('without any, their rate does not matter', async () => {
      says(vault.vault, of.balance, 0n)
      stand.answer(vault.vault, of.rate, { error: { code: 3, message: 'execution reverted' } })
      const found = (await accounts()).find(({ market }) => market === vault.vault)
      assert.deepEqual([found?.supplied, found?.suppliedMicroUsd], [{}, '0'])
    })

    test('with some, an unknown rate is no rate', async () => {
      says(vault.vault, of.balance, 1n)
      stand.answer(vault.vault, of.rate, { error: { code: 3, message: 'execution reverted' } })
      assert.match(await reasonWithout(), /could not be read/)
      stand.answer(vault.vault, of.rate, '0x')
      assert.match(await reasonWithout(), /could not be valued/)
    })
  })

  describe('a market of Morpho', () => {
    beforeEach(() => {
      // 500 USDC lent of 1,000 in the market, 100 of 200 borrowed, 2 WETH behind them.
      says(morpho, of.position, 500n * 10n ** 12n, 100n * 10n ** 12n + 1n, 2n * 10n ** 18n)
      says(morpho, of.market, 1_000_000_000n, 1_000n * 10n ** 12n, 200_000_000n, 200n * 10n ** 12n, 0n, 0n)
      says(morpho, of.params, BigInt(c.USDC), BigInt(c.WETH), 1n, 1n, 1n)
      const feed = usdFeed(1, c.WETH)
      assert.ok(feed)
      stand.answer(feed.feed, c.LATEST_ROUND_DATA, c.round(3_000_00000000n, SECONDS))
      stand.answer(feed.feed, c.DECIMALS, c.uint(8))
      stand.answer(feed.feed, c.DESCRIPTION, c.text('ETH / USD'))
    })

    test('has what is lent, borrowed and put up, debts rounded up', async () => {
      const found = (await accounts(source(), atMorpho())).find(({ protocol }) => protocol === 'morpho')
      assert.deepEqual(found, {
        protocol: 'morpho',
        market: `${morpho}:${MARKET_ID}`,
        supplied: { [c.USDC]: '500000000', [c.WETH]: (2n * 10n ** 18n).toString() },
        borrowed: { [c.USDC]: '100000001' },
        suppliedMicroUsd: '6500000000',
        borrowedMicroUsd: '100000001',
      })
    })

    test('is not known without its id, or where it does not exist', async () => {
      assert.match(await reasonWithout(atMorpho('0x' as Hex)), /morpho keeps/)
      says(morpho, of.params, 0n, 0n, 0n, 0n, 0n)
      assert.match(await reasonWithout(atMorpho()), /does not exist/)
      stand.answer(morpho, of.position, '0x')
      assert.match(await reasonWithout(atMorpho()), /morpho keeps/)
    })
  })

  describe('what is no answer', () => {
    const faults: readonly [string, c.Answer, RegExp][] = [
      ['a revert', { error: { code: 3, message: 'execution reverted', data: '0x' } }, /could not be read/],
      ['five words', `0x${'00'.repeat(160)}`, /could not be read/],
      ['an error of the node', { error: { code: -32005, message: 'https://node.example/key' } }, /-32005/],
      ['status 500', { status: 500, body: 'oops https://node.example/key' }, /status 500/],
      ['a number', { result: 5 }, /wrong shape/],
      ['bad JSON', { status: 200, body: '{' }, /JSON-RPC/],
      ['silence', 'hang', /in time/],
      ['a cut connection', 'hang up', /could not be reached/],
    ]
    for (const [name, answer, reason] of faults)
      test(name, async () => {
        stand.answer(AAVE_POOL, of.account, answer)
        assert.match(await reasonWithout(), reason)
      })

    test('an account that changes where there is no contract', async () => {
      stand.answer(AAVE_POOL, of.account, '0x')
      assert.match(await reasonWithout(), /aave keeps for the wallet could not be read/)
      assert.deepEqual(await accounts(source(), lending({ ...withdrawLeg({ amount: 1n }), positions: [] })), [])
    })

    test('a balance that is none', async () => {
      stand.answer(usdc.variableDebtToken, of.balance, { error: { code: 3, message: 'execution reverted' } })
      assert.match(await reasonWithout(), /could not be read/)
    })

    test('what a node says that is a quarter of an hour behind', async () => {
      assert.equal((await read(source(() => new Date(NOW.getTime() + 900_000)))).status, 'fresh')
      const late = await read(source(() => new Date(NOW.getTime() + 902_000)))
      assert.ok(late.status === 'unavailable')
      assert.match(late.reason, /s behind/)
    })

    test('answers of Multicall3 that are not as many, or are none', async () => {
      const multicall = '0xca11bde05977b3631167028862be2a173976ca11'
      for (const result of [c.uint(32), `${c.uint(32)}${c.uint(0).slice(2)}`, `0x${'ff'.repeat(64)}`]) {
        stand.node.lie('eth_call', ([call]) =>
          (call as { to: string }).to === multicall ? { result } : { result: '0x' },
        )
        assert.match(await reasonWithout(), /Multicall3|as many/)
      }
    })

    test('a chain without Multicall3 is asked call by call', async () => {
      const multicall = '0xca11bde05977b3631167028862be2a173976ca11'
      const from = stand.reads()
      stand.node.lie('eth_call', ([call]) => {
        const { to, data } = call as { to: string; data: string }
        if (to === multicall) return { result: '0x' }
        if (to === AAVE_POOL && data === of.account) return { result: `0x${'00'.repeat(192)}` }
        return { result: '0x' }
      })
      const patient = createChains([{ id: 1, name: 'chain 1', rpcUrl: stand.node.url }])
      assert.deepEqual(await accounts(source(() => NOW, patient)), [
        {
          protocol: 'aave',
          market: AAVE_POOL,
          supplied: {},
          borrowed: {},
          suppliedMicroUsd: '0',
          borrowedMicroUsd: '0',
        },
      ])
      assert.ok(stand.reads() - from > 2 * lendingPools(1).length)
    })
  })
})
