import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Route, routes } from '../../src/api/index.ts'
import { ADMIN_KEY, HASH, problemIn, startServer, WALLET } from './running-server.ts'

const running = await startServer()
after(() => running.close())
const PARAMS: Readonly<Record<string, string>> = {
  requestHash: HASH,
  walletAddress: WALLET,
  address: WALLET,
  requestId: 'x',
  appId: 'x',
  id: 'x',
}
const pathOf = (route: Route) => route.path.replace(/:(\w+)/g, (_, name: string) => PARAMS[name] ?? '')

const TX = { protocol: 'uniswap', chainId: 8453, to: WALLET, data: '0x', value: '0x0' }
const SUBMIT = { escrowAddress: WALLET, prompt: 'p', proposedTx: TX }
const submitWith = (tx: object) => JSON.stringify({ ...SUBMIT, proposedTx: { ...TX, ...tx } })

/** Bodies that no route can take. */
const BODIES: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  'an array': '[]',
  'a text': '"x"',
  'a number': '7',
  null: 'null',
  'no JSON': '{"a":',
  'two values': '{}{}',
  'NUL in a text': '{"name":"a\\u0000b"}',
  'half of a surrogate pair': '{"name":"\\ud800"}',
  'the other half': '{"name":{"deep":["\\udfff x"]}}',
  'a raw NUL': '{"name":"a\0b"}',
  'bytes that are no UTF-8': Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'UTF-16': Uint8Array.from(Buffer.from('{"name":"x"}', 'utf16le')),
  'nesting of 5,000': '['.repeat(5_000) + ']'.repeat(5_000),
  'nesting of 33': `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  'a number beyond every double': '{"caps":{"perTxUsd":1e400}}',
  'a prototype': '{"__proto__":{"isAdmin":true}}',
  'an unknown field': '{"noSuchField":1}',
  'a field twice': '{"name":"a","name":"a"}',
}

describe('a hostile body', () => {
  for (const [name, body] of Object.entries(BODIES))
    it(`with ${name} is refused by every route, and the fault is named`, async () => {
      for (const route of routes.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/'))) {
        const problem = problemIn(
          await running.request(route.method, pathOf(route), { headers: running.headersFor(route), body }),
        )
        const expected = ['invalid_request', route.invalidAs ?? 'invalid_request']
        assert.ok(expected.includes(problem.error), `${route.path}: ${problem.error}`)
        assert.ok(problem.errors?.every(({ path, message }) => path.length > 0 && message.length > 0))
      }
    })

  it('is refused where the schema leaves its fields free, too', async () => {
    const submit = (rest: object) => JSON.stringify({ ...SUBMIT, ...rest })
    const FREE: readonly (readonly [path: string, body: string])[] = [
      ['metadata.a.0.b', submit({ metadata: { a: [{ b: 'x\0' }] } })],
      ['metadata', submit({ metadata: { 'a\0': 1 } })],
      ['contextLogs.a', submit({ contextLogs: { a: '\ud800' } })],
      ['metadata.a', submit({ metadata: { a: 1 } }).replace('"a":1', '"a":-1e400')],
      ['metadata.__proto__', submit({ metadata: { a: 1 } }).replace('"a"', '"__proto__"')],
      [
        'proposedTx.size',
        submit({ proposedTx: { protocol: 'hyperliquid', chainId: 999, size: 7 } }).replace('7', '1e999'),
      ],
      ['prompt', submit({ prompt: 'a\0' })],
      ['proposedTx.to', submitWith({}).replace('"to"', `"to":"${WALLET}","to"`)],
      ['metadata.a', submit({ metadata: { a: 1 } }).replace('"a"', '"a":1,"a"')],
    ]
    for (const [path, body] of FREE) {
      const problem = problemIn(await running.request('POST', '/api/transactions', { key: running.agentKey, body }))
      assert.deepEqual(
        problem.errors?.map((error) => error.path),
        [path],
      )
    }
    const [before = '', behind = ''] = submit({ prompt: 'MARK' }).split('MARK')
    const broken = Uint8Array.from([...Buffer.from(before), 0xff, ...Buffer.from(behind)])
    const answer = await running.request('POST', '/api/transactions', { key: running.agentKey, body: broken })
    assert.deepEqual(problemIn(answer).errors, [{ path: 'body', message: 'must be UTF-8' }])
  })

  it('that is too large is refused, announced or not', async () => {
    const key = running.agentKey
    const large = JSON.stringify({ ...SUBMIT, prompt: 'x'.repeat(65_536) })
    assert.equal((await running.request('POST', '/api/transactions', { key, body: large })).status, 413)
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(16_384)))
        if (++chunks > 8) controller.close()
      },
    })
    let chunks = 0
    const response = await fetch(`${running.url}/api/transactions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    })
    assert.equal(response.status, 413)
    assert.equal((await running.request('GET', '/health')).status, 200)
  })

  it('of another type or compressed is refused', async () => {
    const key = running.agentKey
    const post = async (
      headers: Record<string, string>,
      body: string | Uint8Array<ArrayBuffer> = JSON.stringify(SUBMIT),
    ) => (await running.request('POST', '/api/transactions', { key, body, headers })).status
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'json'])
      assert.equal(await post({ 'content-type': type }), 415, type)
    const zipped = Uint8Array.from(gzipSync(JSON.stringify(SUBMIT)))
    assert.equal(await post({ 'content-encoding': 'gzip' }, zipped), 415)
    assert.equal(await post({ 'content-encoding': 'gzip' }, zipped.slice(0, 20)), 415)
    assert.equal(await post({ 'content-type': 'application/json; charset=UTF-8' }), 403)
  })

  it('that is missing is named', async () => {
    const problem = problemIn(await running.request('POST', '/api/transactions', { key: running.agentKey }))
    assert.deepEqual(problem.errors, [{ path: 'body', message: 'expected a JSON body' }])
  })
})

describe('an action', () => {
  const WRONG: readonly (readonly [path: string, body: string])[] = [
    ...[-1, 0, 1.5, '1', null, 1e300, 2 ** 53].map((chainId) => ['chainId', submitWith({ chainId })] as const),
    ...['-1', '1.5', '', '0x', 1, `0x1${'0'.repeat(64)}`, (2n ** 256n).toString()].map(
      (value) => ['value', submitWith({ value })] as const,
    ),
    ...['0x', '', null, `${WALLET}00`, '0xDeadbeefdeadbeefdeadbeefdeadbeefdeadbeeF'].map(
      (to) => ['to', submitWith({ to })] as const,
    ),
    ...['0x1', 'x', null, '0xzz'].map((data) => ['data', submitWith({ data })] as const),
    ['chainId', submitWith({}).replace('8453', '1e400')],
  ]

  for (const [path, body] of WRONG)
    it(`with a wrong ${path} is refused: ${body.slice(80, 200)}`, async () => {
      const answer = await running.request('POST', '/api/transactions', { key: running.agentKey, body })
      assert.deepEqual(
        problemIn(answer).errors?.map((error) => error.path),
        [`proposedTx.${path}`],
      )
    })
})

describe('a hostile address', () => {
  const key = () => ({ key: running.agentKey })

  it('with NUL or broken escapes is refused', async () => {
    const nul = await running.request('GET', '/api/transactions/%00/approval-status', key())
    assert.equal(problemIn(nul).errors?.[0]?.path, 'requestHash')
    for (const part of ['%E0%A4%A', '%ED%A0%80', '%2e%2e%2f', '%', '..%2f..', "'%20or%201=1", 'x'.repeat(5_000)]) {
      const { status } = await running.request('GET', `/api/transactions/${part}/approval-status`, key())
      assert.ok(status === 400 || status === 404, `${part}: ${status}`)
    }
    const wallet = await running.request('GET', '/api/admin/policies/0x12', { key: ADMIN_KEY })
    assert.equal(problemIn(wallet).errors?.[0]?.path, 'walletAddress')
  })

  it('with a query parameter twice, unknown or out of range is refused', async () => {
    const QUERIES = ['limit=1&limit=2', 'limit=1&limit=1', 'colour=1', 'limit=', 'limit=0', 'limit=101', 'limit=1.5']
    for (const query of [...QUERIES, 'limit=1e2', 'limit[]=1', 'cursor=', 'cursor=%00', 'cursor=x', '__proto__=1']) {
      const answer = await running.request('GET', `/api/admin/agents?${query}`, { key: ADMIN_KEY })
      assert.equal(problemIn(answer).error, 'invalid_request', query)
    }
    assert.equal((await running.request('GET', '/health?x=1&x=2')).status, 400)
  })
})

describe('what is no proper HTTP', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(running.port, '127.0.0.1', () => socket.end(text))
      socket.setEncoding('utf8').on('data', (data: string) => {
        answer += data
      })
      socket.on('end', () => resolve(answer)).on('error', reject)
    })

  const REQUESTS: Readonly<Record<string, string>> = {
    'no HTTP at all': 'hello\r\n\r\n',
    'two lengths': 'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'a length and chunks':
      'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'a header that is too large': `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    'no host': 'GET /health HTTP/1.1\r\n\r\n',
    'a broken absolute address': 'GET http://[::1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'a broken address behind slashes': 'GET //[::1#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'an asterisk': 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'another scheme': 'GET javascript:alert(1) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'a tunnel': 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'a body that stops': `POST /api/transactions HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${running.agentKey}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  }

  for (const [name, text] of Object.entries(REQUESTS))
    it(`${name} is answered with 4xx or nothing, and the next request is served`, async () => {
      const answer = await raw(text)
      assert.match(answer, /^(HTTP\/1\.1 4\d\d |$)/)
      assert.equal((await running.request('GET', '/health')).status, 200)
    })

  it('but an expectation that nobody knows is answered as without it', async () => {
    const answer = await raw('GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: a-wonder\r\nConnection: close\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 404 Not Found\r\nX-Request-Id: /)
  })

  it('is answered with a problem where a parser refused it', async () => {
    const answer = await raw('hello\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/)
    assert.match(answer, /"error":"invalid_request"/)
  })
})
