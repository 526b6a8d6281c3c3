// Positions on paper in markets of a builder's dex, which the venue lists only where the dex is named.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DOLLARS, PERPS_PLACE, SIZE_DECIMALS } from '../../src/harness/paper-fill.ts'
import { paperReader } from '../../src/harness/paper-reader.ts'
import { pricesOf, worthOf } from '../../src/harness/paper-statement.ts'
import type { Perps } from '../../src/harness/perps.ts'
import type { PaperAmount } from '../../src/storage/index.ts'
import { standInContext } from './stand-in-reader.ts'

const listed = (id: number, symbol: string, mark: string) => ({ id, symbol, sizeDecimals: 3, mark, maxLeverage: 20 })
const perps: Perps = {
  markets: async (dex) => [
    listed(0, 'BTC', '60000'),
    ...(dex === 'xyz' ? [listed(110_000, 'xyz:GOLD', '4000')] : []),
    ...(dex === 'abc' ? [listed(120_000, 'abc:OIL', '70')] : []),
  ],
  account: () => assert.fail('the real account is not asked'),
  boundBps: async () => 100,
}
const reader = { ...standInContext().reader, perps }

function position(symbol: string, units: number): PaperAmount {
  const amount = BigInt(units * 10 ** SIZE_DECIMALS)
  return { place: PERPS_PLACE, asset: symbol, symbol, decimals: SIZE_DECIMALS, amount }
}
const held = [
  { place: PERPS_PLACE, ...DOLLARS, amount: 1_000_000_000n },
  position('BTC', 0.01),
  position('xyz:GOLD', 0.5),
  position('abc:OIL', -10),
]

describe('positions on paper', () => {
  it('are worth their marks, in the dexes of builders too', async () => {
    // 1,000 and 600 and 2,000 less 700.
    assert.equal(worthOf(held, await pricesOf(held, reader)), 2_900_000_000n)
  })

  it('are read with their marks', async () => {
    const portfolio = { seq: 1, opening: held, openedAt: 0 }
    const paper = {
      account: async () => ({ portfolio, held, granted: [] }),
      fills: async () => [],
      isFilled: async () => false,
    }
    const account = await paperReader({ reader, paper, chainId: 999 }).perps?.account()
    assert.equal(account?.equity, '2900')
    assert.deepEqual(
      account?.positions.map(({ symbol, mark }) => [symbol, mark]),
      [
        ['BTC', '60000'],
        ['xyz:GOLD', '4000'],
        ['abc:OIL', '70'],
      ],
    )
  })
})
