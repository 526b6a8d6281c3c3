import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, describe, it } from 'node:test'
import { createWebChannel, type InboundMessage } from '../../../src/harness/index.ts'
import { toAddress } from '../../../src/lib/address.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { problemIn, startServer, WALLET } from '../running-server.ts'
import { openEvents } from './event-reader.ts'

const TOKEN = 'a-console-token-of-more-than-32-characters'
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` }
const warnings: string[] = []
const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) }

const chat = createWebChannel()
const owners = () => [toAddress(WALLET)]
const running = await startServer({ console: { chat, token: TOKEN, owners }, log })
after(() => running.close())

const received: InboundMessage[] = []
/** What a message is answered with; it may take as long as it likes. */
let answer: (message: InboundMessage) => Promise<void> = async () => undefined
await chat.start((message) => {
  received.push(message)
  return answer(message)
})

const DATA = [
  ['POST', '/console/chat/messages'],
  ['GET', '/console/chat/events?conversation=c'],
] as const
const post = (body: unknown, headers: Record<string, string> = AUTHORIZATION) =>
  running.request('POST', '/console/chat/messages', { body: JSON.stringify(body), headers })
const listen = (conversation: string, headers: Record<string, string> = {}) =>
  openEvents(`${running.url}/console/chat/events?conversation=${conversation}`, { ...AUTHORIZATION, ...headers })
const say = (conversation: string, ...texts: string[]) =>
  texts.forEach((text) => chat.tell(conversation, { type: 'text', text }))

/** fetch sets Host itself; this does not. */
async function withHost(path: string, headers: Record<string, string>, method = 'GET') {
  return await new Promise<number>((resolve, reject) => {
    const sent = httpRequest({ port: running.port, host: '127.0.0.1', path, headers, method }, (response) => {
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    sent.once('error', reject).end()
  })
}

describe('the page', () => {
  it('is found at /console, and needs no token', async () => {
    const start = await fetch(`${running.url}/console`, { redirect: 'manual' })
    assert.deepEqual([start.status, start.headers.get('location')], [302, '/console/chat'])
    const page = await running.request('GET', '/console/chat')
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  })

  it('may load its own files only, and each of those is there', async () => {
    const page = await running.request('GET', '/console/chat')
    assert.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    assert.doesNotMatch(page.text, /<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=|https?:/)
    const pending = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path = '']) => path)
    const seen = new Set<string>()
    for (const path of pending) {
      if (seen.has(path) || path.startsWith('data:')) continue
      seen.add(path)
      const file = await running.request('GET', path)
      assert.equal(file.status, 200, path)
      assert.doesNotMatch(file.text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/, path)
      for (const [, name] of file.text.matchAll(/from '\.\/([^']+)'/g)) pending.push(`/console/chat/${name}`)
    }
    assert.ok(seen.size >= 4, [...seen].join())
  })

  it('is all that is served: no other path reaches a file', async () => {
    for (const path of [
      '/console/chat/page.ts',
      '/console/chat/..%2fconsole.ts',
      '/console/chat/chat.html',
      '/console/x',
    ])
      assert.equal(problemIn(await running.request('GET', path)).error, 'not_found', path)
  })

  it('is not served where there is no console', async () => {
    const without = await startServer()
    try {
      assert.equal(problemIn(await without.request('GET', '/console/chat')).error, 'not_found')
    } finally {
      await without.close()
    }
  })
})

describe('the data', () => {
  const WRONG = ['', 'Bearer', 'Bearer ', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, TOKEN]

  for (const [method, path] of DATA)
    it(`of ${method} ${path} takes the token, and nothing else`, async () => {
      for (const authorization of [undefined, ...WRONG, 'Bearer undefined', 'Bearer null']) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
        const refused = await running.request(method, path, { headers })
        assert.equal(problemIn(refused).error, 'unauthenticated', authorization)
        assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
        assert.ok(!refused.text.includes(TOKEN))
      }
      const inAddress = await running.request(method, `${path}${path.includes('?') ? '&' : '?'}token=${TOKEN}`)
      assert.equal(inAddress.status, 401)
    })

  it('is refused under a foreign name and to a foreign page', async () => {
    const path = '/console/chat/events?conversation=c'
    const own = `127.0.0.1:${running.port}`
    const statusOf = (host: string, origin?: string) =>
      withHost(path, { ...AUTHORIZATION, host, ...(origin === undefined ? {} : { origin }) })
    for (const host of [own, `localhost:${running.port}`, '[::1]:80', 'verify.example', 'chat.localhost:1'])
      assert.equal(await statusOf(host), 200, host)
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      'verify.example:81',
      '0.0.0.0',
    ])
      assert.equal(await statusOf(host), 400, host)
    assert.equal(await statusOf(own, `http://${own}`), 200)
    assert.equal(await statusOf('verify.example', 'https://verify.example'), 200)
    for (const origin of [
      'null',
      'https://evil.example',
      'http://127.0.0.1:1',
      `ftp://${own}`,
      'http://localhost',
      'x',
    ])
      assert.equal(await statusOf(own, origin), 400, origin)
    assert.equal(await withHost('/console/chat', { host: 'evil.example' }), 400)
    assert.equal(await withHost('/console/chat/messages', { ...AUTHORIZATION, host: 'evil.example' }, 'POST'), 400)
  })

  it('names what is wrong with a request', async () => {
    const message = { conversation: 'c', id: '1', text: 'hi' }
    const wrongs: readonly (readonly [path: string, body: unknown])[] = [
      ['conversation', { ...message, conversation: 'a b' }],
      ['conversation', { ...message, conversation: 'x'.repeat(65) }],
      ['id', { ...message, id: '' }],
      ['id', { ...message, id: 1 }],
      ['text', { ...message, text: '' }],
      ['text', { ...message, text: 'x'.repeat(16_001) }],
      ['text', { ...message, text: 'a\0' }],
      ['sender', { ...message, sender: 'somebody' }],
      ['body', []],
    ]
    for (const [path, body] of wrongs) {
      const refused = problemIn(await post(body))
      assert.deepEqual(
        refused.errors?.map((error) => error.path),
        [path],
      )
    }
    assert.equal((await post({ ...message, text: 'x'.repeat(70_000) })).status, 413)
    const get = (query: string, headers = {}) =>
      running.request('GET', `/console/chat/events${query}`, { headers: { ...AUTHORIZATION, ...headers } })
    for (const [query, path] of [
      ['', 'conversation'],
      ['?conversation=c&conversation=d', 'conversation'],
      ['?conversation=c&x=1', 'x'],
    ] as const)
      assert.deepEqual(problemIn(await get(query)).errors?.[0]?.path, path)
    const lastId = await get('?conversation=c', { 'last-event-id': '-1' })
    assert.deepEqual(problemIn(lastId).errors?.[0]?.path, 'Last-Event-ID')
    assert.equal(problemIn(await running.request('GET', '/console/chat/messages')).error, 'method_not_allowed')
    assert.equal(received.length, 0)
  })
})

describe('a conversation', () => {
  it('takes a message at once, while its turn goes on by itself', async () => {
    const turn = Promise.withResolvers<void>()
    answer = async ({ conversation, text }) => {
      await turn.promise
      say(conversation, `You said ${text}.`)
      chat.tell(conversation, { type: 'end' })
    }
    const taken = await post({ conversation: 'c1', id: 'm1', text: 'hi' })
    assert.deepEqual([taken.status, taken.text], [202, '{"id":"m1"}'])
    assert.deepEqual(received.at(-1), { conversation: 'c1', id: 'm1', text: 'hi', sender: 'owner' })
    const events = await listen('c1')
    turn.resolve()
    assert.deepEqual(await events.take(2), [
      { id: 1, message: { type: 'text', text: 'You said hi.' } },
      { id: 2, message: { type: 'end' } },
    ])
    await events.leave()
  })

  it('is told as a stream that no proxy holds back', async () => {
    const events = await listen('c2')
    assert.equal(events.headers.get('content-type'), 'text/event-stream')
    assert.equal(events.headers.get('x-accel-buffering'), 'no')
    assert.equal(events.headers.get('cache-control'), 'no-store')
    say('c2', 'line\nbreak\n\nid: 9\ndata: {}\u2028')
    assert.equal((await events.take(1))[0]?.message.text, 'line\nbreak\n\nid: 9\ndata: {}\u2028')
    await events.leave()
  })

  it('goes on after the last event that a reader has', async () => {
    say('c3', 'one', 'two', 'three')
    const all = await listen('c3')
    assert.deepEqual(
      (await all.take(3)).map(({ id, message }) => `${id} ${message.text}`),
      ['1 one', '2 two', '3 three'],
    )
    await all.leave()
    say('c3', 'four')
    const rest = await listen('c3', { 'last-event-id': '2' })
    say('c3', 'five')
    assert.deepEqual(
      (await rest.take(3)).map(({ id }) => id),
      [3, 4, 5],
    )
    await rest.leave()
  })

  it('is told to its own readers only, and to all of them', async () => {
    const [first, second, other] = await Promise.all([listen('c4'), listen('c4'), listen('c5')])
    say('c4', 'here')
    say('c5', 'there')
    for (const reader of [first, second]) assert.equal((await reader.take(1))[0]?.message.text, 'here')
    assert.equal((await other.take(1))[0]?.message.text, 'there')
    await Promise.all([first.leave(), second.leave(), other.leave()])
  })

  it('is told what kept a message from being answered', async () => {
    answer = async () => {
      throw new Error('secret')
    }
    const events = await listen('c6')
    assert.equal((await post({ conversation: 'c6', id: 'm', text: 'hi' })).status, 202)
    assert.deepEqual(
      (await events.take(2)).map(({ message }) => message),
      [{ type: 'error', text: 'The message could not be answered.' }, { type: 'end' }],
    )
    await events.leave()
    assert.deepEqual(warnings, ['A message of the console was not taken.'])
  })

  it('is not held open by a request for its header', async () => {
    const head = await running.request('HEAD', '/console/chat/events?conversation=c7', { headers: AUTHORIZATION })
    assert.deepEqual([head.status, head.text], [200, ''])
  })
})

describe('a server that closes', () => {
  it('ends the streams and finishes', async () => {
    const channel = createWebChannel()
    const other = await startServer({ console: { chat: channel, token: TOKEN } })
    const events = await openEvents(`${other.url}/console/chat/events?conversation=c`, AUTHORIZATION)
    channel.tell('c', { type: 'text', text: 'last' })
    const closed = other.close()
    assert.equal((await events.take(1))[0]?.message.text, 'last')
    assert.ok(await events.ended())
    await closed
  })
})
