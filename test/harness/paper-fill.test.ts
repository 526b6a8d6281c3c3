// What an approved action moves on paper, worked out by hand.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type FillFacts, fillOf, PERPS_PLACE } from '../../src/harness/paper-fill.ts'
import type { DecodedLeg } from '../../src/schema/decoded-action.ts'
import type { PaperAmount } from '../../src/storage/index.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const POOL = '0x000000000000000000000000000000000000b001'
const ROUTER = '0x000000000000000000000000000000000000c001'
const PERMIT2 = '0x000000000000000000000000000000000000d001'
const USDC = '0x000000000000000000000000000000000000e001'
const E18 = 10n ** 18n

const token = (asset: string, amount: bigint, place = 'wallet', symbol = 'USDC', decimals = 6): PaperAmount => ({
  place,
  asset,
  symbol,
  decimals,
  amount,
})
const coin = (amount: bigint) => token('native', amount, 'wallet', 'ETH', 18)

function legOf(leg: Partial<DecodedLeg>): DecodedLeg {
  return { protocol: 'uniswap', chainId: 1, kind: 'swap', spends: [], receives: [], grants: [], deadline: null, ...leg }
}

function flow(asset: string, amount: bigint, bound: 'exact' | 'max' | 'min', party: string = WALLET) {
  return { asset, amount: String(amount), bound, party }
}

function factsOf(legs: readonly DecodedLeg[], changed: Partial<FillFacts> = {}): FillFacts {
  return {
    wallet: WALLET,
    legs,
    target: ROUTER,
    permit2: PERMIT2,
    gas: 0n,
    tokens: new Map([
      [USDC, { symbol: 'USDC', decimals: 6 }],
      ['native', { symbol: 'ETH', decimals: 18 }],
    ]),
    quotes: new Map(),
    markets: new Map(),
    prices: new Map([
      [USDC, 100_000_000n],
      ['native', 200_000_000_000n],
    ]),
    held: [token(USDC, 1_000_000_000n), coin(E18)],
    granted: [],
    ...changed,
  }
}

function moved(facts: FillFacts): Record<string, bigint> {
  const filled = fillOf(facts)
  assert.ok(filled.ok, filled.ok ? '' : filled.reason)
  return Object.fromEntries(filled.value.flows.map(({ place, asset, amount }) => [`${place} ${asset}`, amount]))
}

function refused(facts: FillFacts): string {
  const filled = fillOf(facts)
  assert.ok(!filled.ok)
  return filled.reason
}

describe('a swap', () => {
  const exactIn = legOf({ spends: [flow(USDC, 100n, 'exact')], receives: [flow('native', 40n, 'min')] })
  const exactOut = legOf({ spends: [flow(USDC, 100n, 'max')], receives: [flow('native', 40n, 'exact')] })
  const quoted = (leg: DecodedLeg, amountIn: bigint, amountOut: bigint) =>
    factsOf([leg], { quotes: new Map([[0, { pool: 'v3', fee: 3_000, amountIn, amountOut }]]) })

  it('gives what the quote gives, and takes what it takes', () => {
    assert.deepEqual(moved(quoted(exactIn, 100n, 45n)), { [`wallet ${USDC}`]: -100n, 'wallet native': 45n })
    assert.deepEqual(moved(quoted(exactOut, 90n, 40n)), { [`wallet ${USDC}`]: -90n, 'wallet native': 40n })
  })

  it('does not happen where the quote is beyond its limits', () => {
    assert.match(refused(quoted(exactIn, 100n, 39n)), /below the minimum/)
    assert.match(refused(quoted(exactOut, 101n, 40n)), /above the most/)
  })

  it('without a quote is filled at its own limits', () => {
    assert.deepEqual(moved(factsOf([exactIn])), { [`wallet ${USDC}`]: -100n, 'wallet native': 40n })
    assert.deepEqual(moved(factsOf([exactOut])), { [`wallet ${USDC}`]: -100n, 'wallet native': 40n })
  })

  it('to somebody else brings nothing', () => {
    const leg = legOf({ spends: [flow(USDC, 100n, 'exact')], receives: [flow('native', 40n, 'min', POOL)] })
    assert.deepEqual(moved(quoted(leg, 100n, 45n)), { [`wallet ${USDC}`]: -100n })
  })

  it('uses up the rights that it goes by, and no endless one', () => {
    const granted = [
      { asset: USDC, spender: PERMIT2, amount: 150n, expiresAt: null },
      { asset: USDC, spender: `permit2 ${ROUTER}`, amount: 1n << 160n, expiresAt: 9 },
      { asset: USDC, spender: POOL, amount: 7n, expiresAt: null },
    ]
    const filled = fillOf({ ...quoted(exactIn, 100n, 45n), granted })
    assert.ok(filled.ok)
    assert.deepEqual(filled.value.grants, [{ asset: USDC, spender: PERMIT2, amount: 50n, expiresAt: null }])
  })
})

describe('a right', () => {
  it('is noted by its spender, and through Permit2 apart', () => {
    const grant = { asset: USDC, owner: WALLET, spender: ROUTER, amount: '5', unlimited: false, expiresAt: 9 }
    const filled = fillOf(factsOf([legOf({ kind: 'approve', protocol: 'permit2', grants: [grant] })]))
    assert.ok(filled.ok)
    assert.deepEqual(filled.value, {
      flows: [],
      grants: [{ asset: USDC, spender: `permit2 ${ROUTER}`, amount: 5n, expiresAt: 9 }],
      feeMicroUsd: 0n,
      gasMicroUsd: 0n,
    })
  })
})

describe('a lending venue', () => {
  const position = (side: 'supply' | 'debt', change: 'increase' | 'decrease', amount: bigint | null) => ({
    market: POOL,
    side,
    change,
    asset: USDC,
    amount: amount === null ? null : String(amount),
    party: WALLET,
  })
  const held = [token(USDC, 100n), token(USDC, 40n, POOL), token(USDC, 30n, `debt ${POOL}`), coin(E18)]

  it('keeps a deposit, and gives all of it back', () => {
    const supply = legOf({
      kind: 'supply',
      spends: [flow(USDC, 60n, 'exact')],
      positions: [position('supply', 'increase', 60n)],
    })
    assert.deepEqual(moved(factsOf([supply], { held })), { [`wallet ${USDC}`]: -60n, [`${POOL} ${USDC}`]: 60n })
    const all = legOf({
      kind: 'withdraw',
      receives: [flow(USDC, 0n, 'min')],
      positions: [position('supply', 'decrease', null)],
    })
    assert.deepEqual(moved(factsOf([all], { held })), { [`wallet ${USDC}`]: 40n, [`${POOL} ${USDC}`]: -40n })
    const more = legOf({
      kind: 'withdraw',
      receives: [flow(USDC, 41n, 'exact')],
      positions: [position('supply', 'decrease', 41n)],
    })
    assert.match(refused(factsOf([more], { held })), /0\.00004 USDC there, and this takes 0\.000041/)
  })

  it('lends, and takes no more back than is owed', () => {
    const borrow = legOf({
      kind: 'borrow',
      receives: [flow(USDC, 5n, 'exact')],
      positions: [position('debt', 'increase', 5n)],
    })
    assert.deepEqual(moved(factsOf([borrow], { held })), { [`wallet ${USDC}`]: 5n, [`debt ${POOL} ${USDC}`]: 5n })
    const repay = legOf({
      kind: 'repay',
      spends: [flow(USDC, 99n, 'max')],
      positions: [position('debt', 'decrease', 99n)],
    })
    assert.deepEqual(moved(factsOf([repay], { held })), { [`wallet ${USDC}`]: -30n, [`debt ${POOL} ${USDC}`]: -30n })
  })
})

describe('an order for a perpetual', () => {
  const market = { symbol: 'BTC', mark: '60000', maxLeverage: 10 }
  const markets = new Map([['0', market]])
  const held = [token('USD', 1_000_000_000n, PERPS_PLACE, 'USD')]
  const order = (changed: Partial<NonNullable<DecodedLeg['order']>>) =>
    legOf({
      protocol: 'hyperliquid',
      kind: 'order',
      order: {
        market: '0',
        symbol: 'BTC',
        side: 'buy',
        size: '0.1',
        price: '60300',
        trigger: null,
        reduceOnly: false,
        timeInForce: 'Ioc',
        cloid: null,
        account: WALLET,
        feeTo: null,
        ...changed,
      },
    })

  it('is filled at the mark, with the fee of a taker', () => {
    // 0.1 at 60,000 are 6,000 dollars; 0.045 % of it are 2.70.
    assert.deepEqual(moved(factsOf([order({})], { markets, held })), {
      'hyperliquid BTC': 10_000_000n,
      'hyperliquid USD': -6_002_700_000n,
    })
    assert.deepEqual(moved(factsOf([order({ side: 'sell', price: '59700' })], { markets, held })), {
      'hyperliquid BTC': -10_000_000n,
      'hyperliquid USD': 5_997_300_000n,
    })
  })

  it('that would wait, or that the margin does not bear, is not filled', () => {
    assert.match(refused(factsOf([order({ price: '59999' })], { markets, held })), /would wait/)
    assert.match(refused(factsOf([order({ trigger: '70000' })], { markets, held })), /would wait/)
    assert.match(refused(factsOf([order({ timeInForce: 'Alo' })], { markets, held })), /only adds/)
    assert.match(refused(factsOf([order({ size: '0.17' })], { markets, held })), /margin on paper/)
    assert.match(refused(factsOf([order({ market: '7' })], { markets, held })), /not filled on paper/)
  })

  it('that only shrinks takes no more than there is', () => {
    const long = [...held, token('BTC', 4_000_000n, PERPS_PLACE, 'BTC', 8)]
    const close = order({ side: 'sell', price: '59000', reduceOnly: true })
    assert.equal(moved(factsOf([close], { markets, held: long }))['hyperliquid BTC'], -4_000_000n)
    assert.match(refused(factsOf([close], { markets, held })), /no position/)
  })

  it('leaves no more to take out than the margin bears', () => {
    const out = (amount: bigint) =>
      legOf({
        protocol: 'hyperliquid',
        kind: 'withdraw',
        margin: String(-amount),
        spends: [flow(USDC, amount, 'exact')],
        receives: [flow(USDC, amount, 'exact')],
      })
    assert.deepEqual(moved(factsOf([out(1_000_000_000n)], { markets, held })), {
      [`wallet ${USDC}`]: 1_000_000_000n,
      'hyperliquid USD': -1_000_000_000n,
    })
    assert.match(refused(factsOf([out(1_000_000_001n)], { markets, held })), /margin on paper/)
  })
})
