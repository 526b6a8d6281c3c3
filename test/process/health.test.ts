import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createHealth } from '../../src/process/health.ts'
import { openStorage } from '../../src/storage/index.ts'

describe('health', () => {
  it('is ready while the store answers and the process is not stopping, and says which it is not', async () => {
    const storage = await openStorage({ url: undefined })
    let stopping = false
    const health = createHealth(storage, { isStopping: () => stopping })
    assert.deepEqual(await health.readiness(), { ready: true, checks: { store: { ok: true }, process: { ok: true } } })
    assert.ok(health.uptimeSeconds() >= 0)
    stopping = true
    assert.deepEqual(await health.readiness(), {
      ready: false,
      checks: { store: { ok: true }, process: { ok: false, detail: 'shutting down' } },
    })
    stopping = false
    await storage.close()
    const { ready, checks } = await health.readiness()
    assert.deepEqual([ready, checks['store']?.ok, checks['process']], [false, false, { ok: true }])
    assert.match(checks['store']?.detail ?? '', /./)
  })

  it('names a list of sanctions that is too old, and is ready all the same', async () => {
    const storage = await openStorage({ url: undefined })
    const old = 'The bundled list of 2026-09-21 is 61 days old, over its limit of 30.'
    const health = createHealth(storage, { isStopping: () => false, listFault: () => old })
    const { ready, checks } = await health.readiness()
    assert.deepEqual([ready, checks['sanctions']], [true, { ok: false, detail: old }])
    await storage.close()
  })

  it('says whether a policy service elsewhere answers, and is ready without it', async () => {
    const storage = await openStorage({ url: undefined })
    let fault: string | null = null
    const health = createHealth(storage, { isStopping: () => false, serviceFault: async () => fault })
    assert.deepEqual((await health.readiness()).checks['service'], { ok: true })
    fault = 'The policy service could not be reached.'
    const { ready, checks } = await health.readiness()
    assert.deepEqual([ready, checks['service']], [true, { ok: false, detail: fault }])
    await storage.close()
  })
})
