// The limit of a venue's order beside the market's price, through the policy engine's decoders and sources.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ok } from '../../src/lib/result.ts'
import type { Fact, Facts } from '../../src/policy/facts.ts'
import { inspect } from '../../src/policy/operations/inspect.ts'
import { validatorOf } from '../../src/process/validation.ts'
import { ValidationRequest } from '../../src/schema/validation.ts'
import { createValidator, type Inspection } from '../../src/validation/index.ts'
import { fixedSources } from '../support/fixed-sources.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import { NOW, WALLET } from '../support/intent-corpus/world.ts'

const SLIPPAGE = 'intent_alignment.slippage_tolerance'
const fresh = <T>(source: string, value: T): Fact<T> => ({
  status: 'fresh',
  source,
  observedAt: NOW.toISOString(),
  value,
})
const ETH = { symbol: 'ETH', kind: 'perp', sizeDecimals: 4, mark: '3000', maxLeverage: 25, leverage: null } as const
const FACTS: Facts = {
  tokens: fresh('tokens', {}),
  prices: fresh('prices', {}),
  sanctions: fresh('sanctions', { screened: [], hits: [] }),
  markets: fresh('markets', { '1': ETH }),
}

function requestOf(side: 'buy' | 'sell', price: string, tif: string) {
  const order = { a: 1, b: side === 'buy', p: price, s: '0.1', r: false, t: { limit: { tif } } }
  const action = { type: 'order', orders: [order], grouping: 'na' }
  const proposed_tx = { protocol: 'hyperliquid', from: WALLET, order: { chainId: 999, nonce: NOW.getTime(), action } }
  return ValidationRequest.parse({ human_intent: `${side} 0.1 ETH perp on Hyperliquid`, proposed_tx })
}

async function decide(side: 'buy' | 'sell', price: string, { tif = 'Ioc', facts = FACTS } = {}) {
  const sources = fixedSources(facts)
  const validator = validatorOf({
    chains: { of: () => undefined },
    policy: { inspect: (tx, wallet) => inspect({ sources }, tx, wallet) },
    model: undefined,
    now: () => NOW,
  })
  const { decision, primary_failure_node, reason } = await validator.validate(requestOf(side, price, tif))
  return { outcome: [decision, primary_failure_node], reason }
}

/** Of a market whose symbol is known, with what is said of its price. */
async function decideBy(marks: Inspection['marks']) {
  const surroundings = corpusSurroundings()
  const validator = createValidator({
    ...surroundings,
    async inspect(tx, wallet) {
      const found = await surroundings.inspect(tx, wallet)
      if (!found.ok) return found
      const legs = found.value.legs.map(({ order, ...leg }) => ({
        ...leg,
        ...(order && { order: { ...order, symbol: 'ETH' } }),
      }))
      return ok({ ...found.value, legs, marks })
    },
  })
  const { decision, primary_failure_node } = await validator.validate(requestOf('buy', '3000', 'Ioc'))
  return [decision, primary_failure_node]
}

describe("an order's limit beside the market's price", () => {
  it('is rejected where it is far beyond it', async () => {
    for (const [side, price] of [
      ['buy', '30000'],
      ['buy', '3150.1'],
      ['sell', '300'],
      ['sell', '2849.9'],
    ] as const) {
      const { outcome, reason } = await decide(side, price)
      assert.deepEqual(outcome, ['REJECT', SLIPPAGE], `${side} at ${price}`)
      assert.match(reason, new RegExp(`${price}.* 5 % ${side === 'buy' ? 'above' : 'below'} .*3000`))
    }
  })

  it('passes as far as a trade may be from the price, and anywhere on the good side', async () => {
    for (const [side, price] of [
      ['buy', '3150'],
      ['sell', '2850'],
    ] as const)
      assert.deepEqual((await decide(side, price)).outcome, ['PASS', null], `${side} at ${price}`)
    for (const tif of ['Gtc', 'Alo']) {
      assert.deepEqual((await decide('buy', '300', { tif })).outcome, ['PASS', null], tif)
      assert.deepEqual((await decide('sell', '30000', { tif })).outcome, ['PASS', null], tif)
    }
  })

  it('is not judged without the price: a venue that is down may be asked again, an unknown price is no pass', async () => {
    const { markets: _, ...silent } = FACTS
    const down = {
      ...FACTS,
      markets: { status: 'unavailable', source: 'markets', reason: 'It did not answer.' },
    } as const
    for (const facts of [silent, down])
      await assert.rejects(decide('buy', '3000', { facts }), { code: 'unavailable', retryable: true })

    await assert.rejects(decideBy({ missing: 'It did not answer.' }), { code: 'unavailable' })
    assert.deepEqual(await decideBy({ value: { '1': null } }), ['REJECT', SLIPPAGE])
  })
})
