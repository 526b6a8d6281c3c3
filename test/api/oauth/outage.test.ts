// The store is away: whoever asks the authorization server is told so, and told to come back.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock, type TestContext } from 'node:test'
import { CountersignError } from '../../../src/lib/errors.ts'
import { newBrowser, startPublicServer } from '../../support/person.ts'
import { problemIn } from '../running-server.ts'

const away = async () => {
  throw new CountersignError('unavailable', 'The database did not answer.')
}
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function serverFor(t: TestContext) {
  const running = await startPublicServer()
  t.after(() => running.close())
  return running
}

describe('the authorization server, its store away', () => {
  beforeEach(() => mock.reset())
  afterEach(() => mock.reset())

  it('answers what came before it had its keys', async (t) => {
    const running = await serverFor(t)
    mock.method(running.storage.stores.tokenKeys, 'list', away)
    for (const [method, path] of [
      ['GET', '/api/oauth/jwks'],
      ['GET', '/api/oauth/authorize?client_id=x'],
      ['POST', '/api/oauth/token'],
    ] as const) {
      const answer = await running.request(method, path)
      assert.equal(problemIn(answer).error, 'unavailable', path)
      assert.equal(answer.headers.get('retry-after'), '1')
    }
  })

  it('is no fault of its own', async (t) => {
    const running = await serverFor(t)
    assert.equal((await running.request('GET', '/api/oauth/jwks')).status, 200)
    mock.method(running.storage.stores.oauthRecords, 'find', away)
    const token = await running.request('POST', '/api/oauth/token', {
      headers: FORM,
      body: 'grant_type=refresh_token&refresh_token=x&client_id=x',
    })
    for (const { status, headers, text } of [token, await running.request('GET', '/api/oauth/authorize?client_id=x')]) {
      assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
      assert.equal((JSON.parse(text) as { error: string }).error, 'server_error')
    }
  })

  it('does not call a waiting consent gone', async (t) => {
    const running = await serverFor(t)
    const registered = await running.request('POST', '/api/oauth/register', {
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:49152/callback'] }),
    })
    const { client_id } = JSON.parse(registered.text) as { client_id: string }
    const url = new URL(`${running.publicUrl}/oauth/authorize`)
    url.search = new URLSearchParams({
      client_id,
      redirect_uri: 'http://127.0.0.1:49152/callback',
      response_type: 'code',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    }).toString()
    const browser = newBrowser()
    const { pathname } = new URL(await browser.begin(url))
    const ask = () => running.request('GET', `${pathname}/request`, { headers: { cookie: browser.cookie() } })
    mock.method(running.storage.stores.oauthRecords, 'find', away)
    assert.equal(problemIn(await ask()).error, 'unavailable')
    mock.reset()
    assert.equal((await ask()).status, 200)
  })
})
