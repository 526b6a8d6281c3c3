import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { z } from 'zod'
import { route } from '../../src/api/route.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { Log } from '../../src/lib/log.ts'
import { ADMIN_KEY, problemIn, startServer } from './running-server.ts'

/** A server of its own for one test, closed behind it. */
async function serverFor(t: TestContext, options: Parameters<typeof startServer>[0] = {}) {
  const running = await startServer(options)
  t.after(() => running.close())
  return running
}

function testRoute(path: `/${string}`, work: () => Promise<string>) {
  return route({
    operationId: 'testRoute',
    method: 'GET',
    path,
    summary: 'For tests.',
    auth: 'none',
    scopes: [],
    responses: { 200: z.strictObject({ said: z.string().max(20) }) },
    errors: [],
  }).handle(async () => ({ status: 200, body: { said: await work() } }))
}

function recordingLog(): Log & Readonly<{ lines: string[] }> {
  const lines: string[] = []
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ message, ...fields }))
  return { debug: write, info: write, warn: write, error: write, lines }
}

describe('every answer', () => {
  it('carries the request id: the caller’s where it can be kept, else a new one', async (t) => {
    const running = await serverFor(t)
    const idFor = async (id: string, path = '/health') =>
      (await running.request('GET', path, { headers: { 'x-request-id': id } })).headers.get('x-request-id') ?? ''
    assert.equal(await idFor('abc~!"123'), 'abc~!"123')
    assert.equal(await idFor('x'.repeat(128), '/nowhere'), 'x'.repeat(128))
    for (const id of ['', 'x'.repeat(129), 'two words', 'umläut'])
      assert.match(await idFor(id), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('can neither be framed, sniffed, run nor kept', async (t) => {
    const running = await serverFor(t)
    for (const path of ['/health', '/nowhere', '/api/admin/agents']) {
      const { headers } = await running.request('GET', path)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; frame-ancestors 'none'/)
      assert.equal(headers.get('access-control-allow-origin'), null)
      assert.equal(headers.get('x-powered-by'), null)
    }
  })

  it('to HEAD and OPTIONS, to other methods and other paths is as HTTP says', async (t) => {
    const running = await serverFor(t)
    const head = await running.request('HEAD', '/health')
    assert.deepEqual([head.status, head.text], [200, ''])
    const options = await running.request('OPTIONS', '/api/admin/agents')
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS, POST'])
    const wrong = await running.request('PATCH', '/api/admin/agents', { key: ADMIN_KEY })
    assert.equal(problemIn(wrong).error, 'method_not_allowed')
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD, OPTIONS, POST')
    for (const path of ['/', '/API/health', '/api/nothing', '/transactions', '/api//health'])
      assert.equal(problemIn(await running.request('GET', path)).error, 'not_found', path)
    for (const path of ['/api', '/api/']) assert.equal((await running.request('GET', path)).status, 200)
  })
})

describe('a fault', () => {
  it('says nothing of itself to the caller, and no address or key to the log', async (t) => {
    const log = recordingLog()
    const thrown = new Error('connect postgres://user:hunter2@db.internal/x failed', {
      cause: new Error('https://rpc.example/v3/s3cr3t'),
    })
    const running = await serverFor(t, { log, routes: [testRoute('/fault', () => Promise.reject(thrown))] })
    const answer = await running.request('GET', '/fault', { headers: { 'x-api-key': ADMIN_KEY } })
    assert.equal(problemIn(answer).error, 'internal')
    for (const secret of ['hunter2', 's3cr3t', 'postgres', 'server.test.ts', ADMIN_KEY]) {
      assert.equal(answer.text.includes(secret), false)
      if (secret.includes('3') || secret === ADMIN_KEY) assert.equal(log.lines.join('').includes(secret), false, secret)
    }
    const line = log.lines.find((text) => text.includes('request failed')) ?? ''
    assert.match(line, /connect \[address\] failed/)
    assert.match(line, new RegExp(problemIn(answer).requestId))
  })

  it('with a code is answered with its status, and `internal` without its sentence', async (t) => {
    const gone = testRoute('/gone', () => Promise.reject(new CountersignError('gone', 'It was delivered.')))
    const down = testRoute('/down', () => Promise.reject(new CountersignError('unavailable', 'The store is away.')))
    const inner = testRoute('/inner', () => Promise.reject(new CountersignError('internal', 'row 7 of table keys')))
    const running = await serverFor(t, { routes: [gone, down, inner] })
    const problem = problemIn(await running.request('GET', '/gone'))
    assert.deepEqual([problem.status, problem.error, problem.detail], [410, 'gone', 'It was delivered.'])
    const away = await running.request('GET', '/down')
    assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '1'])
    assert.equal((await running.request('GET', '/inner')).text.includes('table'), false)
  })

  it('is what an answer outside its schema is', async (t) => {
    const running = await serverFor(t, { routes: [testRoute('/long', async () => 'x'.repeat(21))] })
    assert.equal(problemIn(await running.request('GET', '/long')).error, 'internal')
  })
})

describe('the log', () => {
  it('has one line a request, without its address, its key or its body', async (t) => {
    const log = recordingLog()
    const running = await serverFor(t, { log })
    const body = '{"prompt":"my private prompt"}'
    await running.request('POST', '/api/transactions?token=s3cr3t', { key: running.agentKey, body })
    const lines = log.lines.filter((line) => line.includes('"request"'))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /"operationId":"submitTransaction".*"status":400/)
    for (const secret of ['s3cr3t', 'private', running.agentKey]) assert.equal(lines[0]?.includes(secret), false)
  })
})

describe('readiness', () => {
  it('is 503 with the failing checks where something is missing', async (t) => {
    const running = await serverFor(t, { ready: false })
    const { status, text } = await running.request('GET', '/ready')
    assert.equal(status, 503)
    assert.deepEqual(JSON.parse(text), { status: 'not_ready', checks: { store: { ok: false, detail: 'unreachable' } } })
    assert.deepEqual(JSON.parse((await running.request('GET', '/health')).text), { status: 'ok', uptime: 1.5 })
  })
})

describe('the listener', () => {
  it('gives slow clients no longer than the limits', async (t) => {
    const running = await serverFor(t)
    let server: HttpServer | undefined
    const watch = (message: unknown) => {
      server = (message as Readonly<{ server: HttpServer }>).server
    }
    subscribe('http.server.request.start', watch)
    await running.request('GET', '/health')
    unsubscribe('http.server.request.start', watch)
    assert.deepEqual([server?.headersTimeout, server?.requestTimeout, server?.timeout], [10_000, 30_000, 60_000])
    assert.equal(
      server !== undefined && 'connectionsCheckingInterval' in server && server.connectionsCheckingInterval,
      1_000,
    )
  })

  it('says so when its port is taken', async (t) => {
    const { port } = await serverFor(t)
    await assert.rejects(startServer({ port }), {
      code: 'unavailable',
      message: /Cannot listen on 127.0.0.1:\d+: .*EADDRINUSE/,
    })
  })

  it('closes: accepted requests finish, idle and silent connections do not hold it', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<string>()
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    const slow = testRoute('/slow', () => {
      enter()
      return held
    })
    const running = await startServer({ routes: [slow] })
    const silent = connect(running.port, '127.0.0.1')
    await once(silent, 'connect')
    const dropped = once(silent, 'close')
    silent.resume()
    await running.request('GET', '/health')
    const answer = running.request('GET', '/slow')
    await entered
    const closed = running.server.close()
    await assert.rejects(running.request('GET', '/health'))
    await dropped
    release('done')
    const { status, text } = await answer
    assert.deepEqual([status, JSON.parse(text)], [200, { said: 'done' }])
    await closed
    await running.storage.close()
  })
})
