// A store that does not count any more: what writes is refused, what reads goes on.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Context } from 'koa'
import { limitRequest } from '../../src/api/limit-request.ts'
import { createLimiter } from '../../src/api/rate-limit.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { openStorage } from '../../src/storage/index.ts'
import { startServer } from './running-server.ts'

const LIMITS = { agent: 2, partner: 2, partnerPolicy: 2, public: 2, auth: 2, admin: 2 }

function contextOf(method: string, headers: Record<string, unknown> = {}, remoteAddress = '127.0.0.1'): Context {
  const ctx = {
    method,
    req: { socket: { remoteAddress } },
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
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD', 'GET'])
      await limitRequest(contextOf(method), 'agent', undefined, { limiter })
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

describe('what tells whether the process is well', () => {
  it('is never refused for being asked often', async (t) => {
    const running = await startServer({ limits: { ...LIMITS, public: 1 } })
    t.after(() => running.close())
    const statuses = async (path: string) =>
      Promise.all([1, 2, 3].map(async () => (await running.request('GET', path)).status))
    for (const path of ['/health', '/ready', '/metrics', '/api/health'])
      assert.deepEqual(await statuses(path), [200, 200, 200], path)
    assert.deepEqual(
      (await statuses('/api')).toSorted((a, b) => a - b),
      [200, 429, 429],
    )
  })
})

describe('whoever has no key', () => {
  const COUNTED = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001::4:5:6:7:8', '2001:0:0:4'],
    ['1::3:4:5:6:7:8', '1:0:3:4'],
    ['::3:4:5:6:7:8', '0:0:3:4'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['fe80::5:6:7:8%2', 'fe80:0:0:0'],
  ] as const

  for (const [address, network] of COUNTED)
    it(`at ${address} is counted as ${network}`, async () => {
      const counted: string[] = []
      const limiter = async (_: string, who: string) => {
        counted.push(who)
        return { admitted: true, headers: {} }
      }
      await limitRequest(contextOf('GET', {}, address), 'public', undefined, { limiter })
      assert.deepEqual(counted, [network])
    })
})
