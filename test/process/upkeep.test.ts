import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CountersignError } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startUpkeep } from '../../src/process/upkeep.ts'

/** Counts its calls, and says when there were so many of them. */
function counted(work: () => Promise<number>) {
  let calls = 0
  return {
    run: () => {
      calls += 1
      return work()
    },
    calls: () => calls,
    async reached(number: number) {
      while (calls < number) await sleep(1)
    },
  }
}

describe('upkeep', () => {
  it('goes on with the policy while the chain lets a signed transaction wait', async () => {
    const expiry = counted(async () => 0)
    const undecided = counted(async () => 0)
    const mined = Promise.withResolvers<void>()
    let followed = 0
    const recover = () => {
      followed += 1
      return mined.promise
    }
    const policy = { expireApprovals: expiry.run, decideUndecided: undecided.run, countActivity: async () => 0 }
    const upkeep = startUpkeep({ policy, gate: { recover }, log: silentLog, everyMs: 1 })
    assert.deepEqual([expiry.calls(), undecided.calls(), followed], [1, 1, 1], 'the first rounds begin at once')
    await Promise.all([expiry.reached(5), undecided.reached(5)])
    assert.equal(followed, 1, 'one round at a time')
    mined.resolve()
    await upkeep.stop()
  })

  it('says that a round failed, and goes on', async () => {
    const said: unknown[] = []
    const log = { ...silentLog, warn: (fields: object) => void said.push(fields) }
    const failing = counted(async () => {
      throw new CountersignError('unavailable', 'The database did not answer.')
    })
    const fine = counted(async () => 0)
    const policy = { expireApprovals: failing.run, decideUndecided: fine.run, countActivity: async () => 0 }
    const upkeep = startUpkeep({ policy, gate: undefined, log, everyMs: 1 })
    await Promise.all([failing.reached(3), fine.reached(3)])
    await upkeep.stop()
    assert.deepEqual(said[0], { error: 'The database did not answer.' })
    assert.ok(said.length >= 2)
  })

  it('stops when the rounds at hand are over, and begins none after', async () => {
    const slow = Promise.withResolvers<number>()
    const round = counted(() => slow.promise)
    const policy = { expireApprovals: round.run, decideUndecided: async () => 0, countActivity: async () => 0 }
    const upkeep = startUpkeep({ policy, gate: undefined, log: silentLog, everyMs: 1 })
    let stopped = false
    const stopping = upkeep.stop().then(() => {
      stopped = true
    })
    await sleep(10)
    assert.equal(stopped, false)
    slow.resolve(0)
    await stopping
    assert.equal(round.calls(), 1)
  })
})
