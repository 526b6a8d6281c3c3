import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from '../../src/storage/index.ts'

const WINDOW_MS = 400
const LIMIT = 20

describe('a sliding window', () => {
  it('admits as many as its limit, and no window more', async () => {
    const storage = await openStorage({ url: undefined })
    const { rateLimits } = storage.stores
    const admissions: number[] = []
    const until = performance.now() + 4 * WINDOW_MS
    while (performance.now() < until) {
      const asked = [1, 3, 7].map((count) =>
        rateLimits.admit({ bucket: 'b', limit: LIMIT, windowMs: WINDOW_MS, count }),
      )
      for (const { admitted } of await Promise.all(asked)) {
        const now = await storage.now()
        for (let i = 0; i < admitted; i++) admissions.push(now)
      }
      await sleep(5)
    }
    for (const [i, at] of admissions.entries()) {
      const later = admissions.slice(i).filter((other) => other < at + WINDOW_MS - 50)
      assert.ok(later.length <= LIMIT, `${later.length} in a window`)
    }
    assert.ok(admissions.length >= 3 * LIMIT, `${admissions.length} admitted`)
    await storage.close()
  })

  it('says what is left and when there is more; one bucket takes nothing from another', async () => {
    const storage = await openStorage({ url: undefined })
    const admit = (bucket: string, count: number) =>
      storage.stores.rateLimits.admit({ bucket, limit: LIMIT, windowMs: 60_000, count })
    assert.deepEqual((await admit('a', LIMIT - 1)).remaining, 1)
    const last = await admit('a', 3)
    assert.deepEqual([last.admitted, last.remaining], [1, 0])
    assert.ok(last.resetMs > 0 && last.resetMs <= 60_000)
    assert.equal((await admit('a', 1)).admitted, 0)
    assert.equal((await admit('b', 1)).admitted, 1)
    assert.equal((await storage.stores.rateLimits.forget(60_000)) >= 0, true)
    assert.equal((await admit('a', 1)).admitted, 0, 'what counts is not forgotten')
    await storage.close()
  })
})
