// Requests to three processes at once, far more than a minute may have: no minute has more than the limit, and none is
// refused while a twentieth of it is free.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertProblem, type SpecService, startSpecService } from '../support/spec-service.ts'
import { volume } from '../support/volume.ts'

const REPLICAS = 3
const AT_ONCE = 12
const LIMIT = volume(60, 300)
/** Usually a burst that ends within the first minute; in full, minutes that slide. */
const REQUESTS = volume(240, Infinity)
const LONGEST_MS = volume(50_000, 190_000)
const MINUTE_MS = 60_000
const UNKNOWN = `0x${'00'.repeat(32)}`

/** A request was counted at some moment between these two (ms). */
type Counted = Readonly<{ from: number; to: number; admitted: boolean }>

// What the tests started at TEST_BASE_URL limits is not theirs to say.
if (process.env['TEST_BASE_URL'] === undefined)
  for (const name of ['SQLite in a file', 'a PostgreSQL server'])
    describe(`8: the limit of a minute on ${name}`, () => {
      let service: SpecService
      before(async () => {
        service = await startSpecService(name, REPLICAS, { agentPerMinute: LIMIT })
      })
      after(() => service?.stop())

      it('is exact over all processes', async (t) => {
        const { key } = await service.newAgent()
        const began = performance.now()
        const counted: Counted[] = []
        let sent = 0
        await Promise.all(
          Array.from({ length: AT_ONCE }, async (_, replica) => {
            while (sent < REQUESTS && performance.now() - began < LONGEST_MS) {
              sent++
              const from = performance.now()
              const answer = await service.send('GET', `/transactions/${UNKNOWN}/approval-status`, { key, replica })
              counted.push({ from, to: performance.now(), admitted: answer.status !== 429 })
              if (answer.status !== 429) {
                assertProblem(answer, 404, 'not_found')
                continue
              }
              assertProblem(answer, 429, 'rate_limited')
              assert.ok(Number(answer.headers.get('retry-after')) >= 1)
              assert.match(answer.headers.get('ratelimit') ?? '', /^"agent";r=0;t=\d+$/)
              await sleep(volume(0, 40))
            }
          }),
        )
        const admitted = counted.filter((one) => one.admitted)
        const most = Math.max(...admitted.map(({ from }) => certainlyWithin(admitted, from)))
        assert.ok(most <= LIMIT, `${most} in a minute`)
        const refused = counted.filter((one) => !one.admitted)
        assert.ok(refused.length > 0)
        const fewest = Math.min(...refused.map((one) => possiblyBefore(admitted, one)))
        assert.ok(fewest >= 0.95 * LIMIT, `refused beside ${fewest} in the minute before`)
        t.diagnostic(
          `${sent} sent in ${Math.round((performance.now() - began) / 1000)} s, ${admitted.length} admitted; most in a minute ${most}, fewest beside a refusal ${fewest}, of ${LIMIT}`,
        )
      })
    })

/** How many were admitted for certain within the minute from a moment on. */
function certainlyWithin(admitted: readonly Counted[], from: number): number {
  return admitted.filter((one) => one.from >= from && one.to < from + MINUTE_MS).length
}

/** How many may have been admitted in the minute before a refusal. */
function possiblyBefore(admitted: readonly Counted[], { from, to }: Counted): number {
  return admitted.filter((one) => one.to > from - MINUTE_MS && one.from < to).length
}
