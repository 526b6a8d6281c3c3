import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchSilence } from '../../src/storage/silence.ts'

/** A question that is never answered, but by being cut off. */
function question() {
  const { promise, reject } = Promise.withResolvers<never>()
  return { promise, cut: () => reject(new Error('cut off')) }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}

describe('a server that is asked', () => {
  it('is silent when it answers neither the question nor the probe, until it answers a probe', async () => {
    const server = { answers: false }
    const asked = question()
    const watch = watchSilence({
      probe: async () => (server.answers ? undefined : Promise.reject(new Error('no answer'))),
      cutOff: asked.cut,
    })
    assert.equal(watch.isSilent(), false)
    await assert.rejects(watch.until(asked.promise), /cut off/)
    assert.equal(watch.isSilent(), true)
    server.answers = true
    await until(() => !watch.isSilent())
    watch.stop()
  })

  it('is not silent where one question waits, as for a lock, and the probe is answered', async () => {
    let probes = 0
    let cuts = 0
    const watch = watchSilence({ probe: async () => void probes++, cutOff: () => void cuts++ })
    const asked = question()
    const waiting = watch.until(asked.promise)
    await until(() => probes >= 2)
    assert.deepEqual([cuts, watch.isSilent()], [0, false])
    asked.cut()
    await assert.rejects(waiting)
    watch.stop()
  })

  it('is not silent where something else is answered while the probe is not', async () => {
    const probe = question()
    const probed = Promise.withResolvers<void>()
    let cuts = 0
    const watch = watchSilence({
      probe() {
        probed.resolve()
        return probe.promise
      },
      cutOff: () => void cuts++,
    })
    const asked = question()
    const waiting = watch.until(asked.promise)
    await probed.promise
    await watch.until(sleep(5))
    probe.cut()
    await sleep(20)
    assert.deepEqual([cuts, watch.isSilent()], [0, false])
    asked.cut()
    await assert.rejects(waiting)
    watch.stop()
  })

  it('is not silent where this process stood still and the answers were there', async () => {
    const server = Promise.withResolvers<void>()
    let cuts = 0
    let probes = 0
    const watch = watchSilence({
      probe(late) {
        probes += 1
        return Promise.race([
          server.promise,
          new Promise((_, reject) => late.addEventListener('abort', () => reject(new Error('late')))),
        ])
      },
      cutOff: () => void cuts++,
    })
    const asked = question()
    const waiting = watch.until(asked.promise)
    await until(() => probes === 1)
    const from = performance.now()
    while (performance.now() - from < 1_500);
    setImmediate(server.resolve)
    await server.promise
    await sleep(150)
    assert.deepEqual([cuts, watch.isSilent()], [0, false])
    asked.cut()
    await assert.rejects(waiting)
    watch.stop()
  })
})
