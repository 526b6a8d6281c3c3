// The database goes away under load, or falls silent, and comes back.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Verdict } from '../../src/schema/verdict.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { startLine } from '../support/broken-line.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { startProduct, temporaryFolder } from '../support/product.ts'
import { CHAIN_ID, payment } from '../support/spec-service.ts'
import { volume } from '../support/volume.ts'

const AWAY_MS = volume(4_000, 20_000)
const AT_ONCE = 8
/**
 * Longest answer to a write while the database is away, and longest time until all is well after its return. The first is
 * held to where the machine is the test's own.
 */
const REFUSED_WITHIN_MS = 2_000
const WELL_WITHIN_MS = 5_000
const ADMIN_KEY = 'an-admin-key-of-the-test-of-an-outage'

type Product = Awaited<ReturnType<typeof startProduct>>
type Answered = Readonly<{ at: number; tookMs: number; status: number; requestHash: string }>

type Line = Awaited<ReturnType<typeof startLine>>
type Outage = Readonly<{ begin(line: Line): unknown; end(line: Line): unknown }>

const OUTAGES: Readonly<Record<string, Outage>> = {
  'is away': { begin: (line) => line.cut(), end: (line) => line.mend() },
  'takes connections and says nothing': { begin: (line) => line.silence(), end: (line) => line.speak() },
}

for (const [what, outage] of Object.entries(OUTAGES))
  describe(`a database that ${what} for ${AWAY_MS / 1000} s under load`, () => {
    let server: TestPostgres
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let line: Line
    let product: Product
    let key: string
    const wallet = randomAddress()

    before(async () => {
      server = await startPostgres()
      folder = await temporaryFolder()
      line = await startLine(await server.createDatabase())
      const prices = { [`${CHAIN_ID}:native`]: '2000.00' }
      const table = { asOf: new Date().toISOString(), maxAgeSeconds: 86_400, prices }
      const config = {
        service: { rateLimits: { agentPerMinute: 0, adminPerMinute: 0 } },
        sources: { prices: { table }, sanctions: { maxAgeDays: 36_500 } },
      }
      await writeFile(join(folder.path, 'agents.config.json'), JSON.stringify(config))
      product = await startProduct({ cwd: folder.path, env: { DATABASE_URL: line.url, SERVICE_ADMIN_KEY: ADMIN_KEY } })
      const admin = async (method: string, path: string, body: object) =>
        (await product.send(method, `/api/admin${path}`, { key: ADMIN_KEY, body })).body as {
          id: string
          apiKey: string
        }
      const wallets = [{ address: wallet, chainIds: [CHAIN_ID] }]
      const { id } = await admin('POST', '/agents', { name: 'a', ethereumAddress: wallet, wallets })
      await admin('PUT', `/policies/${wallet}`, {})
      key = (await admin('POST', '/api-keys', { type: 'AGENT', agentId: id })).apiKey
    })
    after(async () => {
      await product?.stop()
      await line?.cut()
      await server?.stop()
      await folder?.remove()
    })

    async function post(): Promise<Answered> {
      const at = performance.now()
      const body = { escrowAddress: wallet, prompt: 'p', proposedTx: payment(wallet) }
      const { status, body: answer } = await product.send('POST', '/api/transactions', { key, body })
      const { requestHash = '' } = answer as { requestHash?: string }
      return { at, tookMs: performance.now() - at, status, requestHash }
    }

    it('writes are refused in time, nothing is approved that is not stored, and all is well soon after', async (t) => {
      const answers: Answered[] = []
      let going = true
      const load = Array.from({ length: AT_ONCE }, async () => {
        while (going) {
          answers.push(await post())
          await sleep(20)
        }
      })
      await sleep(1_000)
      const away = performance.now()
      await outage.begin(line)
      await sleep(AWAY_MS)
      await outage.end(line)
      const back = performance.now()
      await sleep(WELL_WITHIN_MS + 1_000)
      going = false
      await Promise.all(load)

      const during = answers.filter(({ at }) => at > away && at < back - REFUSED_WITHIN_MS)
      assert.ok(during.length > 0)
      assert.deepEqual([...new Set(during.map(({ status }) => status))], [503])
      const slowest = Math.max(...during.map(({ tookMs }) => tookMs))
      assert.ok(slowest < volume(Infinity, REFUSED_WITHIN_MS), `refused after ${slowest} ms`)
      assert.deepEqual(
        [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b),
        [201, 503],
      )
      const late = answers.filter(({ at }) => at > back + WELL_WITHIN_MS)
      assert.ok(late.length > 0 && late.every(({ status }) => status === 201), 'well again')
      const stored = answers.filter(({ status }) => status === 201)
      for (const { requestHash } of stored) assert.equal((await verdictOn(requestHash)).outcome, 'approved')
      t.diagnostic(
        `${during.length} refused, the slowest after ${Math.round(slowest)} ms; ${stored.length} stored and decided`,
      )
    })

    async function verdictOn(requestHash: string): Promise<Verdict> {
      for (;;) {
        const { status, body } = await product.send('GET', `/api/transactions/${requestHash}/approval-status`, { key })
        assert.equal(status, 200)
        const { verdict } = body as { verdict: Verdict | null }
        if (verdict) return verdict
        await sleep(50)
      }
    }
  })
