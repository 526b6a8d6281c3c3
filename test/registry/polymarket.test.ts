import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  contractAt,
  contractOf,
  POLYMARKET_CHAIN,
  POLYMARKET_COLLATERAL,
  POLYMARKET_NEG_RISK_COLLATERAL,
  polymarketExchange,
  polymarketVersionAt,
  polymarketVersionOf,
  tokenAt,
} from '../../src/registry/index.ts'

const TOKEN = 71321045679252212594626385532706912750332728571942532289631379312455583992563n
const POSITION = BigInt(`0x01${'ab'.repeat(16)}0001${'00'.repeat(8)}0089000100`)

describe('exchanges of Polymarket', () => {
  test('are known contracts, each of the version that its tokens say', () => {
    for (const [token, negRisk, version] of [
      [TOKEN, false, 2],
      [TOKEN, true, 2],
      [POSITION, false, 3],
      [POSITION, true, 3],
    ] as const) {
      const exchange = polymarketExchange(token, negRisk)
      assert.ok(exchange)
      assert.equal(polymarketVersionOf(token), version)
      assert.equal(polymarketVersionAt(exchange), version)
      const contract = contractAt(POLYMARKET_CHAIN, exchange)
      assert.deepEqual([contract?.kind, contract?.version], ['polymarket-exchange', String(version)])
    }
    assert.notEqual(polymarketExchange(TOKEN, false), polymarketExchange(TOKEN, true))
    assert.equal(polymarketVersionAt('0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e'), undefined)
  })

  test('are paid in listed dollars, and have their contracts of positions', () => {
    assert.equal(tokenAt(POLYMARKET_CHAIN, POLYMARKET_COLLATERAL)?.symbol, 'pUSD')
    assert.equal(tokenAt(POLYMARKET_CHAIN, POLYMARKET_NEG_RISK_COLLATERAL)?.symbol, 'USDC.e')
    for (const kind of [
      'polymarket-ctf',
      'polymarket-neg-risk-adapter',
      'polymarket-router',
      'polymarket-position-manager',
    ])
      assert.ok(contractOf(POLYMARKET_CHAIN, kind), kind)
  })
})
