import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  formatDecimal,
  formatUsd,
  formatUsdExactly,
  parseDecimal,
  toDollars,
  toMicroUsd,
  valueOf,
} from '../../src/lib/usd.ts'

const runs = { seed: 11, numRuns: 500 }
const micro = fc.bigInt(0n, 10n ** 21n)

describe('US dollars', () => {
  it('are exact in millionths, however the number is written', () => {
    const cases: readonly (readonly [number, bigint])[] = [
      [0, 0n],
      [0.1, 100_000n],
      [0.1 + 0.2, 300_000n],
      [1.005, 1_005_000n],
      [250, 250_000_000n],
      [0.000001, 1n],
      [0.0000019, 1n],
      [9.99e-7, 0n],
      [1e-7, 0n],
      [1e-300, 0n],
      [1e12, 10n ** 18n],
      [123456789.123456, 123_456_789_123_456n],
      [1e20, 10n ** 26n],
      [1e21, 10n ** 27n],
      [2.5e21, 25n * 10n ** 26n],
      [-0.5, -500_000n],
    ]
    for (const [dollars, expected] of cases) assert.equal(toMicroUsd(dollars), expected, String(dollars))
  })

  it('never have more millionths than the number says', () => {
    const amounts = fc.double({ min: 0, max: 1e12, noNaN: true })
    const property = fc.property(amounts, (dollars) => {
      const cut = Number(toMicroUsd(dollars)) / 1e6
      assert.ok(cut <= dollars * (1 + 2 ** -50), `${dollars} became ${cut}`)
      assert.ok(dollars - cut <= 1.0001e-6 + dollars * 2 ** -50, `${dollars} became ${cut}`)
    })
    fc.assert(property, runs)
  })

  it('of a number with at most six decimals come back as they went', () => {
    const property = fc.property(fc.bigInt(0n, 10n ** 15n), (amount) => {
      assert.equal(toMicroUsd(toDollars(amount)), amount)
    })
    fc.assert(property, runs)
  })

  it('are written for people: in cents from a dollar on, and below it as small as they are', () => {
    const cases: readonly (readonly [bigint, string, string])[] = [
      [0n, '$0.00', '$0.00'],
      [1n, '$0.000001', '$0.000001'],
      [10_000n, '$0.01', '$0.01'],
      [15_000n, '$0.015', '$0.015'],
      [500_000n, '$0.50', '$0.50'],
      [999_999n, '$0.999999', '$0.999999'],
      [1_000_000n, '$1.00', '$1.00'],
      [1_004_999n, '$1.00', '$1.004999'],
      [1_005_000n, '$1.01', '$1.005'],
      [1_240_000_000n, '$1,240.00', '$1,240.00'],
      [1_234_567_891_234n, '$1,234,567.89', '$1,234,567.891234'],
      [999_999_999_999n, '$1,000,000.00', '$999,999.999999'],
    ]
    for (const [amount, text, exact] of cases)
      assert.deepEqual([formatUsd(amount), formatUsdExactly(amount)], [text, exact], String(amount))
  })

  it('are written exactly where that is asked for', () => {
    const property = fc.property(micro, (amount) => {
      const text = formatUsdExactly(amount)
      assert.match(text, /^\$(\d{1,3})(,\d{3})*\.\d{2,6}$/)
      assert.equal(parseDecimal(text.slice(1).replaceAll(',', ''), 6), amount)
    })
    fc.assert(property, runs)
  })
})

describe('the value of an amount', () => {
  it('is rounded up or down by less than a millionth, around the exact quotient', () => {
    const property = fc.property(
      fc.bigInt(0n, 1n << 200n),
      fc.integer({ min: 0, max: 36 }),
      fc.bigInt(1n, 1n << 90n),
      (amount, decimals, priceE8) => {
        const up = valueOf(amount, decimals, priceE8, 'up')
        const down = valueOf(amount, decimals, priceE8, 'down')
        const scale = 10n ** BigInt(decimals + 2)
        assert.ok(down * scale <= amount * priceE8 && amount * priceE8 <= up * scale)
        assert.ok(up - down <= 1n)
        assert.equal(up === down, (amount * priceE8) % scale === 0n)
      },
    )
    fc.assert(property, runs)
  })

  it('is not made smaller by splitting what leaves, nor larger by splitting what arrives', () => {
    const amounts = fc.bigInt(0n, 10n ** 30n)
    const property = fc.property(amounts, amounts, fc.bigInt(1n, 10n ** 14n), (a, b, priceE8) => {
      const up = (amount: bigint) => valueOf(amount, 18, priceE8, 'up')
      const down = (amount: bigint) => valueOf(amount, 18, priceE8, 'down')
      assert.ok(up(a) + up(b) >= up(a + b))
      assert.ok(down(a) + down(b) <= down(a + b))
    })
    fc.assert(property, runs)
  })

  it('of the smallest amount is a millionth at most one way and nothing the other', () => {
    assert.deepEqual([valueOf(1n, 18, 300_000_000_000n, 'up'), valueOf(1n, 18, 300_000_000_000n, 'down')], [1n, 0n])
    assert.equal(valueOf(0n, 18, 300_000_000_000n, 'up'), 0n)
    assert.equal(valueOf(1_000_000n, 6, 100_000_000n, 'up'), 1_000_000n)
  })
})

describe('decimals', () => {
  it('are read and written alike', () => {
    const property = fc.property(fc.bigInt(0n, 1n << 128n), fc.integer({ min: 0, max: 36 }), (value, decimals) => {
      assert.equal(parseDecimal(formatDecimal(value, decimals), decimals), value)
    })
    fc.assert(property, runs)
  })

  it('lose trailing zeros beyond those asked for', () => {
    assert.equal(formatDecimal(1_500n, 3), '1.5')
    assert.equal(formatDecimal(1_000n, 3), '1')
    assert.equal(formatDecimal(1_000n, 3, 2), '1.00')
    assert.equal(formatDecimal(-1_500n, 3), '-1.5')
    assert.equal(formatDecimal(5n, 0), '5')
    assert.equal(parseDecimal('1.23456', 3), 1_234n)
    assert.equal(parseDecimal('.5', 3), 500n)
  })
})
