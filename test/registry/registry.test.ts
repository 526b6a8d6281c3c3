import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { renderTokens } from '../../scripts/refresh-tokens.ts'
import { toAddress } from '../../src/lib/address.ts'
import {
  CHAINS,
  isListedSanctioned,
  SANCTIONS_AS_OF,
  sanctionsOracle,
  sequencerUptimeFeed,
  tokenAt,
  tokenBySymbol,
  tokensOf,
  usdFeed,
  wrappedNative,
} from '../../src/registry/index.ts'

const file = (name: string) => readFileSync(new URL(`../../src/registry/${name}`, import.meta.url), 'utf8')
const tokens = JSON.parse(file('tokens.json')) as {
  asOf: string
  tokens: readonly { chainId: number; address: string; symbol: string }[]
}

describe('tokens', () => {
  test('every chain has its wrapped coin and a stable US dollar', () => {
    for (const { id, native } of CHAINS) {
      const wrapped = wrappedNative(id)
      assert.ok(wrapped)
      assert.equal(tokenAt(id, wrapped)?.symbol, `W${native}`)
      assert.deepEqual([tokenBySymbol(id, 'usdc')?.stable, tokenBySymbol(id, 'USDC')?.decimals], [true, 6])
      assert.ok(tokensOf(id).length >= 4)
    }
  })

  test('no address twice on a chain; sorted; one a line', () => {
    const places = tokens.tokens.map(({ chainId, address }) => `${chainId}:${address}`)
    assert.equal(new Set(places).size, places.length)
    const order = tokens.tokens.map(({ chainId, symbol, address }) => [chainId, symbol.toLowerCase(), address])
    const sorted = [...order].sort(
      (a, b) => Number(a[0]) - Number(b[0]) || (String(a.slice(1)) < String(b.slice(1)) ? -1 : 1),
    )
    assert.deepEqual(order, sorted)
    assert.equal(
      file('tokens.json')
        .split('\n')
        .filter((line) => line.includes('"address"')).length,
      places.length,
    )
  })

  test('what people mean by a dollar is stable, what only sounds like one is not', () => {
    for (const symbol of ['USDC', 'USDT', 'DAI', 'USDS']) assert.equal(tokenBySymbol(1, symbol)?.stable, true, symbol)
    for (const symbol of ['WETH', 'WBTC', 'stETH', 'EURC'])
      assert.equal(tokenBySymbol(1, symbol)?.stable, false, symbol)
  })

  test('the refreshed file keeps what has an origin of its own, and both of two tokens of one symbol', () => {
    const address = (digit: string) => `0x${digit.repeat(40)}`
    const list = {
      timestamp: '2027-01-02T03:04:05Z',
      version: { major: 1, minor: 2, patch: 3 },
      tokens: [
        { chainId: 1, address: address('2'), symbol: 'USDC', decimals: 6, name: 'USD Coin' },
        { chainId: 1, address: address('1'), symbol: 'USDC', decimals: 6 },
        { chainId: 1, address: address('3'), symbol: 'NOBODY', decimals: 6 },
        { chainId: 137, address: address('4'), symbol: 'WMATIC', decimals: 18 },
        { chainId: 101, address: 'So11111111111111111111111111111111111111112', symbol: 'SOL', decimals: 9 },
      ],
    }
    const current = {
      tokens: [
        { chainId: 137, address: address('4'), symbol: 'WPOL', decimals: 18, origin: 'renamed' },
        { chainId: 1, address: address('5'), symbol: 'OLD', decimals: 18 },
      ],
    }
    const refreshed = JSON.parse(renderTokens(list, current)) as typeof tokens
    assert.equal(refreshed.asOf, '2027-01-02')
    assert.deepEqual(refreshed.tokens, [
      { chainId: 1, address: address('1'), symbol: 'USDC', decimals: 6, stable: true },
      { chainId: 1, address: address('2'), symbol: 'USDC', decimals: 6, stable: true },
      { chainId: 137, address: address('4'), symbol: 'WPOL', decimals: 18, origin: 'renamed' },
    ])
    assert.throws(() =>
      renderTokens({ ...list, tokens: [{ chainId: 1, address: '0x12', symbol: 'USDC', decimals: 6 }] }, current),
    )
  })
})

describe('feeds', () => {
  const { feeds } = JSON.parse(file('feeds.json')) as {
    feeds: readonly { chainId: number; asset: string; description: string }[]
  }

  test('every chain prices its own coin, wrapped or not, and the dollar', () => {
    for (const { id } of CHAINS) {
      const wrapped = wrappedNative(id)
      const usdc = tokenBySymbol(id, 'USDC')
      assert.ok(wrapped && usdc)
      assert.ok(usdFeed(id, 'native'))
      assert.equal(usdFeed(id, wrapped), usdFeed(id, 'native'))
      assert.equal(usdFeed(id, usdc.address)?.description, 'USDC / USD')
    }
    assert.equal(usdFeed(31337, 'native'), undefined)
  })

  test('each is of a listed token, priced as itself or as what it wraps', () => {
    const [btc, eth, usdc, usdt] = ['WBTC UBTC', 'WETH UETH', 'USDC.e USDbC pUSD', 'USDT0 USD₮0'].map((text) =>
      text.split(' '),
    )
    const wraps = { BTC: btc, ETH: eth, USDC: usdc, USDT: usdt }
    const coins: Readonly<Record<number, string>> = { 137: 'MATIC', 999: 'HYPE' }
    for (const { chainId, asset, description } of feeds) {
      const symbol = asset === 'native' ? (coins[chainId] ?? 'ETH') : tokenAt(chainId, toAddress(asset))?.symbol
      assert.ok(symbol, `${chainId}:${asset}`)
      const wrapped = Object.entries(wraps).find(([, symbols]) => symbols?.includes(symbol))?.[0]
      const pairs = [symbol, wrapped].map((base) => `${base} / USD`.toUpperCase())
      assert.ok(pairs.includes(description.toUpperCase()), `${symbol} ${description}`)
    }
    assert.equal(new Set(feeds.map(({ chainId, asset }) => `${chainId}:${asset}`)).size, feeds.length)
  })

  test('rollups have a sequencer to ask after', () => {
    assert.deepEqual(
      CHAINS.filter(({ id }) => sequencerUptimeFeed(id)).map(({ id }) => id),
      [8453, 42161],
    )
  })
})

describe('sanctions', () => {
  const { addresses } = JSON.parse(file('sanctions.json')) as { addresses: readonly string[] }

  test('the list is dated, sorted, and without a repetition', () => {
    assert.match(SANCTIONS_AS_OF.asOf, /^\d{4}-\d\d-\d\d$/)
    assert.deepEqual(addresses, [...new Set(addresses)].sort())
    assert.ok(addresses.length > 100)
  })

  test('it has whom the Treasury lists, and no longer what was taken off in 2025', () => {
    for (const address of [
      '0x098b716b8aaf21512996dc57eb0615e2383e2f96', // Lazarus Group
      '0x7ff9cfad3877f21d41da833e2f775db0569ee3d9', // Garantex
      '0xdcbeffbecce100cce9e4b153c4e15cb885643193', // Roman Semenov
      '0xd5ed34b52ac4ab84d8fa8a231a3218bbf01ed510', // Funnull
    ] as const) {
      assert.equal(isListedSanctioned(address), true, address)
    }
    // Tornado Cash's router and its pool of 100 ETH.
    assert.equal(isListedSanctioned('0xd90e2f925da726b50c4ed8d0fb90ad053324f31b'), false)
    assert.equal(isListedSanctioned('0xa160cdab225685da1d56aa342ad8841c3b53f291'), false)
  })

  test('Base has an oracle of its own, HyperEVM and Sepolia none', () => {
    assert.equal(sanctionsOracle(42161), sanctionsOracle(1))
    assert.equal(sanctionsOracle(137), sanctionsOracle(1))
    assert.notEqual(sanctionsOracle(8453), sanctionsOracle(1))
    assert.deepEqual([sanctionsOracle(999), sanctionsOracle(11155111)], [undefined, undefined])
  })
})
