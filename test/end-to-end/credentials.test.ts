// No credential in a log, an error, a header of an answer, or a stored row: every way to get one and every way to be
// refused is gone through, with texts that can be found again.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { routes } from '../../src/api/index.ts'
import { createWebChannel } from '../../src/harness/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Log } from '../../src/lib/log.ts'
import { newBrowser, newWallet, signIn, startPublicServer } from '../support/person.ts'

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const REDIRECT = 'http://127.0.0.1:49152/callback'
const CANARY = 'canaryCANARYcanaryCANARYcanaryCANARYcanaryC'

const CONSOLE_TOKEN = 'a-console-token-of-more-than-32-characters'
const owner = newWallet()

const lines: string[] = []
const write = (fields: object, message: string) => void lines.push(JSON.stringify(fields) + message)
const log: Log = { debug: write, info: write, warn: write, error: write }

let folder: string
let running: Awaited<ReturnType<typeof startPublicServer>>
/** What must be nowhere, by what it is. */
const secrets = new Map<string, string>()
/** Answers that refuse, and the headers of all answers. */
const said: string[] = []

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-credentials-'))
  const parts = { chat: createWebChannel(), token: CONSOLE_TOKEN, owners: () => [toAddress(owner.address)] }
  running = await startPublicServer({ log, databaseUrl: `file:${join(folder, 'kept.db')}`, console: parts })
})
after(async () => {
  await running.close()
  await rm(folder, { recursive: true })
})

type Sent = Readonly<{ json?: unknown; form?: Record<string, string>; headers?: Record<string, string> }>
async function ask(
  method: string,
  url: string,
  { json, form, headers = {} }: Sent = {},
): Promise<Record<string, string>> {
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...type, ...headers },
    ...(body && { body }),
  })
  const text = await response.text()
  said.push(JSON.stringify([...response.headers].filter(([name]) => name !== 'location')))
  if (!response.ok) said.push(text)
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {}
}

const keep = (name: string, value: string | undefined): string => {
  assert.ok(value !== undefined && value.length > 20, name)
  secrets.set(name, value)
  return value
}

describe('credentials', () => {
  it('are got in every way there is', async () => {
    const { publicUrl } = running
    const wallet = newWallet()
    const session = await signIn(publicUrl, wallet)
    const token = keep('access token of a session', session.accessToken)
    const refreshToken = keep('refresh token of a session', session.refreshToken)
    const headers = { authorization: `Bearer ${token}` }
    keep('key of a user', (await ask('POST', `${publicUrl}/user-api-keys`, { json: {}, headers }))['apiKey'])
    await ask('GET', `${publicUrl}/user-api-keys`, { headers })
    const next = await ask('POST', `${publicUrl}/auth/refresh`, { json: { refreshToken } })
    keep('next refresh token', next['refreshToken'])
    await ask('POST', `${publicUrl}/auth/refresh`, { json: { refreshToken } })

    const { code = '', authUrl = '' } = await ask('POST', `${publicUrl}/auth/connect/initiate`, { json: {} })
    keep('connection code', code)
    const requests = `${publicUrl}/auth/connect/requests/${new URL(authUrl).searchParams.get('request')}`
    const asked = { walletAddress: wallet.address, chainId: 1 }
    const { message = '' } = await ask('POST', `${requests}/message`, { json: asked })
    const signature = keep('signature', await wallet.signMessage({ message }))
    await ask('POST', `${requests}/approve`, { json: { message, signature } })
    keep('key by code', (await ask('GET', `${publicUrl}/auth/connect/status?code=${code}`))['apiKey'])
    await ask('GET', `${publicUrl}/auth/connect/status?code=${code}`)

    const { client_id = '' } = await ask('POST', `${publicUrl}/oauth/register`, { json: { redirect_uris: [REDIRECT] } })
    const url = new URL(`${publicUrl}/oauth/authorize`)
    const parameters = {
      client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const browser = newBrowser()
    const callback = await browser.approve(await browser.begin(url), wallet)
    for (const cookie of browser.cookie().split('; '))
      if (cookie.startsWith('cs_oauth_session=')) keep('cookie of the authorization server', cookie.split('=')[1])
    const given = keep('authorization code', callback.searchParams.get('code') ?? undefined)
    const form = {
      grant_type: 'authorization_code',
      code: given,
      redirect_uri: REDIRECT,
      client_id,
      code_verifier: VERIFIER,
    }
    const tokens = await ask('POST', `${publicUrl}/oauth/token`, { form })
    const access = keep('access token of OAuth', tokens['access_token'])
    const refresh = keep('refresh token of OAuth', tokens['refresh_token'])
    await ask('POST', `${publicUrl}/mcp`, { json: {}, headers: { authorization: `Bearer ${access}` } })
    await ask('POST', `${publicUrl}/oauth/token`, {
      form: { grant_type: 'refresh_token', refresh_token: refresh, client_id },
    })
    await ask('POST', `${publicUrl}/oauth/token`, {
      form: { grant_type: 'refresh_token', refresh_token: refresh, client_id },
    })
    await ask('POST', `${publicUrl}/oauth/token`, { form })
    await ask('POST', `${publicUrl}/mcp`, { json: {}, headers: { authorization: `Bearer ${access}` } })
    await ask('POST', `${publicUrl}/oauth/revoke`, { form: { token: access, client_id } })
    secrets.set('key of an agent', running.agentKey)
    secrets.set('token of the console', CONSOLE_TOKEN)
    await openConsole()
  })

  /** Opens the console with an owner's wallet, speaks with both of its credentials, and is refused with each once it ended. */
  async function openConsole(): Promise<void> {
    const session = `${running.url}/console/session`
    const asked = { walletAddress: owner.address, chainId: 1 }
    const { message = '' } = await ask('POST', `${session}/message`, { json: asked })
    const signature = keep('signature for the console', await owner.signMessage({ message }))
    const answer = await fetch(session, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message, signature }),
    })
    const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? []
    keep('cookie of the console', cookie.split('=')[1])
    const said = { json: { conversation: 'c', id: 'm', text: 'hello' } }
    for (const headers of [{ cookie }, { authorization: `Bearer ${CONSOLE_TOKEN}` }, { cookie, authorization: cookie }])
      await ask('POST', `${running.url}/console/chat/messages`, { ...said, headers })
    await ask('POST', session, { json: { message, signature } })
    await ask('DELETE', session, { headers: { cookie } })
    await ask('POST', `${running.url}/console/chat/messages`, { ...said, headers: { cookie } })
  }

  it('are refused in every way there is', async () => {
    secrets.set('canary', CANARY)
    const { url } = running
    const bodies: readonly Sent[] = [
      { headers: { 'x-api-key': `cs_user_${CANARY}` } },
      { headers: { authorization: `Bearer ${CANARY}` } },
      { headers: { authorization: `Bearer ${CANARY}`, 'x-api-key': CANARY } },
      { headers: { 'x-api-key': running.agentKey, 'x-app-id': CANARY } },
      { headers: { authorization: `Basic ${CANARY}`, cookie: `cs_oauth_session=${CANARY}` } },
      { json: { apiKey: CANARY, signature: CANARY, message: CANARY, refreshToken: CANARY, code: CANARY } },
      { json: { message: CANARY, signature: `0x${'ab'.repeat(65)}` } },
      { json: { refreshToken: `cs_refresh_${CANARY}` } },
      { json: CANARY },
      { form: { code: CANARY, refresh_token: CANARY, grant_type: 'authorization_code', client_id: CANARY } },
      { form: { refresh_token: CANARY, grant_type: 'refresh_token', client_id: CANARY } },
    ]
    const others = [
      '/api/mcp',
      '/api/oauth/token',
      '/api/oauth/register',
      '/api/oauth/revoke',
      '/api/oauth/consent/x/message',
      '/api/oauth/consent/x/approve',
      '/api/oauth/consent/x/decline',
      '/console/session',
      '/console/session/message',
      '/console/chat/messages',
    ].map((path) => ({
      method: 'POST',
      path,
    }))
    for (const { method, path } of [...routes, ...others])
      for (const sent of bodies) {
        if (method === 'GET' && (sent.json !== undefined || sent.form !== undefined)) continue
        await ask(method, url + path.replace(/:(\w+)/g, CANARY), sent)
      }
    for (const path of ['/api/auth/connect/status', '/api/oauth/authorize', '/api/nothing', '/api/auth/me'])
      await ask('GET', `${url}${path}?code=${CANARY}&api_key=${CANARY}&client_id=${CANARY}`)
    await ask('GET', `${url}/api/oauth/consent/${CANARY}/request`)
    await ask('GET', `${url}/api/oauth/authorize/${CANARY}`)
    assert.ok(said.length > 500 && lines.length > 500)
  })

  it('are in no log, no refusal and no header of an answer', () => {
    for (const [place, texts] of Object.entries({ log: lines, answer: said }))
      for (const text of texts)
        for (const [name, secret] of secrets) {
          // The browser of the person is given its own cookie.
          if (place === 'answer' && name.startsWith('cookie')) continue
          assert.equal(text.includes(secret), false, `${name} in ${place}: ${text.slice(0, 300)}`)
        }
  })

  it('are in no stored row', async () => {
    const files = await readdir(folder)
    const kept = (await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')))).join('')
    assert.ok(kept.includes('AccessToken') && kept.includes(running.agent.id))
    for (const [name, secret] of secrets) assert.equal(kept.includes(secret), false, name)
  })
})
