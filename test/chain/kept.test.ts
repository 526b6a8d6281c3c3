// An answer that several wait for: each may leave, it grows old, and a failure is asked for again.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kept } from '../../src/chain/kept.ts'
import { CountersignError } from '../../src/lib/errors.ts'

describe('an answer that is kept', () => {
  function setUp() {
    const asked: PromiseWithResolvers<string>[] = []
    const clock = { time: 1_000 }
    const read = kept(
      () => clock.time,
      100,
      () => {
        const one = Promise.withResolvers<string>()
        asked.push(one)
        return one.promise
      },
    )
    return { asked, clock, read }
  }

  it('is not lost to those who wait where whoever asked first leaves', async () => {
    const { asked, read } = setUp()
    const leaving = new AbortController()
    const [first, second] = [read(leaving.signal), read()]
    leaving.abort()
    await assert.rejects(first, (thrown) => thrown instanceof CountersignError && thrown.code === 'unavailable')
    await assert.rejects(read(AbortSignal.abort()), { code: 'unavailable' })
    asked[0]?.resolve('yes')
    assert.deepEqual(await second, { value: 'yes', at: 1_000, cached: true })
    assert.equal(asked.length, 1)
  })

  it('grows old, also where the clock is set back', async () => {
    const { asked, clock, read } = setUp()
    for (const [time, times] of [
      [1_000, 1],
      [1_099, 1],
      [1_100, 2],
      [500, 3],
      [599, 3],
    ] as const) {
      clock.time = time
      const answer = read()
      asked.at(-1)?.resolve(`at ${asked.length}`)
      assert.equal((await answer).value, `at ${times}`)
    }
  })

  it('is asked for again where it failed, and its failure is told to all who wait', async () => {
    const { asked, read } = setUp()
    const both = [read(), read()]
    asked[0]?.reject(new Error('no'))
    for (const one of both) await assert.rejects(one, /no/)
    const again = read()
    asked[1]?.resolve('yes')
    assert.equal((await again).value, 'yes')
  })
})
