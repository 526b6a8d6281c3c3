// A store that does not count any more: what writes is refused, what reads goes on.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Context } from 'koa'
import { limitRequest } from '../../src/api/limit-request.ts'
import { createLimiter } from '../../src/api/rate-limit.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { openStorage } from '../../src/storage/index.ts'

const LIMITS = { agent: 2, partner: 2, partnerPolicy: 2, public: 2, auth: 2, admin: 2 }

function contextOf(method: string, headers: Record<string, unknown> = {}): Context {
  const ctx = {
    method,
    req: { socket: { remoteAddress: '127.0.0.1' } },
    set: (more: object) => void Object.assign(headers, more),
  }
  return ctx as Partial<Context> as Context
}

describe('a limit whose store is down', () => {
  const down = {
    admit: async () => Promise.reject(new CountersignError('unavailable', 'The database did not answer.')),
  }

  it('refuses every write and lets reads pass', async () => {
    const limiter = createLimiter(LIMITS, down)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      await assert.rejects(limitRequest(contextOf(method), 'agent', undefined, { limiter }), (thrown) => {
        assert.ok(thrown instanceof CountersignError)
        assert.equal(thrown.code, 'unavailable')
        return true
      })
    for (let i = 0; i < 5; i++) await limitRequest(contextOf('GET'), 'agent', undefined, { limiter })
  })

  it('counts again when it is back', async () => {
    const storage = await openStorage({ url: undefined })
    const store = { away: true }
    const limiter = createLimiter(LIMITS, {
      admit: async (asked) => (store.away ? down.admit() : storage.stores.rateLimits.admit(asked)),
    })
    await assert.rejects(limitRequest(contextOf('POST'), 'agent', undefined, { limiter }))
    store.away = false
    const headers: Record<string, unknown> = {}
    await limitRequest(contextOf('POST', headers), 'agent', undefined, { limiter })
    assert.equal(headers['RateLimit-Policy'], '"agent";q=2;w=60')
    await limitRequest(contextOf('POST'), 'agent', undefined, { limiter })
    await assert.rejects(limitRequest(contextOf('POST', headers), 'agent', undefined, { limiter }), (thrown) => {
      assert.ok(thrown instanceof CountersignError)
      assert.equal(thrown.code, 'rate_limited')
      return true
    })
    assert.ok(Number(headers['Retry-After']) >= 1)
    await storage.close()
  })
})
