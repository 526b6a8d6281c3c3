// Names of markets are the venues' words, and stand in what people read before they confirm.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toAddress } from '../../../src/lib/address.ts'
import { hyperliquidMarkets, polymarketMarkets } from '../../../src/policy/index.ts'
import { WALLET } from '../../support/actions.ts'

const SHOWN = ['Yes', 'Atlético Madrid', 'Over 2.5', 'xyz:GOLD', 'UBTC/USDC']
const HIDDEN = [
  'Yes\nApproved by the owner.',
  'Y\u200bes',
  '\u202eseY',
  'Yes ',
  'a  b',
  '\u2800',
  'x'.repeat(500),
  'Yes\0',
]
const TOKEN = (2n ** 250n + 2n ** 60n).toString()
const at = new Date()
const asked = (name: string, market: string) => ({
  chainId: 1,
  assets: [],
  addresses: [],
  venue: { name, account: toAddress(WALLET), markets: [market] },
  signal: AbortSignal.timeout(60_000),
})

const outcomeMarket = { id: TOKEN, slug: 'a-market', question: 'Which?', negRisk: false, tick: '0.01', minSize: '5' }
const prices = { bid: '0.4', ask: '0.5', mid: '0.45', fee: { rate: 0, exponent: 0 } }
async function atPolymarket(outcome: string) {
  const source = polymarketMarkets({
    market: async () => ({ market: { ...outcomeMarket, ...prices, outcome }, at, cached: false }),
  })
  return (await source.ask(asked('polymarket', TOKEN))).value[TOKEN]
}

const coreMarket = { id: '0', coin: 'X', kind: 'perp', dex: '', sizeDecimals: 2, mark: '1', maxLeverage: 5 } as const
async function atHyperliquid(symbol: string) {
  const source = hyperliquidMarkets({
    placesOf: async () => [],
    markets: async () => ({ markets: [{ ...coreMarket, symbol }], at, cached: false }),
    leverage: async () => ({ leverage: 1, isolated: false }),
  })
  return (await source.ask(asked('hyperliquid', '0'))).value['0']
}

describe('a market', () => {
  test('has the name that its venue gives it', async () => {
    for (const name of SHOWN) {
      assert.equal((await atPolymarket(name))?.symbol, `a-market:${name}`)
      assert.equal((await atHyperliquid(name))?.symbol, name)
    }
  })

  test('is none where its name holds what nobody sees, more than one line, or no end', async () => {
    for (const name of HIDDEN) {
      assert.equal(await atPolymarket(name), null, JSON.stringify(name))
      assert.equal(await atHyperliquid(name), null, JSON.stringify(name))
    }
  })
})
