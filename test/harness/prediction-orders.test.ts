// Orders of Polymarket from the tool to the fill, against a stand-in of the venue that checks every signature with another library.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { generatePrivateKey } from 'viem/accounts'
import { createChains } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { createGate } from '../../src/harness/gate.ts'
import { polymarket } from '../../src/harness/order-venues/polymarket.ts'
import { predictionCancel } from '../../src/harness/tools/prediction-cancel.ts'
import { predictionOrder } from '../../src/harness/tools/prediction-order.ts'
import { toAddress } from '../../src/lib/address.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import { predictionReader, predictionsOf } from '../../src/process/polymarket.ts'
import type { ProposedTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { configFor, openDesk } from '../support/polymarket/desk.ts'
import { type StandInExchange, startExchange, TOKENS } from '../support/polymarket/exchange.ts'

const POLICY: Policy = {
  venues: { allow: ['polymarket'] },
  chains: { allow: [137] },
  assets: {
    allow: [
      { venue: 'polymarket', symbol: 'will-it-rain' },
      { venue: 'polymarket', symbol: 'who-wins:Yes' },
      { venue: 'polymarket', symbol: 'will-it-launch' },
    ],
  },
  priceBound: { maxDeviationBps: 500 },
  caps: { perTxUsd: 100, outflow24hUsd: 300 },
  exposure: { perProtocolUsd: { polymarket: 150 } },
}
const PROXY = toAddress('0x9a0000000000000000000000000000000000009a')
const signer = createSigner(generatePrivateKey())
const WALLET = signer.address
const RAIN = { market: 'will-it-rain', outcome: 'Yes', side: 'buy', shares: '20', price: '0.53' } as const

type Desk = Awaited<ReturnType<typeof openDesk>>
let exchange: StandInExchange
let desk: Desk

/** What a tool proposes, which must be an action. */
async function built(args: object, tool = predictionOrder, at: Desk = desk): Promise<ProposedTx> {
  const tx = await at.propose(tool, args)
  assert.ok(typeof tx === 'object', typeof tx === 'string' ? tx : '')
  return tx
}

/** Why a tool proposes nothing. */
async function refusal(args: object, tool = predictionOrder, at: Desk = desk): Promise<string> {
  const said = await at.propose(tool, args)
  assert.ok(typeof said === 'string', 'it was proposed')
  return said
}

const reasonOf = async (tx: ProposedTx, at: Desk = desk) => {
  const { verdict } = await at.decide(tx)
  return [verdict.reasonCode, verdict.triggeringPolicyField]
}

/** The action with its order or its own members changed. */
function changed(tx: ProposedTx, order: object, of: object = {}): ProposedTx {
  assert.ok('order' in tx && typeof tx['order'] === 'object')
  return { ...tx, order: { ...tx['order'], ...order }, ...of } as ProposedTx
}

describe('orders of predictions', () => {
  before(async () => {
    exchange = await startExchange()
  })
  after(() => exchange.stop())
  beforeEach(async () => {
    desk = await openDesk(exchange, signer, POLICY)
    exchange.book.orders.clear()
    exchange.accepted.length = 0
    exchange.settings.fillShare = 1
    exchange.faults.exchange = undefined
    exchange.faults.info = undefined
    const account = exchange.book.accountOf(WALLET)
    account.dollars = 0
    account.shares.clear()
    exchange.fund(WALLET, 1_000)
    for (const { outcomes } of exchange.markets)
      for (const { bids, asks } of outcomes) for (const level of [...bids, ...asks]) level.shares = 1_000_000_000
  })
  afterEach(() => desk.close())

  describe('an order', () => {
    test('within the policy is signed as approved, filled, and spends what it cost at most', async () => {
      const { requestHash, verdict, execution } = await desk.place(await built(RAIN))
      assert.deepEqual(execution, {
        mode: 'direct',
        ok: true,
        status: 'placed',
        txHash: null,
        words: 'Placed at polymarket: matched.',
      })
      assert.match(verdict.humanReason, /Buy 20 will-it-rain:Yes at 0.53 or better, GTC; worth \$11.13/)
      assert.equal(exchange.accepted.length, 1)
      const stored = await desk.storage.stores.transactions.byRequestHash(requestHash)
      const order = verdict.evidence.decodedActions?.[0]?.order
      assert.deepEqual([stored?.status, stored?.report], ['EXECUTED', { orderId: order?.cloid }])
      // 10.60 dollars, and the 5 % that the exchange lets be taken of it.
      assert.equal(await desk.held(), 11_130_000n)
      assert.equal(exchange.book.accountOf(WALLET).shares.get(TOKENS.rain[0]), 20_000_000)
    })

    test('that rests holds its cost until it is filled, and posts it then', async () => {
      const { execution, verdict } = await desk.place(await built({ ...RAIN, price: '0.5', minutes: 30 }))
      assert.ok(execution.ok && execution.mode === 'direct' && execution.status === 'placed')
      assert.match(execution.words, /live/)
      const hash = verdict.evidence.decodedActions?.[0]?.order?.cloid ?? ''
      assert.equal(await desk.follow(), 0)
      assert.equal(await desk.held(), 10_500_000n)
      exchange.book.fillResting(hash, 4_000_000)
      assert.equal(await desk.follow(), 0)
      exchange.book.fillResting(hash)
      assert.equal(await desk.follow(), 1)
      assert.equal(await desk.follow(), 0)
      assert.equal(await desk.held(), 10_500_000n)
    })

    test('that is taken back by the tool gives its room back, once', async () => {
      await desk.place(await built({ ...RAIN, price: '0.5' }))
      await desk.place(await built({ ...RAIN, outcome: 'No', price: '0.4' }))
      await desk.place(await built({ market: 'who-wins', outcome: 'Yes', side: 'buy', shares: '10', price: '0.299' }))
      const { execution, verdict } = await desk.place(await built({ market: 'will-it-rain' }, predictionCancel))
      assert.ok(execution.ok)
      assert.match(verdict.humanReason, /orders are taken back/i)
      assert.equal(await desk.follow(), 2)
      assert.equal(await desk.follow(), 0)
      // 10 at 0.299 and its fee of 4 % of price × (1 − price) at most, which is less than 5 %.
      assert.equal(await desk.held(), 3_139_500n)
    })

    test('that expires, or that its market ends, gives its room back', async () => {
      const { verdict } = await desk.place(await built({ ...RAIN, price: '0.5', minutes: 2 }))
      const hash = verdict.evidence.decodedActions?.[0]?.order?.cloid ?? ''
      exchange.settings.prefix = ''
      exchange.book.cancel(hash, 'INVALID')
      assert.equal(await desk.follow(), 1)
      assert.equal(await desk.held(), 0n)
      exchange.settings.prefix = 'ORDER_STATUS_'
    })

    test('that is filled in part and ended counts as spent', async () => {
      exchange.settings.fillShare = 0.005
      const { execution } = await desk.place(await built({ ...RAIN, fill: 'what-there-is' }))
      assert.ok(execution.ok)
      await desk.follow()
      assert.ok((exchange.book.accountOf(WALLET).shares.get(TOKENS.rain[0]) ?? 0) < 20_000_000)
      assert.equal(await desk.held(), 11_130_000n)
    })

    test('that the venue refuses is over, and its room is free', async () => {
      exchange.settings.fillShare = 0.005
      const { requestHash, execution } = await desk.place(await built({ ...RAIN, fill: 'all-or-nothing' }))
      assert.ok(!execution.ok)
      assert.match(execution.reason, /FOK orders are fully filled or killed/)
      assert.equal(await desk.statusOf(requestHash), 'FAILED')
      assert.equal(await desk.held(), 0n)
      exchange.book.accountOf(WALLET).dollars = 0
      const poor = await desk.place(await built(RAIN))
      assert.ok(!poor.execution.ok && /not enough balance/.test(poor.execution.reason))
    })

    test('is placed once, whatever is tried', async () => {
      const { approval } = await desk.place(await built(RAIN))
      assert.ok(approval)
      const again = await desk.gate.execute(approval)
      assert.ok(!again.ok && /used already/.test(again.reason))
      const other = await desk.decide(await built(RAIN))
      assert.ok(other.approval)
      const gates = [desk.gate, desk.gate, desk.anotherGate()]
      const use = other.approval
      const all = await Promise.all(gates.map((gate) => gate.execute(use)))
      assert.equal(all.filter((one) => one.ok).length, 1)
      // The same order approved a second time is the same order.
      const tx = await built(RAIN)
      await desk.place(tx)
      const twice = await desk.place(tx)
      assert.ok(!twice.execution.ok)
      assert.equal(exchange.accepted.length, 3)
    })

    test('with one byte changed after its approval is not signed, and not taken by the venue either', async () => {
      const { approval, requestHash } = await desk.decide(await built({ ...RAIN, minutes: 30 }))
      assert.ok(approval)
      for (const tx of [
        changed(approval.tx, { takerAmount: '20000001' }),
        changed(approval.tx, {}, { orderType: 'GTC', expiration: 0 }),
        changed(approval.tx, {}, { expiration: 1_999_999_999 }),
      ]) {
        const forged = await desk.gate.execute({ ...approval, tx })
        assert.ok(!forged.ok && /not the ones that were approved/.test(forged.reason))
      }
      assert.equal(exchange.accepted.length, 0)
      await desk.gate.execute(approval)
      const journal = await desk.storage.stores.venueOrders.action(requestHash)
      assert.ok(journal)
      const { order, orderType } = JSON.parse(journal.body) as { order: Record<string, unknown>; orderType: string }
      const changes: Record<string, unknown> = {
        salt: Number(order['salt']) + 1,
        maker: PROXY,
        tokenId: TOKENS.rain[1],
        makerAmount: '10500000',
        takerAmount: '21000000',
        side: 'SELL',
        signatureType: 1,
        timestamp: String(Number(order['timestamp']) + 1),
        metadata: `0x${'0'.repeat(63)}1`,
        builder: `0x${'0'.repeat(63)}1`,
      }
      const account = desk.predictions.account
      assert.ok(account)
      for (const [name, value] of Object.entries(changes)) {
        const forged = { ...order, [name]: value }
        const answer: unknown = await account.place({ order: forged, orderType })
        assert.deepEqual([name, answer], [name, { taken: false, had: false, reason: 'invalid signature' }])
      }
      const same = await account.place({ order, orderType })
      assert.ok(!same.taken && same.had)
      assert.equal(exchange.accepted.length, 1)
    })

    test('whose answer is lost, garbled or a lie is asked after before anything is sent again', async () => {
      for (const fault of ['lose the answer', 'garbage', 'lie'] as const) {
        const before = exchange.accepted.length
        exchange.faults.exchange = fault
        const { execution, requestHash } = await desk.place(await built(RAIN))
        assert.ok(execution.ok && execution.mode === 'direct' && execution.status === 'placed', fault)
        assert.equal(exchange.accepted.length, before + 1)
        assert.equal(await desk.statusOf(requestHash), 'EXECUTED')
      }
    })

    test('that is never answered is asked after, and sent again', async () => {
      exchange.faults.exchange = 'silent'
      const { execution } = await desk.place(await built(RAIN))
      assert.ok(execution.ok && execution.mode === 'direct' && execution.status === 'placed')
      assert.equal(exchange.accepted.length, 1)
    })

    test('that never arrived is sent again, the same bytes', async () => {
      const lost = await desk.decide(await built(RAIN))
      assert.ok(lost.approval)
      // The key is had before all is silent.
      await desk.predictions.account?.openOrders()
      exchange.faults.exchange = 'refuse'
      exchange.faults.info = 'refuse'
      const first = await desk.gate.execute(lost.approval)
      assert.ok(first.ok && first.mode === 'direct' && first.status === 'pending')
      assert.equal(exchange.accepted.length, 0)
      exchange.faults.exchange = undefined
      exchange.faults.info = undefined
      await desk.gate.recover()
      assert.equal(exchange.accepted.length, 1)
      assert.equal(await desk.statusOf(lost.requestHash), 'EXECUTED')
      await desk.gate.recover()
      assert.equal(exchange.accepted.length, 1)
    })

    test('that was sent, and is too old to be sent again, holds its room: the venue may have it', async () => {
      const [venue] = desk.predictions.orderVenues
      const { approval, requestHash } = await desk.decide(await built(RAIN))
      assert.ok(venue && approval)
      const lost = { ...venue, send: () => Promise.reject(new CountersignError('unavailable', 'Polymarket is late.')) }
      const first = await desk.anotherGate([lost]).execute(approval)
      assert.ok(first.ok && first.mode === 'direct' && first.status === 'pending')
      assert.ok(desk.predictions.account)
      const later = polymarket(desk.predictions.account, () => Date.now() + 11 * 60_000)
      await desk.anotherGate([later]).recover()
      assert.equal(exchange.accepted.length, 0)
      assert.equal(await desk.held(), 11_130_000n)
      assert.equal((await desk.storage.stores.venueOrders.ofRequest(requestHash))[0]?.state, 'open')
    })

    test('is placed with a new API key where the old one is not taken any more', async () => {
      await desk.place(await built(RAIN))
      exchange.keys.clear()
      const { execution } = await desk.place(await built(RAIN))
      assert.ok(execution.ok)
      assert.equal(exchange.accepted.length, 2)
    })
  })

  describe('what the policy refuses', () => {
    test('a limit beyond the bound around the mid, in either direction', async () => {
      assert.deepEqual(await reasonOf(await built({ ...RAIN, price: '0.55' })), [
        'no_execution_price_bound',
        'priceBound.maxDeviationBps',
      ])
      const sale = { ...RAIN, side: 'sell', price: '0.49' }
      assert.deepEqual(await reasonOf(await built(sale)), ['no_execution_price_bound', 'priceBound.maxDeviationBps'])
      assert.deepEqual(await reasonOf(await built({ ...RAIN, price: '0.54' })), ['allowed', null])
    })

    test('outcomes, sizes, sides and accounts that are not allowed', async () => {
      const wins = { ...RAIN, market: 'who-wins', price: '0.3' }
      assert.deepEqual(await reasonOf(await built({ ...wins, outcome: 'No', price: '0.7' })), [
        'asset_not_in_universe',
        'assets.allow',
      ])
      assert.deepEqual(await reasonOf(await built(wins)), ['allowed', null])
      assert.deepEqual(await reasonOf(await built({ ...RAIN, shares: '190' })), [
        'per_tx_cap_exceeded',
        'caps.perTxUsd',
      ])
      const proxied = changed(await built(RAIN), { maker: PROXY, signatureType: 1 })
      assert.deepEqual(await reasonOf(proxied), ['recipient_not_allowed', 'recipients.allow'])
      const sellers = await openDesk(exchange, signer, { ...POLICY, sides: { allow: ['sell'] } })
      assert.deepEqual(await reasonOf(await built(RAIN), sellers), ['side_not_allowed', 'sides.allow'])
      await sellers.close()
    })

    test('a token that no market has, and an order for another exchange than its market’s', async () => {
      const unknown = changed(await built(RAIN), { tokenId: `${TOKENS.rain[0].slice(0, -1)}9` })
      assert.deepEqual(await reasonOf(unknown), ['asset_identity_unresolved', null])
      const negRisk = '0xe2222d279d744050d28e00520010520000310f59'
      assert.deepEqual(await reasonOf(changed(await built(RAIN), {}, { exchange: negRisk })), [
        'asset_identity_unresolved',
        null,
      ])
      const v3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'
      assert.deepEqual(await reasonOf(changed(await built(RAIN), {}, { exchange: v3 })), ['decode_failure', null])
    })

    test('more at the protocol than its limit: what is held, what rests, and this', async () => {
      await desk.place(await built({ ...RAIN, shares: '150' }))
      await desk.place(await built({ ...RAIN, shares: '50', price: '0.5' }))
      // 78 dollars of shares, 25 that rest, and 63 more.
      assert.deepEqual(await reasonOf(await built({ ...RAIN, shares: '120', price: '0.5' })), [
        'protocol_exposure_exceeded',
        'exposure.perProtocolUsd.polymarket',
      ])
      assert.deepEqual(await reasonOf(await built({ ...RAIN, shares: '80', price: '0.5' })), ['allowed', null])
      const sale = { ...RAIN, side: 'sell', shares: '100', price: '0.52' }
      assert.deepEqual(await reasonOf(await built(sale)), ['allowed', null])
    })

    test('everything while the venue is silent or contradicts itself: no price, no approval', async () => {
      for (const fault of ['lose the answer', 'garbage', 'refuse', 'lie'] as const) {
        const tx = await built(RAIN)
        await desk.close()
        desk = await openDesk(exchange, signer, POLICY)
        exchange.faults.info = fault
        assert.deepEqual(await reasonOf(tx), ['data_unavailable', 'assets.allow'], fault)
        exchange.faults.info = undefined
      }
    })
  })

  describe('a dry run', () => {
    test('decides the same, and has no key: nothing is signed, asked for or sent', async () => {
      const config = configFor(exchange)
      const { account, orderVenues, sources } = predictionsOf(config, undefined)
      assert.deepEqual([account, orderVenues, sources.length], [undefined, [], 2])
      const before = exchange.keys.size
      const { approval, verdict } = await desk.decide(await built(RAIN))
      assert.equal(verdict.outcome, 'approved')
      assert.ok(approval)
      const gate = createGate({ mode: 'dry-run', chains: createChains([]), wallet: WALLET, log: silentLog })
      const run = await gate.execute(approval)
      assert.ok(run.ok && run.mode === 'dry-run')
      assert.equal(exchange.accepted.length, 0)
      assert.equal(exchange.keys.size, before)
      const predictions = predictionsOf(config, undefined)
      const reader = predictionReader(predictions, config, WALLET, async () => POLICY)
      const open = await reader.openOrders()
      assert.ok(!open.ok && /key alone/.test(open.reason))
    })
  })

  describe('an order of an agent', () => {
    test('that is cancelled keeps its room until the venue says that there is none', async () => {
      const { requestHash, verdict } = await desk.decide(await built(RAIN))
      assert.equal(verdict.outcome, 'approved')
      await desk.service.policy.cancel(desk.principal, requestHash)
      assert.equal(await desk.statusOf(requestHash), 'CANCELLED')
      assert.equal(await desk.follow(), 0)
      assert.equal(await desk.held(), 11_130_000n)
    })
  })

  describe('every order that the tools build', () => {
    test('is taken by the venue: sides, ticks, exchanges, and ways to fill', async () => {
      const generous: Policy = { venues: { allow: ['polymarket'] }, priceBound: { maxDeviationBps: 5_000 } }
      const wide = await openDesk(exchange, signer, generous)
      const account = exchange.book.accountOf(WALLET)
      const wins = { market: 'who-wins', outcome: 'No' }
      const launch = { market: 'will-it-launch', outcome: 'Yes' }
      const rain = { market: 'will-it-rain', outcome: 'Yes' }
      const orders = [
        { ...rain, price: '0.537' },
        { ...rain },
        { ...rain, price: '0.53', fill: 'all-or-nothing' },
        { ...rain, price: '0.53', fill: 'what-there-is' },
        { ...rain, price: '0.4', minutes: 5 },
        { ...wins, price: '0.7013' },
        { ...wins },
        { ...wins, price: '0.7013', fill: 'all-or-nothing' },
        { ...wins, price: '0.6', minutes: 1 },
        { ...launch, price: '0.7061' },
        { ...launch },
        { ...launch, price: '0.7055', fill: 'what-there-is' },
        { ...launch, price: '0.5', minutes: 600 },
      ]
      for (const [side, shares] of [
        ['buy', '17.339'],
        ['sell', '7.77'],
      ])
        for (const order of orders) {
          account.shares.set(TOKENS.rain[0], 1e9).set(TOKENS.election[1], 1e9).set(TOKENS.launch[0], 1e9)
          // A sale's limit is on the other side of the market.
          const limit = 'price' in order && side === 'sell' ? { price: String(Number(order.price) - 0.05) } : {}
          const tx = await built({ ...order, ...limit, side, shares }, predictionOrder, wide)
          const { execution } = await wide.place(tx)
          assert.ok(execution.ok, `${JSON.stringify({ ...order, side })}: ${execution.ok ? '' : execution.reason}`)
        }
      assert.equal(exchange.accepted.length, 2 * orders.length)
      await wide.close()
    })

    test('for a proxy, a Safe or a deposit wallet is the key’s, where the policy lists it', async () => {
      exchange.owners.set(PROXY, WALLET)
      exchange.fund(PROXY, 1_000)
      for (const signatureType of [1, 2, 3]) {
        const policy = { ...POLICY, recipients: { allow: [PROXY] } }
        const proxied = await openDesk(exchange, signer, policy, { address: PROXY, signatureType })
        const { execution } = await proxied.place(await built(RAIN, predictionOrder, proxied))
        assert.ok(execution.ok, execution.ok ? '' : execution.reason)
        const sent = exchange.accepted.at(-1)?.order
        assert.deepEqual([sent?.maker, sent?.signatureType], [PROXY, signatureType])
        assert.equal(sent?.signature.length, signatureType === 3 ? 2 + 2 * 317 : 2 + 2 * 65)
        await proxied.close()
      }
    })

    test('says what the venue would not take', async () => {
      assert.match(await refusal({ ...RAIN, shares: '4' }), /5 shares or more/)
      assert.match(await refusal({ ...RAIN, price: '0.001' }), /from 0.01 to 0.99/)
      assert.match(await refusal({ ...RAIN, outcome: 'Maybe' }), /Yes, No/)
      assert.match(await refusal({ ...RAIN, market: 'no-such' }), /no open market/)
      assert.match(await refusal({ market: 'will-it-rain' }, predictionCancel), /no open order/)
      const outcome = exchange.book.outcomeOf(TOKENS.rain[0])
      assert.ok(outcome)
      const asks = outcome.asks.splice(0, outcome.asks.length, { price: 0.6, shares: 1_000_000_000 })
      const narrow = await openDesk(exchange, signer, POLICY)
      const { price: _, ...now } = RAIN
      assert.match(await refusal(now, predictionOrder, narrow), /best price is 0.6, and the policy allows none/)
      outcome.asks.splice(0, 1, ...asks)
      await narrow.close()
    })
  })
})
