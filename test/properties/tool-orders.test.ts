// Every order that the tools build is approved, signed and taken by the stand-in of the venue, which checks the signature
// with another library; and none that differs from it in one byte is.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { generatePrivateKey } from 'viem/accounts'
import { createChains, createHyperliquid, type Hyperliquid } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { createGate, type Gate } from '../../src/harness/gate.ts'
import type { ToolContext } from '../../src/harness/tool.ts'
import { tools } from '../../src/harness/tools/index.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type AnySource, hyperliquidMargin, hyperliquidMarkets } from '../../src/policy/index.ts'
import { perpsReader } from '../../src/process/perps.ts'
import { standInContext } from '../harness/stand-in-reader.ts'
import { startService } from '../support/app.ts'
import { attestor } from '../support/attestor.ts'
import { DEX, type StandInExchange, startExchange } from '../support/hyperliquid/exchange.ts'
import { volume } from '../support/volume.ts'

const signer = createSigner(generatePrivateKey())
const WALLET = signer.address
const POLICY = { priceBound: { maxDeviationBps: 400 } }

describe('orders that the tools build', () => {
  let exchange: StandInExchange
  let venue: Hyperliquid
  let service: Awaited<ReturnType<typeof startService>>
  let principal: Awaited<ReturnType<(typeof service)['agentOf']>>
  let gate: Gate
  let context: ToolContext
  let clock = Date.now()
  before(async () => {
    exchange = await startExchange()
    exchange.fund(WALLET, 10_000_000)
    venue = createHyperliquid({ url: exchange.url, weightPerMinute: 100_000_000, now: () => Date.now() })
    service = await startService({ sources: sources() })
    principal = await service.agentOf(WALLET, [999], POLICY)
    const { storage } = service
    const { publicKey } = attestor
    const own = { chains: createChains([]), wallet: WALLET, log: silentLog, signer, publicKey, venue }
    gate = createGate({ mode: 'direct', storage, ...own })
    const given = standInContext({ chainId: 999 })
    const perps = perpsReader(venue, WALLET, async () => POLICY)
    context = { ...given, wallet: WALLET, reader: { ...given.reader, perps }, now: () => new Date(++clock) }
  })
  after(async () => {
    await service.storage.close()
    await exchange.stop()
  })

  function sources(): readonly AnySource[] {
    const observedAt = new Date()
    return [
      { id: 'tokens', fact: 'tokens', timeoutMs: 1_000, ask: async () => ({ value: {}, observedAt }) },
      { id: 'prices', fact: 'prices', timeoutMs: 1_000, ask: async () => ({ value: {}, observedAt }) },
      {
        id: 'sanctions',
        fact: 'sanctions',
        timeoutMs: 1_000,
        ask: async ({ addresses }) => ({ value: { screened: addresses, hits: [] }, observedAt }),
      },
      hyperliquidMarkets(venue),
      hyperliquidMargin(venue),
    ]
  }

  /** Proposes with a tool, has it decided and executed, and gives what was sent. */
  async function send(name: string, args: object): Promise<string> {
    const tool = tools.find((one) => one.name === name)
    assert.ok(tool?.kind === 'action')
    const proposal = await tool.propose(args, context)
    assert.ok(proposal.ok, proposal.ok ? '' : `${JSON.stringify(args)}: ${proposal.reason}`)
    const [step] = proposal.value.steps
    assert.ok(step)
    const request = { escrowAddress: WALLET, prompt: step.summary, proposedTx: step.tx }
    const { record, decided } = await service.policy.submit(principal, request)
    const { verdict, approval } = await decided
    assert.ok(approval, verdict.humanReason)
    const before = exchange.accepted.length
    const execution = await gate.execute(approval)
    assert.ok(execution.ok, `${step.summary}: ${execution.ok ? '' : execution.reason}`)
    assert.equal(exchange.accepted.length, before + 1)
    const journal = await service.storage.stores.venueOrders.action(record.requestHash as Hex)
    assert.ok(journal)
    return journal.body
  }

  /** What the venue says of a body: nobody that it knows signed it, or it cannot be read at all. */
  async function refused(body: string): Promise<boolean> {
    try {
      const answer = await venue.exchange(body)
      return answer.status === 'err' && /does not exist/.test(answer.response)
    } catch (thrown) {
      return thrown instanceof CountersignError && thrown.code === 'unavailable'
    }
  }

  const MARKS = { BTC: 60_000, ETH: 3_000, HYPE: 40, [`${DEX}:GOLD`]: 4_000 } as const
  const decimal = (value: number) => value.toFixed(6).replace(/\.?0+$/, '')
  const wanted = fc
    .record({
      market: fc.constantFrom(...(Object.keys(MARKS) as (keyof typeof MARKS)[])),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      dollars: fc.integer({ min: 100, max: 5_000 }),
      /** Around the mark, in hundredths of a per cent; none fills at once. */
      away: fc.option(fc.integer({ min: -300, max: 300 })),
      lowered: fc.boolean(),
    })
    .map(({ market, side, dollars, away, lowered }) => {
      const mark = MARKS[market]
      const price = away === null ? {} : { price: decimal(mark * (1 + away / 10_000)) }
      return { market: lowered ? market.toLowerCase() : market, side, size: decimal(dollars / mark), ...price }
    })
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    to: fc.integer({ min: 33, max: 126 }),
  })

  test('are taken as they are, and refused with one byte changed', async () => {
    await fc.assert(
      fc.asyncProperty(wanted, fc.array(change, { minLength: 8, maxLength: 8 }), async (args, changes) => {
        const body = await send('perp_order', args)
        const taken = exchange.accepted.length
        for (const { at, to } of changes) {
          const place = Math.floor(at * body.length)
          const other = String.fromCharCode(to)
          if (body[place] === other) continue
          const changed = `${body.slice(0, place)}${other}${body.slice(place + 1)}`
          assert.ok(await refused(changed), `${place}: ${changed}`)
        }
        assert.equal(exchange.accepted.length, taken)
      }),
      { numRuns: volume(10, 300), seed: 51 },
    )
  })

  test('for leverage, cancels and withdrawals too', async () => {
    await send('perp_order', { market: 'BTC', side: 'buy', size: '0.01', price: '58500' })
    for (const [name, args] of [
      ['perp_leverage', { market: 'BTC', leverage: 3, margin: 'cross' }],
      ['perp_leverage', { market: `${DEX}:GOLD`, leverage: 2, margin: 'isolated' }],
      ['perp_cancel', { market: 'BTC' }],
    ] as const) {
      const body = await send(name, args)
      for (let place = 0; place < body.length; place += 13) {
        const other = body[place] === '1' ? '2' : '1'
        assert.ok(await refused(`${body.slice(0, place)}${other}${body.slice(place + 1)}`), `${name} ${place}`)
      }
    }
  })
})
