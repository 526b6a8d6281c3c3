import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toAddress } from '../../../src/lib/address.ts'
import { polymarketHoldings } from '../../../src/policy/index.ts'
import { STRANGER, WALLET } from '../../support/actions.ts'

const account = toAddress(WALLET)
const question = { chainId: 137, assets: [], addresses: [], signal: AbortSignal.timeout(60_000) }
const asked = { ...question, venue: { name: 'polymarket', account, markets: [] } }
const order = { market: '7', outcome: 'Yes', side: 'buy', size: '10', matched: '0', price: '0.4' } as const
const hash = `0x${'ab'.repeat(32)}` as const

/** An account whose one order is filled in full as soon as one of the two was read. */
function filledMeanwhile() {
  let filled = false
  const thenFilled = <T>(value: T): T => {
    filled = true
    return value
  }
  return {
    venue: { holdings: async () => thenFilled(filled ? [{ id: '7', size: '10', price: '0.5' }] : []) },
    own: {
      accounts: [account],
      openOrders: async () => thenFilled(filled ? [] : [{ ...order, id: hash, maker: account }]),
    },
  }
}

describe('what an account has at Polymarket', () => {
  test('has an order that is filled while it is read once at least: open, or as what it bought', async () => {
    const { venue, own } = filledMeanwhile()
    const { value } = await polymarketHoldings(venue, own).ask(asked)
    assert.ok(value.orders.length + value.positions.length > 0)
  })

  test('is the account’s own: orders of other makers under the same key are left out', async () => {
    const { venue, own } = filledMeanwhile()
    const others = { ...own, openOrders: async () => [{ ...order, id: hash, maker: toAddress(STRANGER) }] }
    const { value } = await polymarketHoldings(venue, others).ask(asked)
    assert.deepEqual(value, { equityMicroUsd: '0', positions: [], orders: [] })
  })
})
