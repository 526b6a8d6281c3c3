// The lives of orders that somebody else places, through the service: whatever is reported, cancelled, placed, filled, lost
// or forgotten in whatever order, what is held is what a model holds, to the last micro-USD.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CoreOrder } from '../../src/chain/index.ts'
import { followDue } from '../../src/harness/order-follower.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { expireApprovals } from '../../src/policy/operations/expire-approvals.ts'
import type { ProposedTx } from '../../src/schema/action.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { startService } from '../support/app.ts'
import { attestor } from '../support/attestor.ts'
import { fixedSources } from '../support/fixed-sources.ts'
import { volume } from '../support/volume.ts'

const HOUR = 3_600_000
const observed = { status: 'fresh', observedAt: '2026-11-21T00:00:00.000Z' } as const
const btc = { symbol: 'BTC', kind: 'perp', sizeDecimals: 5, mark: '60000', maxLeverage: 40, leverage: 3 } as const
/** The venue's words for orders that ended without the last of them being filled. */
const ENDINGS = ['canceled', 'scheduledCancel', 'marginCanceled', 'rejected', 'tickRejected', 'liquidatedCanceled']

type Order = {
  cloid: string
  at: 'unplaced' | 'open' | 'over'
  word: string
  left: number
  ended: boolean
  filled: boolean
}
type Request = {
  hash: Hex
  held: bigint
  orders: Order[]
  /** `free`: nothing is held. `posted`: it counts as spent. */
  state: 'approved' | 'kept' | 'posted' | 'free'
}

const KINDS = ['place', 'part', 'fill', 'end', 'report', 'cancel', 'sweep', 'follow', 'lose', 'find', 'late'] as const
const event = fc.record({
  kind: fc.constantFrom(...KINDS, 'place', 'place', 'fill', 'report', 'cancel', 'follow', 'follow', 'follow'),
  at: fc.nat(20),
  word: fc.constantFrom(...ENDINGS),
})
const shape = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 })

describe('orders that somebody else places', () => {
  test('hold what a model holds, whatever happens in whatever order', async () => {
    const endings = { posted: 0, free: 0 }
    await fc.assert(
      fc.asyncProperty(
        shape,
        fc.array(event, { minLength: 10, maxLength: 40, size: 'max' }),
        async (counts, events) => {
          const wallet = randomAddress()
          const facts = { markets: { ...observed, source: 'markets', value: { '0': btc } } }
          const sanctions = { ...observed, source: 'sanctions', value: { screened: [wallet], hits: [] } }
          const tokens = { ...observed, source: 'tokens', value: {} }
          const { storage, policy, agentOf, close } = await startService({
            sources: fixedSources({ ...facts, sanctions, tokens } as Facts),
          })
          try {
            const principal = await agentOf(wallet, [999], {})
            const held = async () => storage.stores.holds.outflowSince(wallet, (await storage.now()) - 24 * HOUR)
            const requests: Request[] = []
            for (const count of counts) requests.push(await approved(count, requests.length))

            async function approved(count: number, i: number): Promise<Request> {
              const nonce = (await storage.now()) + i
              const cloids = Array.from({ length: count }, () => `0x${randomBytes(16).toString('hex')}`)
              const orders = cloids.map((c) => {
                return { a: 0, b: true, p: '60000', s: '0.001', r: false, t: { limit: { tif: 'Gtc' } }, c }
              })
              const action = { type: 'order', orders, grouping: 'na' }
              const ends = { expiresAfter: nonce + HOUR }
              const proposedTx: ProposedTx = { protocol: 'hyperliquid', chainId: 999, action, nonce, ...ends }
              const before = await held()
              const request = { escrowAddress: wallet, prompt: 'An order.', proposedTx }
              const { record, decided } = await policy.submit(principal, request)
              const { verdict } = await decided
              assert.equal(verdict.outcome, 'approved', verdict.humanReason)
              const own = { at: 'unplaced' as const, word: 'open', left: 10, ended: false, filled: false }
              return {
                hash: record.requestHash as Hex,
                held: (await held()) - before,
                orders: cloids.map((cloid) => ({ ...own, cloid })),
                state: 'approved',
              }
            }

            const lost = new Set<string>()
            let later = 0
            const all = () => requests.flatMap((request) => request.orders.map((order) => ({ request, order })))
            const venue = {
              async order(_user: string, key: number | string): Promise<CoreOrder> {
                const found = all().find(({ order }) => order.cloid === key)?.order
                if (lost.has(String(key))) throw new CountersignError('unavailable', 'The venue is silent.')
                if (found === undefined || found.at === 'unplaced') return { known: false }
                return { known: true, status: found.word, oid: 1, left: String(found.left), size: '10' }
              },
            }
            const shifted = { ...storage, now: async () => (await storage.now()) + later }
            const follow = () => followDue({ storage: shifted, venue, log: silentLog, everyMs: -1 })

            /** What the model makes of a round of asking. */
            function modelFollows(): void {
              for (const request of requests) {
                if (request.state !== 'kept') continue
                for (const order of request.orders) {
                  if (order.ended || lost.has(order.cloid)) continue
                  if (order.at === 'over') Object.assign(order, { ended: true, filled: order.left < 10 })
                  if (order.at === 'unplaced' && later > 0) order.ended = true
                }
                if (request.orders.every(({ ended }) => ended))
                  request.state = request.orders.some(({ filled }) => filled) ? 'posted' : 'free'
              }
            }

            async function tells(request: Request, act: () => Promise<unknown>): Promise<void> {
              if (request.state === 'approved') {
                await act()
                request.state = 'kept'
              } else await act().catch((thrown: unknown) => assert.ok(thrown instanceof CountersignError))
            }

            for (const { kind, at, word } of events) {
              const one = all()[at % all().length]
              assert.ok(one)
              const { order, request } = one
              if (kind === 'place' && order.at === 'unplaced' && later === 0) order.at = 'open'
              if (kind === 'part' && order.at === 'open') order.left = Math.max(1, order.left - 4)
              if (kind === 'fill' && order.at === 'open') Object.assign(order, { at: 'over', word: 'filled', left: 0 })
              if (kind === 'end' && order.at === 'open') Object.assign(order, { at: 'over', word })
              if (kind === 'lose') lost.add(order.cloid)
              if (kind === 'find') lost.clear()
              if (kind === 'late') later = 2 * HOUR
              if (kind === 'cancel') await tells(request, () => policy.cancel(principal, request.hash))
              if (kind === 'report')
                await tells(request, () => policy.reportExecution(principal, request.hash, { cloid: order.cloid }))
              if (kind === 'follow') {
                await Promise.all([follow(), follow()])
                modelFollows()
              }
              if (kind === 'sweep') {
                // Long after every approval ran out. What was told of an order does not run out.
                const muchLater = { ...storage, now: async () => (await storage.now()) + HOUR }
                const deps = { storage: muchLater, sources: [], log: silentLog, attestor, approvalTtlSeconds: 120 }
                await expireApprovals(deps)
                for (const swept of requests) if (swept.state === 'approved') swept.state = 'free'
              }
              const expected = requests.reduce((sum, { state, held: own }) => sum + (state === 'free' ? 0n : own), 0n)
              assert.equal(await held(), expected, kind)
            }
            for (const { state } of requests) if (state === 'posted' || state === 'free') endings[state] += 1
          } finally {
            await close()
          }
        },
      ),
      { numRuns: volume(25, 1_000), seed: 61 },
    )
    assert.ok(endings.posted > 0 && endings.free > 0, JSON.stringify(endings))
  })
})
