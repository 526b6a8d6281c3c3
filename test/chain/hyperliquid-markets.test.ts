// Which markets are told by which names: a policy lists them by these.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { perpMarkets, spotMarkets } from '../../src/chain/hyperliquid-markets.ts'

test('pairs of tokens of one name are told by the venue’s own names alone', () => {
  const token = (index: number, name: string) => ({ index, name, szDecimals: 2 })
  const pair = (index: number, base: number) => ({ index, name: `@${index}`, tokens: [base, 0] as [number, number] })
  const markets = spotMarkets([
    {
      tokens: [
        token(0, 'USDC'),
        token(1, 'HYPE'),
        token(2, 'PURR'),
        token(3, 'HYPE'),
        token(4, 'ETH'),
        token(5, 'ETH'),
      ],
      universe: [pair(5, 1), pair(6, 2), pair(7, 3), pair(8, 4)],
    },
    [5, 6, 7, 8].map((index) => ({ coin: `@${index}`, markPx: '40' })),
  ])
  assert.deepEqual(
    markets.map(({ id, symbol }) => [id, symbol]),
    [
      ['10005', '@5'],
      ['10006', 'PURR/USDC'],
      ['10007', '@7'],
      ['10008', '@8'],
    ],
  )
})

test('no market of a builder has a name that is not of the builder’s dex', () => {
  const universe = ['xyz:GOLD', 'BTC', 'xyz2:BTC'].map((name) => ({ name, szDecimals: 2, maxLeverage: 3 }))
  const markets = perpMarkets([{ universe }, universe.map(() => ({ markPx: '1' }))], { number: 1, name: 'xyz' })
  assert.deepEqual(
    markets?.map(({ id, symbol }) => [id, symbol]),
    [['110000', 'xyz:GOLD']],
  )
})
