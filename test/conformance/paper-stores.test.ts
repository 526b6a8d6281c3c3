// What paper portfolios are kept in, on both databases.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { marketOf } from '../../scripts/simulate/market.ts'
import { readPrices } from '../../scripts/simulate/prices.ts'
import type { Settings } from '../../scripts/simulate/settings.ts'
import { createPaper } from '../../src/harness/paper.ts'
import { refuse } from '../../src/lib/result.ts'
import { openStorage, type PaperAmount, type Storage } from '../../src/storage/index.ts'
import { startService } from '../support/app.ts'
import { attestor } from '../support/attestor.ts'
import { FRIEND } from '../support/paper-world.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const owner = { wallet: '0x00000000000000000000000000000000000a11ce', chainId: 1, mode: 'dry-run' } as const
const HUGE = 2n ** 200n
const coin = (amount: bigint): PaperAmount => ({
  place: 'wallet',
  asset: 'native',
  symbol: 'ETH',
  decimals: 18,
  amount,
})
const fillOf = (n: number) => ({
  requestHash: `0x${String(n).padStart(64, '0')}` as const,
  origin: 'dca',
  description: 'Swap',
  flows: [coin(-HUGE)],
  feeMicroUsd: 2n ** 60n + 1n,
  gasMicroUsd: 8n,
})

for (const [name, urlOf] of [
  ['SQLite', async () => undefined],
  ['PostgreSQL', () => server.createDatabase()],
] as const)
  describe(name, () => {
    let storage: Storage
    before(async () => {
      storage = await openStorage({ url: await urlOf() })
    })
    after(() => storage.close())

    it('keeps amounts of any size, below zero too', async () => {
      const { paper } = storage.stores
      const { seq, opening } = await paper.open(owner, [coin(HUGE)])
      assert.deepEqual(opening, [coin(HUGE)])
      await paper.hold(seq, coin(-HUGE - 1n))
      await paper.hold(seq, { ...coin(5n), place: 'hyperliquid', asset: 'BTC' })
      assert.deepEqual(
        (await paper.holdings(seq)).map(({ asset, amount }) => [asset, amount]),
        [
          ['BTC', 5n],
          ['native', -HUGE - 1n],
        ],
      )
      assert.deepEqual((await paper.current(owner))?.opening, [coin(HUGE)])
      const grant = { asset: '0x1', spender: 'permit2 0x2', amount: HUGE, expiresAt: null }
      await paper.grant(seq, grant)
      await paper.grant(seq, { ...grant, amount: 1n, expiresAt: 9 })
      assert.deepEqual(await paper.grants(seq), [{ ...grant, amount: 1n, expiresAt: 9 }])
    })

    it('records a request once, whichever portfolio is open', async () => {
      const { paper } = storage.stores
      const first = await paper.current(owner)
      assert.ok(first)
      await paper.record(first.seq, fillOf(1))
      await assert.rejects(paper.record(first.seq, fillOf(1)))
      const [fill] = await paper.fills(first.seq)
      assert.deepEqual({ ...fill, filledAt: 0 }, { ...fillOf(1), filledAt: 0 })
      assert.equal(await paper.close(owner), true)
      assert.equal(await paper.close(owner), false)
      assert.equal(await paper.current(owner), undefined)
      const second = await paper.open(owner, [])
      await assert.rejects(paper.record(second.seq, fillOf(1)))
      assert.equal((await paper.fillOf(fillOf(1).requestHash))?.origin, 'dca')
      assert.deepEqual(await paper.fills(second.seq), [])
    })

    it('keeps what a day began and ended with', async () => {
      const { paper } = storage.stores
      const open = await paper.current(owner)
      assert.ok(open)
      await paper.mark(open.seq, '2026-01-01', 10n)
      await paper.mark(open.seq, '2026-01-01', -5n)
      await paper.mark(open.seq, '2026-01-02', HUGE)
      assert.deepEqual(await paper.days(open.seq), [
        { day: '2026-01-01', first: 10n, last: -5n },
        { day: '2026-01-02', first: HUGE, last: HUGE },
      ])
    })
  })

it('two processes of one database fill an approval once, and no two at the same books', async () => {
  const url = await server.createDatabase()
  const [one, two] = [await openStorage({ url }), await openStorage({ url })]
  const prices = readPrices(`time,ETH\n${new Date().toISOString().slice(0, 10)},2000\n`)
  const market = marketOf(1, { prices, balances: {}, feeBps: 30, gasPrice: 10n ** 9n } as Settings, () => new Date())
  const { policy, agentOf } = await startService({ storage: one, sources: market.sources })
  const principal = await agentOf(owner.wallet, [1], { recipients: { allow: [FRIEND] } })
  const reader = {
    ...market.reader,
    verdict: async () => refuse('none'),
    history: async () => [],
    limits: async () => ({ policy: undefined, version: undefined, outflow: 0n }),
  }
  const papers = [one, two].map((storage) =>
    createPaper({
      storage,
      owner,
      mode: 'dry-run',
      reader,
      publicKey: attestor.publicKey,
      balances: { USDC: '100', ETH: '1' },
    }),
  )
  const approvals = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const data =
        `0xa9059cbb${FRIEND.slice(2).padStart(64, '0')}${(30_000_000).toString(16).padStart(64, '0')}` as const
      const proposedTx = { protocol: 'erc20', chainId: 1, to: USDC, data, value: '0' } as const
      const request = { escrowAddress: owner.wallet, prompt: 'pay', proposedTx, arbiter: 'policy' } as const
      const { approval, verdict } = await (await policy.submit(principal, request)).decided
      assert.ok(approval, verdict.humanReason)
      return approval
    }),
  )
  const results = await Promise.all(
    approvals.flatMap((approval) => [...papers, ...papers].map((paper) => paper.fill(approval))),
  )
  // 100 dollars pay for three of 30, however many processes try; the others are refused each time.
  assert.equal(results.filter(({ ok }) => ok).length, 3 * 4)
  const account = await papers[1]?.account()
  assert.equal(account?.held.find(({ asset }) => asset === USDC)?.amount, 10_000_000n)
  assert.equal((await papers[0]?.fills())?.length, 3)
  await one.close()
  await two.close()
})

it('a database in memory may have another clock, and no other may', async () => {
  let now = 1_000
  const storage = await openStorage({ url: undefined, clock: () => now })
  assert.equal(await storage.now(), 1_000)
  now = 5_000_000_000_000
  assert.equal(await storage.now(), 5_000_000_000_000)
  await storage.close()
  await assert.rejects(openStorage({ url: 'file:/tmp/never.sqlite', clock: () => 0 }), /in memory/)
})
