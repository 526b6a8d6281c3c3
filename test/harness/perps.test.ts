import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { perpsOf, wirePrice, wireSize } from '../../src/harness/perps.ts'
import { volume } from '../support/volume.ts'
import { standInContext } from './stand-in-reader.ts'

const market = (sizeDecimals: number) => ({ id: 0, symbol: 'BTC', sizeDecimals, mark: '60000', maxLeverage: 40 })

describe('prices and sizes on the wire', () => {
  test('are as the venue takes them', () => {
    assert.equal(wirePrice(60_600.5, market(5), 'buy'), '60600')
    assert.equal(wirePrice(59_399.1, market(5), 'sell'), '59400')
    assert.equal(wirePrice(1234.56, market(4), 'buy'), '1234.5')
    assert.equal(wirePrice(0.0012345678, market(0), 'buy'), '0.001234')
    assert.equal(wirePrice(123_456.7, market(5), 'buy'), '123456')
    assert.equal(wirePrice(100, market(2), 'sell'), '100')
    const size = (text: string, decimals: number) => {
      const result = wireSize(text, market(decimals))
      return result.ok ? result.value : result.reason
    }
    assert.equal(size('0.0123456', 5), '0.01234')
    assert.equal(size('1.50', 2), '1.5')
    assert.equal(size('7', 0), '7')
    assert.equal(size('007.0', 0), '7')
    assert.match(size('0.9', 0), /smallest size/)
    assert.match(size('1e3', 2), /decimal number/)
  })

  test('are never worse than they were meant, whatever the market', () => {
    const price = fc.double({ min: 0.0001, max: 999_999, noNaN: true })
    fc.assert(
      fc.property(price, fc.nat(5), fc.constantFrom('buy' as const, 'sell' as const), (meant, decimals, side) => {
        const text = wirePrice(meant, market(decimals), side)
        const value = Number(text)
        if (side === 'buy') assert.ok(value <= meant * (1 + 1e-12), text)
        else assert.ok(value >= meant * (1 - 1e-12), text)
        const digits = text.replace('.', '').replace(/^0+/, '')
        assert.ok(!text.includes('.') || digits.length <= 5, text)
        assert.ok((text.split('.')[1]?.length ?? 0) <= 6 - decimals, text)
        assert.match(text, /^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      }),
      { numRuns: volume(2_000, 50_000), seed: 11 },
    )
  })

  test('are for a wallet of the venue’s own chain', () => {
    const elsewhere = perpsOf(standInContext({ chainId: 8453 }))
    assert.ok(!elsewhere.ok && /chain 999/.test(elsewhere.reason))
    assert.ok(perpsOf(standInContext({ chainId: 999 })).ok)
  })
})
