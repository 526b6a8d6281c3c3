// Orders from the decision to the fill, against a stand-in of the venue that checks each signature by itself.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { generatePrivateKey } from 'viem/accounts'
import { createChains, createHyperliquid, type Hyperliquid } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { createGate, type Gate } from '../../src/harness/gate.ts'
import { followDue } from '../../src/harness/order-follower.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import {
  type AnySource,
  type Claim,
  type Claimed,
  hyperliquidMargin,
  hyperliquidMarkets,
} from '../../src/policy/index.ts'
import type { ProposedTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { startService } from '../support/app.ts'
import { attestor } from '../support/attestor.ts'
import { type StandInExchange, startExchange } from '../support/hyperliquid/exchange.ts'

const POLICY: Policy = {
  venues: { allow: ['hyperliquid'] },
  chains: { allow: [999] },
  assets: {
    allow: [
      { venue: 'hyperliquid', symbol: 'BTC' },
      { venue: 'hyperliquid', symbol: 'ETH' },
      { chainId: 999, address: toAddress('0xb88339cb7199b77e23db6e890353e22632ba630f') },
    ],
  },
  priceBound: { maxDeviationBps: 200 },
  leverage: { max: 10, perMarket: { BTC: 5 }, maxPortfolio: 2 },
  caps: { perTxUsd: 5_000, outflow24hUsd: 3_000 },
  exposure: { perProtocolUsd: { hyperliquid: 20_000 } },
}
const STRANGER = '0x5700000000000000000000000000000000000057'
/** An order that rests, and that its maker gave no id. */
const NAMELESS = { a: 0, b: true, p: '59500', s: '0.01', r: false, t: { limit: { tif: 'Gtc' } } }
const signer = createSigner(generatePrivateKey())
const WALLET = signer.address
const { publicKey } = attestor

let exchange: StandInExchange
let venue: Hyperliquid
describe('orders at a venue', () => {
  before(async () => {
    exchange = await startExchange()
    venue = createHyperliquid({ url: exchange.url, weightPerMinute: 1_000_000, now: () => Date.now() })
  })
  after(() => exchange.stop())

  type Service = Awaited<ReturnType<typeof startService>> &
    Readonly<{ principal: Awaited<ReturnType<Awaited<ReturnType<typeof startService>>['agentOf']>> }>
  let service: Service
  let gate: Gate

  beforeEach(async () => {
    const opened = await startService({ sources: sources() })
    service = { ...opened, principal: await opened.agentOf(WALLET, [999], POLICY) }
    exchange.book.orders.length = 0
    exchange.accepted.length = 0
    exchange.settings.fillShare = 1
    exchange.settings.collateralToken = 0
    exchange.faults.exchange = undefined
    exchange.faults.info = undefined
    const account = exchange.book.accountOf(WALLET)
    account.positions.clear()
    account.leverage.clear()
    account.usd = 0
    exchange.fund(WALLET, 5_000)
    gate = openGate()
  })
  afterEach(() => service.storage.close())

  function openGate(at: Hyperliquid = venue, claim?: Claim): Gate {
    const { storage } = service
    const chains = createChains([])
    const settings = { chains, storage, signer, publicKey, wallet: WALLET, log: silentLog, venue: at, claim }
    return createGate({ mode: 'direct', ...settings })
  }

  /** The venue's facts come from the venue; of anything else nothing is asked. */
  function sources(): readonly AnySource[] {
    const observedAt = () => new Date()
    return [
      {
        id: 'tokens',
        fact: 'tokens',
        timeoutMs: 1_000,
        ask: async () => ({
          value: {
            '0xb88339cb7199b77e23db6e890353e22632ba630f': { symbol: 'USDC', decimals: 6, listed: true, stable: true },
          },
          observedAt: observedAt(),
        }),
      },
      {
        id: 'prices',
        fact: 'prices',
        timeoutMs: 1_000,
        ask: async () => ({
          value: {
            '0xb88339cb7199b77e23db6e890353e22632ba630f': {
              usdE8: '100000000',
              source: 'a feed',
              updatedAt: observedAt().toISOString(),
            },
          },
          observedAt: observedAt(),
        }),
      },
      {
        id: 'sanctions',
        fact: 'sanctions',
        timeoutMs: 1_000,
        ask: async ({ addresses }) => ({ value: { screened: addresses, hits: [] }, observedAt: observedAt() }),
      },
      hyperliquidMarkets(venue),
      hyperliquidMargin(venue),
    ]
  }

  let last = 0
  const nonce = () => {
    last = Math.max(Date.now(), last + 1)
    return last
  }
  const cloid = (): Hex => `0x${randomBytes(16).toString('hex')}`

  type Wanted = Partial<Readonly<{ a: number; b: boolean; p: string; s: string; r: boolean; tif: string; c: string }>>
  function order({
    a = 0,
    b = true,
    p = '60500',
    s = '0.01',
    r = false,
    tif = 'Ioc',
    c = cloid(),
  }: Wanted = {}): ProposedTx {
    const one = { a, b, p, s, r, t: { limit: { tif } }, c }
    return {
      protocol: 'hyperliquid',
      chainId: 999,
      action: { type: 'order', orders: [one], grouping: 'na' },
      nonce: nonce(),
    }
  }
  const action = (said: object): ProposedTx => {
    const at = nonce()
    return {
      protocol: 'hyperliquid',
      chainId: 999,
      action: { ...said, ...('time' in said && { time: at }) },
      nonce: at,
    }
  }

  const withFields = (tx: ProposedTx, fields: object): ProposedTx => ({ ...tx, ...fields })

  async function decide(proposedTx: ProposedTx) {
    const request = { escrowAddress: WALLET, prompt: 'An order.', proposedTx }
    const { record, decided } = await service.policy.submit(service.principal, request)
    const { verdict, approval } = await decided
    return { requestHash: record.requestHash as Hex, verdict, approval }
  }

  async function place(proposedTx: ProposedTx) {
    const { approval, verdict, requestHash } = await decide(proposedTx)
    assert.equal(verdict.outcome, 'approved', verdict.humanReason)
    assert.ok(approval)
    return { requestHash, approval, verdict, execution: await gate.execute(approval) }
  }

  const held = async () => service.storage.stores.holds.outflowSince(WALLET, (await service.storage.now()) - 86_400_000)
  const statusOf = async (requestHash: Hex) =>
    (await service.storage.stores.transactions.byRequestHash(requestHash))?.status
  const follow = () => followDue({ storage: service.storage, venue, log: silentLog, everyMs: -1 })
  const reasonOf = async (proposedTx: ProposedTx) => {
    const { verdict } = await decide(proposedTx)
    return [verdict.reasonCode, verdict.triggeringPolicyField]
  }

  describe('an order', () => {
    test('within the policy is signed as approved, filled, and spends its margin', async () => {
      const { requestHash, verdict, execution } = await place(order())
      assert.deepEqual(execution, {
        mode: 'direct',
        ok: true,
        status: 'placed',
        txHash: null,
        words: 'Placed at hyperliquid: filled.',
      })
      assert.match(verdict.humanReason, /Buy 0.01 BTC at 60500 or better, Ioc; worth \$605.00/)
      assert.equal(verdict.evidence.decodedActions?.[0]?.order?.symbol, 'BTC')
      assert.equal(exchange.accepted.length, 1)
      assert.equal(await statusOf(requestHash), 'EXECUTED')
      // 605 dollars at a leverage of 20, which the account has.
      assert.equal(await held(), 30_250_000n)
      assert.equal(exchange.book.accountOf(WALLET).positions.get(0)?.size, 0.01)
    })

    test('that another process decided is sent once that knows of it, and not before', async () => {
      let answer: Claimed = { kind: 'unknown', reason: 'The policy service did not answer in time.' }
      const claims: unknown[] = []
      gate = openGate(venue, async (_, report) => {
        claims.push(report)
        return answer
      })
      const c = cloid()
      const { requestHash, execution } = await place(order({ c }))
      assert.ok(execution.ok && execution.mode === 'direct' && execution.status === 'pending')
      assert.match(execution.words ?? '', /signed, and not sent yet.*did not answer/)
      assert.deepEqual([exchange.accepted.length, claims], [0, [{ cloid: c }]])
      answer = { kind: 'taken' }
      await gate.recover()
      assert.deepEqual([exchange.accepted.length, claims.length, await statusOf(requestHash)], [1, 2, 'EXECUTED'])

      answer = { kind: 'refused', reason: 'The policy service refused (409): the approval has expired.' }
      const before = await held()
      const refused = await place(order())
      assert.ok(!refused.execution.ok)
      assert.match(refused.execution.reason, /has expired/)
      assert.deepEqual(
        [exchange.accepted.length, await statusOf(refused.requestHash), await held()],
        [1, 'FAILED', before],
      )
    })

    test('that rests holds its margin until it is filled, and posts it then', async () => {
      const c = cloid()
      const { execution } = await place(order({ p: '59500', tif: 'Gtc', c }))
      assert.ok(execution.ok && execution.mode === 'direct' && execution.status === 'placed')
      assert.match(execution.words, /open/)
      assert.equal(await follow(), 0)
      assert.equal(await held(), 30_000_000n)
      exchange.book.fillResting(c, 0.004)
      assert.equal(await follow(), 0)
      exchange.book.fillResting(c)
      assert.equal(await follow(), 1)
      assert.equal(await held(), 30_000_000n)
    })

    test('that is cancelled at the venue gives its room back, once', async () => {
      const c = cloid()
      await place(order({ p: '59500', tif: 'Gtc', c }))
      await place(action({ type: 'cancelByCloid', cancels: [{ asset: 0, cloid: c }] }))
      assert.equal(await held(), 30_000_000n)
      assert.equal(await follow(), 1)
      assert.equal(await follow(), 0)
      assert.equal(await held(), 0n)
    })

    test('that is filled in part and cancelled counts as spent', async () => {
      exchange.settings.fillShare = 0.5
      await place(order())
      await follow()
      assert.equal(await held(), 30_250_000n)
    })

    test('that the venue refuses is over, and its room is free', async () => {
      const { requestHash, execution } = await place(order({ p: '59900' }))
      assert.ok(!execution.ok)
      assert.match(execution.reason, /could not immediately match/)
      assert.equal(await statusOf(requestHash), 'FAILED')
      assert.equal(await held(), 0n)
    })

    test('is placed once, whatever is tried', async () => {
      const { approval } = await place(order())
      const again = await gate.execute(approval)
      assert.ok(!again.ok && /used already/.test(again.reason))
      const { approval: other } = await decide(order())
      assert.ok(other)
      const all = await Promise.all([gate.execute(other), gate.execute(other), openGate().execute(other)])
      assert.equal(all.filter(({ ok }) => ok).length, 1)
      assert.equal(exchange.accepted.length, 2)
    })

    test('with one byte changed after its approval is not signed, and not taken by the venue either', async () => {
      const { approval, requestHash } = await decide(order())
      assert.ok(approval)
      const larger = order({ s: '0.02' })
      const forged = await gate.execute({ ...approval, tx: larger })
      assert.ok(!forged.ok && /not the ones that were approved/.test(forged.reason))
      assert.equal(exchange.accepted.length, 0)
      await gate.execute(approval)
      const journal = await service.storage.stores.venueOrders.action(requestHash)
      assert.ok(journal)
      for (const [from, to] of [
        ['"0.01"', '"0.02"'],
        ['60500', '60501'],
        ['"b":true', '"b":false'],
      ] as const) {
        const changed = journal.body.replace(from, to)
        assert.notEqual(changed, journal.body)
        const answer = await venue.exchange(changed)
        assert.ok(answer.status === 'err' && /does not exist/.test(answer.response), JSON.stringify(answer))
      }
    })

    test('whose answer is lost is asked after before anything is sent again', async () => {
      exchange.faults.exchange = 'lose the answer'
      const { execution, requestHash } = await place(order())
      assert.ok(execution.ok && execution.mode === 'direct' && execution.status === 'placed')
      assert.equal(exchange.accepted.length, 1)
      assert.equal(await statusOf(requestHash), 'EXECUTED')
      // One without a name cannot be asked after: it counts as taken.
      exchange.faults.exchange = 'lose the answer'
      const before = await held()
      const lost = await place(action({ type: 'order', orders: [NAMELESS], grouping: 'na' }))
      assert.deepEqual([exchange.accepted.length, await statusOf(lost.requestHash)], [2, 'EXECUTED'])
      assert.equal(await held(), before + 30_000_000n)
    })

    test('that is on its way is left alone by every other process', async () => {
      for (const tx of [
        order({ p: '59500', tif: 'Gtc' }),
        action({ type: 'order', orders: [NAMELESS], grouping: 'na' }),
      ]) {
        const { approval, requestHash } = await decide(tx)
        assert.ok(approval)
        const slow: Hyperliquid = {
          ...venue,
          async exchange(body) {
            await gate.recover()
            return venue.exchange(body)
          },
        }
        const before = exchange.accepted.length
        const done = await openGate(slow).execute(approval)
        assert.ok(done.ok && done.mode === 'direct' && done.status === 'placed')
        await gate.recover()
        assert.equal(exchange.accepted.length, before + 1)
        assert.equal(await statusOf(requestHash), 'EXECUTED')
      }
      assert.equal(await held(), 60_000_000n)
    })

    test('that was placed stays so, whatever is said of the same bytes a second time', async () => {
      const { approval, requestHash } = await decide(order({ p: '59500', tif: 'Gtc' }))
      assert.ok(approval)
      const { venueOrders, leases } = service.storage.stores
      const stuck: Hyperliquid = {
        ...venue,
        async exchange(body) {
          // Silent for so long that another process takes over.
          await leases.clear()
          await gate.recover()
          assert.equal((await venueOrders.action(requestHash))?.state, 'placed')
          return venue.exchange(body)
        },
      }
      const done = await openGate(stuck).execute(approval)
      assert.ok(done.ok && done.mode === 'direct' && done.status === 'placed')
      assert.deepEqual([await statusOf(requestHash), await held()], ['EXECUTED', 30_000_000n])
    })

    test('that never arrived is sent again, the same bytes', async () => {
      exchange.faults.exchange = 'garbage'
      // The stand-in took it and answered in no form; the venue knows it by its key.
      await place(order())
      assert.equal(exchange.accepted.length, 1)
      const { approval } = await decide(order())
      assert.ok(approval)
      const lost: Hyperliquid = { ...venue, exchange: () => Promise.reject(new Error('never')) }
      await assert.rejects(openGate(lost).execute(approval))
      assert.equal(exchange.accepted.length, 1)
      await gate.recover()
      assert.equal(exchange.accepted.length, 2)
      await gate.recover()
      assert.equal(exchange.accepted.length, 2)
    })
  })

  describe('what the policy refuses', () => {
    test('too far from the mark, without a price, on leverage above the market’s or the portfolio’s limit', async () => {
      assert.deepEqual(await reasonOf(order({ p: '61201' })), [
        'no_execution_price_bound',
        'priceBound.maxDeviationBps',
      ])
      assert.deepEqual(await reasonOf(order({ b: false, p: '58799' })), [
        'no_execution_price_bound',
        'priceBound.maxDeviationBps',
      ])
      assert.deepEqual(
        await reasonOf(action({ type: 'twapOrder', twap: { a: 0, b: true, s: '0.01', r: false, m: 5, t: false } })),
        ['no_execution_price_bound', null],
      )
      const set = (asset: number, leverage: number) =>
        action({ type: 'updateLeverage', asset, isCross: true, leverage })
      assert.deepEqual(await reasonOf(set(0, 6)), ['leverage_cap_exceeded', 'leverage.perMarket.BTC'])
      assert.deepEqual(await reasonOf(set(1, 11)), ['leverage_cap_exceeded', 'leverage.max'])
      assert.deepEqual(await reasonOf(set(1, 10)), ['allowed', null])
      await place(order({ s: '0.08', p: '60000' }))
      await place(order({ s: '0.08', p: '60000' }))
      // 9,600 of 10,000 dollars are in positions; what rests counts as filled.
      assert.deepEqual(await reasonOf(order({ s: '0.01' })), ['leverage_cap_exceeded', 'leverage.maxPortfolio'])
      assert.deepEqual(await reasonOf(order({ s: '0.01', b: false, p: '59900', r: true })), ['allowed', null])
    })

    test('other markets, above the cap, for others, and to strangers', async () => {
      assert.deepEqual(await reasonOf(order({ a: 2, p: '40.1', s: '10' })), ['asset_not_in_universe', 'assets.allow'])
      assert.deepEqual(await reasonOf(order({ a: 99 })), ['asset_identity_unresolved', null])
      assert.deepEqual(await reasonOf(order({ s: '0.09' })), ['per_tx_cap_exceeded', 'caps.perTxUsd'])
      assert.deepEqual(await reasonOf(withFields(order(), { vaultAddress: STRANGER })), [
        'recipient_not_allowed',
        'recipients.allow',
      ])
      const user = { signatureChainId: '0x66eee', hyperliquidChain: 'Mainnet' }
      const withdrawal = action({ type: 'withdraw3', ...user, destination: STRANGER, amount: '100', time: 0 })
      assert.deepEqual(await reasonOf(withdrawal), ['recipient_not_allowed', 'recipients.allow'])
      const own = action({ type: 'withdraw3', ...user, destination: WALLET, amount: '100', time: 0 })
      const { requestHash, execution } = await place(own)
      assert.ok(execution.ok)
      assert.equal(await statusOf(requestHash), 'EXECUTED')
      assert.equal(exchange.book.accountOf(WALLET).usd, 4_900)
    })

    test('everything while the venue is silent: no price, no approval', async () => {
      const garbled = createHyperliquid({ url: exchange.url, weightPerMinute: 1_000_000, now: () => Date.now() })
      await service.storage.close()
      const opened = await startService({
        sources: [...sources().slice(0, 3), hyperliquidMarkets(garbled), hyperliquidMargin(garbled)],
      })
      service = { ...opened, principal: await opened.agentOf(WALLET, [999], POLICY) }
      exchange.faults.info = 'lose the answer'
      assert.deepEqual(await reasonOf(order()), ['data_unavailable', 'assets.allow'])
    })
  })

  describe('an order of a partner or an agent', () => {
    test('that is cancelled keeps its room until the venue says that there is none', async () => {
      const { requestHash, verdict } = await decide(order({ tif: 'Gtc' }))
      assert.equal(verdict.outcome, 'approved')
      await service.policy.cancel(service.principal, requestHash)
      assert.equal(await statusOf(requestHash), 'CANCELLED')
      await follow()
      assert.equal(await held(), 30_250_000n)
    })

    test('that a partner cancels is cancelled at once, and free when the venue says that it ended', async () => {
      const { storage, policy } = service
      const wallet = randomAddress()
      const { appId, agentId } = await storage.stores.integrators.create('partner')
      await storage.stores.integrators.addWallet(appId, { address: wallet, chainIds: [999] })
      await policy.writePolicy(wallet, POLICY, 'test')
      exchange.fund(wallet, 5_000)
      const partner = { id: 'partner', appId, agentId, scopes: ['verdicts:create:own', 'transactions:read:own'] }
      const room = async () => storage.stores.holds.outflowSince(wallet, (await storage.now()) - 86_400_000)
      const c = cloid()
      const proposedTx = order({ tif: 'Gtc', p: '59500', c })
      const { verification } = await policy.createVerification(partner, { walletAddress: wallet, proposedTx })
      assert.equal(verification.verdict?.outcome, 'approved', verification.verdict?.humanReason)
      const before = await room()
      assert.ok(before > 0n)
      exchange.book.place(wallet, { a: 0, b: true, p: '59500', s: '0.01', r: false, c, t: { limit: { tif: 'Gtc' } } })
      assert.equal((await policy.cancelVerification(partner, verification.id)).status, 'CANCELLED')
      assert.equal((await policy.cancelVerification(partner, verification.id)).status, 'CANCELLED')
      assert.equal(await follow(), 0)
      assert.equal(await room(), before)
      exchange.book.cancel(wallet, c)
      assert.equal(await follow(), 1)
      assert.equal(await room(), 0n)
    })

    test('of a builder’s dex is one like all others, in markets that are listed by their full name', async () => {
      const gold = { a: 110_000, p: '4010', s: '0.1' }
      assert.deepEqual(await reasonOf(order(gold)), ['asset_not_in_universe', 'assets.allow'])
      const { allow } = POLICY.assets ?? { allow: [] }
      const listed = { ...POLICY, assets: { allow: [...allow, { venue: 'hyperliquid', symbol: 'xyz:GOLD' }] } }
      await service.policy.writePolicy(WALLET, listed, 'test')
      const { execution, verdict } = await place(order(gold))
      assert.ok(execution.ok)
      assert.match(verdict.humanReason, /^Buy 0\.1 xyz:GOLD at 4010 or better/)
      assert.equal(exchange.book.accountOf(WALLET).positions.get(110_000)?.size, 0.1)
      // The position there counts in the portfolio.
      const { verdict: next } = await decide(order({ s: '0.001' }))
      assert.equal(next.evidence.decodedAction.projection?.notionalUsd, '460.5')
      assert.deepEqual(await reasonOf(order({ ...gold, a: 110_001 })), ['asset_identity_unresolved', null])
      assert.deepEqual(await reasonOf(order({ ...gold, a: 120_000 })), ['asset_identity_unresolved', null])
    })

    test('says where the account would stand, as the venue says where it stands then', async () => {
      const { verdict, execution } = await place(order({ s: '0.05', p: '60000' }))
      assert.ok(execution.ok)
      const projection = verdict.evidence.decodedAction.projection
      assert.deepEqual([projection?.notionalUsd, projection?.equityUsd, projection?.leverage], ['3000', '5000', '0.6'])
      assert.equal(projection?.liquidations[0]?.why, 'covered')
      exchange.book.accountOf(WALLET).usd -= 4_000
      const { verdict: next } = await decide(order({ s: '0.01', p: '60000' }))
      const said = Number(next.evidence.decodedAction.projection?.liquidations[0]?.price)
      exchange.book.place(WALLET, { a: 0, b: true, p: '60000', s: '0.01', r: false, t: { limit: { tif: 'Ioc' } } })
      const [position] = (await venue.account(WALLET)).positions
      assert.ok(Math.abs(said - Number(position?.liquidation)) <= 1, `${said} beside ${position?.liquidation}`)
    })

    test('that ended by its own time is free then', async () => {
      const expired = withFields(order(), { expiresAfter: Date.now() - 120_000 })
      const { requestHash, verdict } = await decide(expired)
      assert.equal(verdict.outcome, 'approved', verdict.humanReason)
      await service.policy.cancel(service.principal, requestHash)
      assert.equal(await follow(), 1)
      assert.equal(await held(), 0n)
    })

    test('that is reported is followed to its end', async () => {
      const c = cloid()
      const { requestHash } = await decide(order({ tif: 'Gtc', p: '59500', c }))
      await service.policy.reportExecution(service.principal, requestHash, { cloid: c })
      assert.equal(await statusOf(requestHash), 'EXECUTED')
      exchange.book.place(WALLET, { a: 0, b: true, p: '59500', s: '0.01', r: false, c, t: { limit: { tif: 'Gtc' } } })
      assert.equal(await follow(), 0)
      exchange.book.cancel(WALLET, c)
      assert.equal(await follow(), 1)
      assert.equal(await held(), 0n)
    })
  })
})
