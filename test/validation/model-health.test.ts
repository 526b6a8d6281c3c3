import assert from 'node:assert/strict'
import { it } from 'node:test'
import { modelHealth } from '../../src/validation/model-health.ts'

it('a model is asked once in 30 s whether it answers, however many want to know', async () => {
  let [asked, time, answers] = [0, 0, true]
  const model = {
    async ask() {
      asked++
      if (!answers) throw new Error('away')
      return 'ok'
    },
  }
  const isReachable = modelHealth(model, () => time)
  assert.deepEqual(await Promise.all([isReachable(), isReachable(), isReachable()]), [true, true, true])
  answers = false
  time = 29_999
  assert.equal(await isReachable(), true)
  assert.equal(asked, 1)
  time = 30_000
  assert.deepEqual(await Promise.all([isReachable(), isReachable()]), [false, false])
  assert.equal(asked, 2)
})
