// The sum of 24 hours, kept by the minute, beside one that adds up every hold by itself.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openStorage } from '../../src/storage/index.ts'
import { newAgent, transactionOf } from '../storage/fixtures.ts'
import { volume } from '../support/volume.ts'

const DAY_MS = 86_400_000
const START = 1_800_000_000_000

/** What passes, in ms: less than a minute, to the edge of one, or most of a day. */
const pause = fc.oneof(
  fc.integer({ min: 0, max: 90_000 }),
  fc.constantFrom(1, 59_999, 60_000, 60_001, DAY_MS - 1, DAY_MS, DAY_MS + 1),
  fc.integer({ min: DAY_MS - 180_000, max: DAY_MS }),
  fc.integer({ min: 0, max: DAY_MS }),
)
const step = fc.record({
  pause,
  microUsd: fc.bigInt(1n, 10n ** 12n),
  end: fc.constantFrom('posted', 'posted', 'posted', 'voided', 'held'),
})

describe('what left a wallet in 24 hours', () => {
  it('is the sum of what is held and of what was posted since, to the millisecond', async () => {
    const time = { now: START }
    const storage = await openStorage({ url: undefined, clock: () => time.now })
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { agentId, wallet } = await newAgent(storage)
      const posted: { at: number; microUsd: bigint }[] = []
      let held = 0n
      for (const { pause: passed, microUsd, end } of steps) {
        time.now += passed
        const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
        await storage.stores.holds.take({ requestHash, wallet, microUsd, expiresAt: Number.MAX_SAFE_INTEGER })
        if (end === 'held') held += microUsd
        else assert.equal(await storage.stores.holds.settle(requestHash, end), true)
        if (end === 'posted') posted.push({ at: time.now, microUsd })
        const since = time.now - DAY_MS
        const expected = posted.reduce((sum, one) => (one.at >= since ? sum + one.microUsd : sum), held)
        const { outflow } = await storage.transaction(({ holds }) => holds.standing(wallet, DAY_MS))
        assert.equal(outflow, expected)
        assert.equal(await storage.stores.holds.outflowSince(wallet, since), expected)
      }
      if (time.now % 7 === 0) await storage.stores.holds.forgetMinutes()
    })
    await fc.assert(property, { seed: 31, numRuns: volume(60, 5_000) })
    await storage.close()
  })
})
