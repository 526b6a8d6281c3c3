// What is approved and not executed counts against the limits of leverage and exposure, like what is there already.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeFunctionData, parseAbi } from 'viem'
import { toAddress } from '../../src/lib/address.ts'
import type { Facts, MarginAccount } from '../../src/policy/facts.ts'
import { standingApprovals } from '../../src/policy/standing-approvals.ts'
import type { ProposedTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { OBSERVED_AT, priceOf, USDC } from '../support/actions.ts'
import { startService } from '../support/app.ts'
import { fixedSources } from '../support/fixed-sources.ts'
import { AAVE_POOL, account, positionsOf } from '../support/lending.ts'
import { decide } from './operations/service.ts'

const TX_HASH = `0x${'cd'.repeat(32)}` as const
const observed = { status: 'fresh', observedAt: OBSERVED_AT } as const
const market = { symbol: 'BTC', kind: 'perp', sizeDecimals: 5, mark: '50000', maxLeverage: 40, leverage: 10 } as const
const abi = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
])

/** A wallet with 1,000 at the venue of orders, and 300 USDC supplied and 100 owed at Aave. */
async function world(policy: Policy, change: Facts = {}) {
  const wallet = randomAddress()
  const margin: MarginAccount = { equityMicroUsd: '1000000000', positions: [], orders: [] }
  const usdc = { symbol: 'USDC', decimals: 6, listed: true, stable: true }
  const facts: Facts = {
    markets: { ...observed, source: 'markets', value: { '0': market } },
    margin: { ...observed, source: 'margin', value: margin },
    tokens: { ...observed, source: 'tokens', value: { [USDC]: usdc } },
    prices: { ...observed, source: 'prices', value: { [USDC]: priceOf(1) } },
    sanctions: { ...observed, source: 'sanctions', value: { screened: [wallet, AAVE_POOL, USDC], hits: [] } },
    ...positionsOf(account({ amount: 300_000_000n, usd: 300 }, { amount: 100_000_000n, usd: 100 })),
    ...change,
  }
  const service = await startService({ sources: fixedSources(facts) })
  const principal = await service.agentOf(wallet, [1, 999], policy)
  const submit = (proposedTx: ProposedTx) =>
    decide(service.policy, principal, { escrowAddress: wallet, prompt: 'Go on.', proposedTx })
  const pool = (functionName: 'supply' | 'withdraw' | 'borrow', dollars: number): ProposedTx => {
    const amount = BigInt(dollars) * 1_000_000n
    const data = {
      supply: () => encodeFunctionData({ abi, functionName: 'supply', args: [USDC, amount, wallet, 0] }),
      withdraw: () => encodeFunctionData({ abi, functionName: 'withdraw', args: [USDC, amount, wallet] }),
      borrow: () => encodeFunctionData({ abi, functionName: 'borrow', args: [USDC, amount, 2n, 0, wallet] }),
    }
    return { protocol: 'aave', chainId: 1, to: toAddress(AAVE_POOL), value: '0x0', data: data[functionName]() }
  }
  let nonce = Date.now()
  const order = (size: string, side: 'buy' | 'sell' = 'buy', reduceOnly = false): ProposedTx => {
    const one = { a: 0, b: side === 'buy', p: '50000', s: size, r: reduceOnly, t: { limit: { tif: 'Gtc' } } }
    return {
      protocol: 'hyperliquid',
      chainId: 999,
      action: { type: 'order', orders: [one], grouping: 'na' },
      nonce: nonce++,
    }
  }
  return { ...service, principal, wallet, submit, pool, order }
}

describe('what is approved and not executed', () => {
  const ofOrders: Policy = { leverage: { maxPortfolio: 3 } }

  test('counts as open orders do, until it is cancelled', async () => {
    const { submit, order, policy, principal, close } = await world(ofOrders)
    const first = await submit(order('0.04'))
    assert.equal(first.verdict.outcome, 'approved', first.verdict.humanReason)
    const second = await submit(order('0.04'))
    assert.deepEqual(
      [second.verdict.reasonCode, second.verdict.triggeringPolicyField],
      ['leverage_cap_exceeded', 'leverage.maxPortfolio'],
    )
    assert.match(second.verdict.humanReason, /would be 4, above the limit of 3/)
    assert.equal((await submit(order('0.02'))).verdict.outcome, 'approved')
    assert.equal((await submit(order('0.001'))).verdict.outcome, 'rejected')
    // What can only shrink a position, and what is on the other side, adds nothing.
    assert.equal((await submit(order('1', 'buy', true))).verdict.outcome, 'approved')
    assert.equal((await submit(order('0.06', 'sell'))).verdict.outcome, 'approved')
    await policy.cancel(principal, first.requestHash)
    const third = await submit(order('0.04'))
    assert.equal(third.verdict.outcome, 'approved', third.verdict.humanReason)
    await close()
  })

  test('counts among those that are decided at once', async () => {
    const { submit, order, close } = await world(ofOrders)
    const decisions = await Promise.all(Array.from({ length: 12 }, () => submit(order('0.02'))))
    assert.equal(decisions.filter(({ verdict }) => verdict.outcome === 'approved').length, 3)
    await close()
  })

  test('counts once it was executed where its account was read before that', async () => {
    const { submit, order, pool, policy, principal, storage, wallet, close } = await world(ofOrders)
    const { requestHash } = await submit(order('0.04'))
    const before = await storage.now()
    await policy.reportExecution(principal, requestHash, { orderId: '1' })
    const ordersReadAt = async (at: number) => (await standingApprovals(storage.stores, wallet, at)).length
    assert.equal(await ordersReadAt(before), 1)
    assert.equal(await ordersReadAt((await storage.now()) + 1), 0)
    // A transaction may be reported before it is mined.
    const lent = await submit(pool('borrow', 1))
    await policy.reportExecution(principal, lent.requestHash, { txHash: TX_HASH })
    assert.equal(await ordersReadAt((await storage.now()) + 1), 1)
    assert.equal(await ordersReadAt((await storage.now()) + 15_001), 0)
    await close()
  })

  test('counts as deposited, taken out and borrowed, each where that is the worse', async () => {
    const { submit, pool, close } = await world({
      leverage: { max: 2, maxPortfolio: 2 },
      exposure: { perProtocolUsd: { aave: 500 } },
    })
    const outcome = async (tx: ProposedTx) => (await submit(tx)).verdict.reasonCode
    // 300 supplied and 100 owed: up to 100 more may be borrowed, or 100 taken out.
    assert.equal(await outcome(pool('borrow', 101)), 'leverage_cap_exceeded')
    assert.equal(await outcome(pool('borrow', 25)), 'allowed')
    assert.equal(await outcome(pool('withdraw', 51)), 'leverage_cap_exceeded')
    assert.equal(await outcome(pool('withdraw', 50)), 'allowed')
    assert.equal(await outcome(pool('borrow', 1)), 'leverage_cap_exceeded')
    // A deposit that may come does not let more be borrowed, and one that may leave makes no room.
    assert.equal(await outcome(pool('supply', 150)), 'allowed')
    assert.equal(await outcome(pool('borrow', 1)), 'leverage_cap_exceeded')
    assert.equal(await outcome(pool('supply', 51)), 'protocol_exposure_exceeded')
    assert.equal(await outcome(pool('supply', 50)), 'allowed')
    await close()
  })

  test('that cannot be valued lets nothing pass that it is part of', async () => {
    const { submit, pool, wallet, policy, close } = await world(
      {},
      { prices: { status: 'unavailable', source: 'prices', reason: 'The feeds are down.' } },
    )
    assert.equal((await submit(pool('supply', 1))).verdict.outcome, 'approved')
    await policy.writePolicy(wallet, { exposure: { perProtocolUsd: { aave: 500 } } }, 'test')
    const { verdict } = await submit(pool('supply', 1))
    assert.equal(verdict.reasonCode, 'data_unavailable')
    assert.match(verdict.humanReason, /approved and not executed cannot be read or valued/)
    await close()
  })
})
