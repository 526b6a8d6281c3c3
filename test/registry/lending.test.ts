import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { renderAave } from '../../scripts/refresh-aave.ts'
import {
  CHAINS,
  contractAt,
  depositsOf,
  lendingPoolAt,
  lendingPools,
  morphoOf,
  reservesOf,
  tokenBySymbol,
  vaultAt,
  vaultsOf,
  wrappedNative,
} from '../../src/registry/index.ts'

const CHAIN_IDS = CHAINS.map(({ id }) => id)
const CORE = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'

describe('lending pools', () => {
  test('stand on the chains where Aave v3 is, and are contracts with their gateways and debt tokens', () => {
    const counts = CHAIN_IDS.map((id) => [id, lendingPools(id).length])
    assert.deepEqual(Object.fromEntries(counts), { 1: 4, 8453: 1, 42161: 1, 137: 1, 999: 0, 11155111: 1 })
    for (const { chainId, pool, gateway, reserves } of CHAIN_IDS.flatMap(lendingPools)) {
      assert.equal(contractAt(chainId, pool)?.kind, 'aave-pool')
      if (gateway !== null) assert.equal(contractAt(chainId, gateway)?.kind, 'aave-gateway')
      for (const { asset, aToken, variableDebtToken } of reserves) {
        assert.equal(contractAt(chainId, aToken)?.kind, 'aave-a-token')
        assert.deepEqual(depositsOf(chainId, aToken), { pool, asset })
        assert.equal(contractAt(chainId, variableDebtToken)?.kind, 'aave-debt-token')
      }
    }
  })

  test('a reserve’s number, asset and tokens are its own', () => {
    for (const { chainId, market, pool } of CHAIN_IDS.flatMap(lendingPools)) {
      const reserves = reservesOf(chainId, pool)
      assert.ok(reserves.length > 0)
      for (const key of ['id', 'asset', 'aToken', 'variableDebtToken'] as const)
        assert.equal(new Set(reserves.map((one) => one[key])).size, reserves.length, `${market} ${key}`)
    }
    assert.equal(reservesOf(1, '0x0000000000000000000000000000000000000001').length, 0)
  })

  test('the first reserves of Ethereum’s core market', () => {
    const symbols = reservesOf(1, CORE).slice(0, 5)
    assert.deepEqual(
      symbols.map(({ id, asset }) => [id, asset]),
      ['WETH', undefined, 'WBTC', 'USDC', 'DAI'].map((symbol, id) => [
        id,
        symbol === undefined ? symbols[id]?.asset : tokenBySymbol(1, symbol)?.address,
      ]),
    )
    assert.equal(symbols[0]?.asset, wrappedNative(1))
  })

  test('arguments are packed on rollups alone', () => {
    const packed = CHAIN_IDS.flatMap(lendingPools).filter((pool) => pool.packed)
    assert.deepEqual(new Set(packed.map(({ chainId }) => chainId)), new Set([8453, 42161]))
    assert.equal(lendingPoolAt(1, CORE)?.packed, false)
  })

  test('the refreshed file has the markets of the product’s chains, and fails on one that is incomplete', () => {
    const address = (digit: string) => `0x${digit.repeat(40)}`
    const reserve = { id: 0, UNDERLYING: address('1'), A_TOKEN: address('2'), V_TOKEN: address('3') }
    const market = { CHAIN_ID: 8453, POOL: address('4'), L2_ENCODER: address('5'), ASSETS: { USDC: reserve } }
    const book = { AaveV3Base: market, AaveV3Metis: { ...market, CHAIN_ID: 1088 }, AaveV2Base: { CHAIN_ID: 1 } }
    const { asOf, markets } = JSON.parse(renderAave(book, '9.9.9', '2027-01-02'))
    assert.equal(asOf, '2027-01-02')
    assert.deepEqual(markets, [
      {
        chainId: 8453,
        market: 'AaveV3Base',
        pool: address('4'),
        gateway: null,
        packed: true,
        reserves: [
          { id: 0, symbol: 'USDC', asset: address('1'), aToken: address('2'), variableDebtToken: address('3') },
        ],
      },
    ])
    const { POOL: _, ...incomplete } = market
    assert.throws(() => renderAave({ AaveV3Base: incomplete }, '9.9.9', '2027-01-02'))
  })
})

describe('vaults and Morpho', () => {
  test('each vault is a contract once, of another asset than itself', () => {
    const vaults = CHAIN_IDS.flatMap(vaultsOf)
    assert.equal(new Set(vaults.map(({ chainId, vault }) => `${chainId}:${vault}`)).size, vaults.length)
    for (const { chainId, vault, venue, asset } of vaults) {
      assert.deepEqual([contractAt(chainId, vault)?.kind, contractAt(chainId, vault)?.venue], ['erc4626', venue])
      assert.notEqual(vault, asset)
      assert.equal(vaultAt(chainId, vault)?.asset, asset)
    }
    assert.deepEqual(
      CHAIN_IDS.filter((id) => vaultsOf(id).length > 0),
      [1, 8453, 42161, 137, 999],
    )
  })

  test('Morpho Blue is on all chains but Sepolia', () => {
    assert.deepEqual(
      CHAIN_IDS.filter((id) => morphoOf(id)),
      [1, 8453, 42161, 137, 999],
    )
  })
})
