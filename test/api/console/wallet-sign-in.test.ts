// An owner's wallet opens the console; nobody else's does, and no other page speaks for it.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createWebChannel, type InboundMessage } from '../../../src/harness/index.ts'
import { toAddress } from '../../../src/lib/address.ts'
import { newWallet, signIn, startPublicServer, type TestWallet } from '../../support/person.ts'
import { problemIn, startServer } from '../running-server.ts'
import { openEvents } from './event-reader.ts'

const TOKEN = 'a-console-token-of-more-than-32-characters'
const [owner, second, stranger] = [newWallet(), newWallet(), newWallet()]
let wallets = [toAddress(owner.address), toAddress(second.address)]
const owners = () => wallets

const chat = createWebChannel()
const received: InboundMessage[] = []
await chat.start(async (message) => void received.push(message))
const running = await startPublicServer({ console: { chat, token: TOKEN, owners } })
after(() => running.close())

type Sent = Readonly<{ body?: unknown; headers?: Record<string, string> }>
const ask = (method: string, path: string, { body, headers = {} }: Sent = {}) =>
  running.request(method, path, { headers, ...(body !== undefined && { body: JSON.stringify(body) }) })

async function messageFor(wallet: TestWallet): Promise<string> {
  const { text } = await ask('POST', '/console/session/message', {
    body: { walletAddress: wallet.address, chainId: 1 },
  })
  return (JSON.parse(text) as { message: string }).message
}

async function signed(wallet: TestWallet) {
  const message = await messageFor(wallet)
  return { message, signature: await wallet.signMessage({ message }) }
}

/** The cookie of a sign-in, as a browser sends it back, and the line that set it. */
async function sessionOf(wallet: TestWallet) {
  const answer = await ask('POST', '/console/session', { body: await signed(wallet) })
  assert.equal(answer.status, 200, answer.text)
  const [line = ''] = answer.headers.getSetCookie()
  return { line, cookie: line.split(';')[0] ?? '' }
}

const say = (headers: Record<string, string>) =>
  ask('POST', '/console/chat/messages', { body: { conversation: 'c', id: 'm', text: 'hello' }, headers })

describe('an owner with a wallet', () => {
  it('gets a cookie that no script reads and no other site has sent, and speaks as the wallet', async () => {
    const { line, cookie } = await sessionOf(owner)
    assert.match(line, /^cs_console_\d+=[A-Za-z0-9_-]{43}; path=\/console; expires=[^;]+; samesite=strict; httponly$/)
    assert.equal((await say({ cookie })).status, 202)
    assert.equal(received.at(-1)?.sender, owner.address.toLowerCase())
    const events = await openEvents(`${running.url}/console/chat/events?conversation=c`, { cookie })
    await events.leave()
    const { text } = await ask('GET', '/console/session', { headers: { cookie } })
    assert.deepEqual(JSON.parse(text), { wallet: owner.address.toLowerCase(), wallets: true })
  })

  it('is another person than another owner, and than whoever holds the token', async () => {
    await say({ cookie: (await sessionOf(second)).cookie })
    assert.equal(received.at(-1)?.sender, second.address.toLowerCase())
    await say({ authorization: `Bearer ${TOKEN}` })
    assert.equal(received.at(-1)?.sender, 'owner')
  })

  it('signs out, at once', async () => {
    const { cookie } = await sessionOf(owner)
    const ended = await ask('DELETE', '/console/session', { headers: { cookie } })
    assert.equal(ended.status, 204)
    assert.match(ended.headers.getSetCookie()[0] ?? '', /^cs_console_\d+=; .*expires=Thu, 01 Jan 1970/)
    assert.equal((await say({ cookie })).status, 401)
    assert.equal((await ask('DELETE', '/console/session')).status, 204)
  })

  it('has a cookie for TLS alone where the public address has it', async () => {
    const secure = await startServer({ console: { chat, token: TOKEN, owners } })
    try {
      const { message } = (await (
        await fetch(`${secure.url}/console/session/message`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ walletAddress: owner.address, chainId: 1 }),
        })
      ).json()) as { message: string }
      assert.match(message, /^verify\.example wants you to sign in[\s\S]*Open the console of this harness/)
      const body = JSON.stringify({ message, signature: await owner.signMessage({ message }) })
      const answer = await fetch(`${secure.url}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      assert.match(answer.headers.getSetCookie()[0] ?? '', /^cs_console=.*; secure; httponly$/)
    } finally {
      await secure.close()
    }
  })
})

describe('the console is opened by no', () => {
  it('wallet that is not an owner’s, whatever it signs', async () => {
    const answer = await ask('POST', '/console/session', { body: await signed(stranger) })
    assert.equal(problemIn(answer).error, 'insufficient_scope')
    assert.deepEqual(answer.headers.getSetCookie(), [])
    const message = await messageFor(owner)
    const forged = { message, signature: await stranger.signMessage({ message }) }
    assert.equal((await ask('POST', '/console/session', { body: forged })).status, 401)
  })

  it('signature for something else, and none a second time', async () => {
    const elsewhere = { walletAddress: owner.address, chainId: 1 }
    const { text } = await ask('POST', '/api/auth/siwe/message', { body: elsewhere })
    const { message } = JSON.parse(text) as { message: string }
    const other = { message, signature: await owner.signMessage({ message }) }
    assert.equal((await ask('POST', '/console/session', { body: other })).status, 401)
    const body = await signed(owner)
    assert.equal((await ask('POST', '/api/auth/siwe/verify', { body })).status, 401)
    assert.equal((await ask('POST', '/console/session', { body })).status, 200)
    assert.equal((await ask('POST', '/console/session', { body })).status, 401)
  })

  it('token of another kind', async () => {
    const { accessToken, refreshToken } = await signIn(running.publicUrl, owner)
    const name = (await sessionOf(owner)).cookie.split('=')[0] ?? ''
    for (const token of [accessToken, refreshToken, running.agentKey, TOKEN, '', 'undefined', 'null']) {
      assert.equal((await say({ cookie: `${name}=${token}` })).status, 401)
      if (token !== TOKEN) assert.equal((await say({ authorization: `Bearer ${token}` })).status, 401)
    }
    const { cookie } = await sessionOf(owner)
    assert.equal((await ask('GET', '/api/auth/me', { headers: { cookie } })).status, 401)
    assert.equal((await say({ authorization: `Bearer ${cookie.split('=')[1]}` })).status, 401)
    // A header counts where there is one: a wrong token is not made good by a session.
    assert.equal((await say({ cookie, authorization: 'Bearer wrong' })).status, 401)
  })

  it('request of another page, whatever the browser sends with it', async () => {
    const { cookie } = await sessionOf(owner)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ])
      for (const [method, path, body] of [
        ['POST', '/console/chat/messages', { conversation: 'c', id: 'm', text: 'x' }],
        ['GET', '/console/chat/events?conversation=c', undefined],
        ['GET', '/console/session', undefined],
        ['DELETE', '/console/session', undefined],
      ] as const) {
        const sent = { headers: { cookie, ...headers } as Record<string, string>, ...(body && { body }) }
        assert.equal((await ask(method, path, sent)).status, 400, `${method} ${path} ${JSON.stringify(headers)}`)
      }
    assert.equal(
      (await say({ cookie, origin: `http://127.0.0.1:${running.port}`, 'sec-fetch-site': 'same-origin' })).status,
      202,
    )
  })

  it('wallet at all where none is an owner’s', async () => {
    for (const none of [{}, { owners: () => [] }]) {
      const closed = await startPublicServer({ console: { chat, token: TOKEN, ...none } })
      try {
        const { text } = await closed.request('GET', '/console/session')
        assert.deepEqual(JSON.parse(text), { wallet: null, wallets: false })
        for (const [method, path] of [
          ['GET', '/console/sign-in'],
          ['POST', '/console/session/message'],
          ['POST', '/console/session'],
        ] as const)
          assert.equal((await closed.request(method, path)).status, 404, path)
      } finally {
        await closed.close()
      }
    }
  })

  it('wallet that is an owner’s no more, from that moment', async () => {
    const { cookie } = await sessionOf(second)
    assert.equal((await say({ cookie })).status, 202)
    const events = await openEvents(`${running.url}/console/chat/events?conversation=ends`, { cookie })
    const before = wallets
    wallets = wallets.slice(0, 1)
    assert.equal((await say({ cookie })).status, 401)
    chat.tell('ends', { type: 'text', text: 'for owners' })
    assert.equal(await events.rest(), '')
    assert.equal((await ask('POST', '/console/session', { body: await signed(second) })).status, 403)
    wallets = before
  })

  it('body that is none, naming each field', async () => {
    for (const body of [{}, { message: 'x' }, [], { message: '', signature: '0x' }])
      assert.equal(problemIn(await ask('POST', '/console/session', { body })).error, 'invalid_request')
    const asked = await ask('POST', '/console/session/message', { body: { walletAddress: 'x', chainId: 1 } })
    assert.equal(problemIn(asked).errors?.[0]?.path, 'walletAddress')
  })
})
