// The authorization server, spoken to by a client library that this project did not write.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { newBrowser, newWallet, signIn, startPublicServer } from '../support/person.ts'

const REDIRECT = 'http://127.0.0.1:49152/callback'
const INSECURE = { [oauth.allowInsecureRequests]: true } as const
const NONE = oauth.None()

let running: Awaited<ReturnType<typeof startPublicServer>>
let server: oauth.AuthorizationServer
let resource: string
before(async () => {
  running = await startPublicServer()
  const issuer = new URL(running.publicUrl)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  server = await oauth.processDiscoveryResponse(issuer, found)
  resource = `${running.publicUrl}/mcp`
})
after(() => running.close())

async function register(metadata: object = {}): Promise<oauth.Client> {
  const wanted = {
    client_name: 'A test client',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...metadata,
  }
  return oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, wanted, INSECURE),
  )
}

type Authorization = Readonly<{ client: oauth.Client; verifier: string; state: string; url: URL }>

async function authorize(
  client: oauth.Client,
  changed: Record<string, string | undefined> = {},
): Promise<Authorization> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const parameters = {
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'verdicts:create:own transactions:read:own',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...changed,
  }
  const url = new URL(server.authorization_endpoint ?? '')
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return { client, verifier, state, url }
}

async function codeFor(authorization: Authorization, wallet = newWallet()): Promise<URLSearchParams> {
  const browser = newBrowser()
  const callback = await browser.approve(await browser.begin(authorization.url), wallet)
  assert.equal(callback.origin + callback.pathname, REDIRECT)
  return oauth.validateAuthResponse(server, authorization.client, callback, authorization.state)
}

const exchange = ({ client, verifier }: Authorization, code: URLSearchParams, redirect = REDIRECT) =>
  oauth.authorizationCodeGrantRequest(server, client, NONE, code, redirect, verifier, INSECURE)

async function tokensFor(changed: Record<string, string | undefined> = {}, wallet = newWallet()) {
  const authorization = await authorize(await register(), changed)
  const code = await codeFor(authorization, wallet)
  const response = await exchange(authorization, code)
  const tokens = await oauth.processAuthorizationCodeResponse(server, authorization.client, response)
  return { ...tokens, client: authorization.client, authorization, code }
}

/** Status of the MCP endpoint for a token. */
async function knock(token: string | undefined): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const response = await fetch(resource, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

const errorOf = async (response: Response): Promise<string> => {
  const { error } = (await response.json()) as { error: string }
  assert.equal(response.status, 400, error)
  return error
}

describe('metadata', () => {
  it('is the same at both forms of address', async () => {
    const { origin } = new URL(running.publicUrl)
    for (const [inside, inserted] of [
      ['/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/api'],
      ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/mcp'],
    ]) {
      const [first, second] = await Promise.all([fetch(running.publicUrl + inside), fetch(origin + inserted)])
      assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.deepEqual(await first.json(), await second.json())
    }
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(server.token_endpoint_auth_methods_supported, ['none'])
  })

  it('names the authorization server and the resource', async () => {
    const found = await oauth.resourceDiscoveryRequest(new URL(resource), INSECURE)
    const described = await oauth.processResourceDiscoveryResponse(new URL(resource), found)
    assert.deepEqual(described.authorization_servers, [running.publicUrl])
  })

  it('shows public keys and no private part of them', async () => {
    const { keys } = (await (await fetch(server.jwks_uri ?? '')).json()) as { keys: object[] }
    assert.ok(keys.length > 0 && keys.every((key) => !('d' in key)))
  })
})

describe('the code flow', () => {
  it('gives a short opaque token for the resource, and what it says is who signed', async () => {
    const wallet = newWallet()
    const { access_token, refresh_token, expires_in, scope } = await tokensFor({}, wallet)
    assert.match(access_token, /^[A-Za-z0-9_-]{43}$/)
    assert.ok(refresh_token !== undefined && (expires_in ?? 0) <= 600)
    assert.equal(scope, 'verdicts:create:own transactions:read:own')
    assert.equal(await knock(access_token), 200)
  })

  it('asks for the usual scopes where a client names none, and for offline access where it asks', async () => {
    const { scope } = await tokensFor({ scope: undefined })
    assert.equal(scope, 'verdicts:create:own transactions:read:own policies:read:own')
    const offline = await tokensFor({ scope: 'verdicts:create:own offline_access' })
    assert.ok(offline.refresh_token)
  })

  it('gives no scope that is not offered', async () => {
    const { scope } = await tokensFor({
      scope: 'verdicts:create:own policies:write:own keys:write:own transactions:read:any',
    })
    assert.equal(scope, 'verdicts:create:own')
  })

  it('gives no token that says it is bound to a key: none is asked for where it is used', async () => {
    const authorization = await authorize(await register({ dpop_bound_access_tokens: true }))
    const code = await codeFor(authorization)
    const { client, verifier } = authorization
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const options = { ...INSECURE, DPoP }
    const response = await oauth.authorizationCodeGrantRequest(server, client, NONE, code, REDIRECT, verifier, options)
    const { token_type, access_token } = (await response.json()) as Record<string, string>
    assert.equal(token_type, 'Bearer')
    assert.equal(await knock(access_token), 200)
  })

  it('tells a client that the person declined', async () => {
    const authorization = await authorize(await register())
    const browser = newBrowser()
    const callback = await browser.decline(await browser.begin(authorization.url))
    assert.equal(callback.searchParams.get('error'), 'access_denied')
  })

  it('shows who asks, where the answer goes and what for', async () => {
    const browser = newBrowser()
    const { url } = await authorize(await register())
    const consent = await browser.begin(url)
    const response = await fetch(`${consent}/request`, { headers: { cookie: browser.cookie() } })
    const { clientName, redirectHost, rights } = (await response.json()) as Record<string, unknown>
    assert.deepEqual(
      [clientName, redirectHost, rights],
      ['A test client', '127.0.0.1:49152', ['submit actions for a verdict', 'read actions and verdicts']],
    )
  })

  it('is bound to the browser that began it', async () => {
    const { url } = await authorize(await register())
    const consent = await newBrowser().begin(url)
    for (const cookie of ['', newBrowser().cookie()])
      assert.equal((await fetch(`${consent}/request`, { headers: { cookie } })).status, 410)
  })

  it('takes a signature for this consent and no other', async () => {
    const wallet = newWallet()
    const [first, second] = [newBrowser(), newBrowser()]
    const client = await register()
    const consents = [
      await first.begin((await authorize(client)).url),
      await second.begin((await authorize(client)).url),
    ]
    const ask = (consent = '', path: string, cookie: string, body: object) =>
      fetch(`${consent}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      })
    const asked = { walletAddress: wallet.address, chainId: 1 }
    const { message } = (await (await ask(consents[0], 'message', first.cookie(), asked)).json()) as { message: string }
    assert.match(message, /Let the program 'A test client' act for this wallet/)
    const signed = { message, signature: await wallet.signMessage({ message }) }
    assert.equal((await ask(consents[1], 'approve', second.cookie(), signed)).status, 401)
    const plain = await running.request('POST', '/api/auth/siwe/verify', { body: JSON.stringify(signed) })
    assert.equal(plain.status, 401)
    assert.equal((await ask(consents[0], 'approve', first.cookie(), signed)).status, 200)
    assert.equal((await ask(consents[0], 'approve', first.cookie(), signed)).status, 401)
  })

  it('knows a client by the address of its metadata document', async () => {
    const id = 'https://client.example/oauth/client.json'
    const document = {
      client_id: id,
      client_name: 'By document',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }
    const fetched: string[] = []
    const other = await startPublicServer({
      programs: {
        fetchClientDocument: async (input) => {
          const { url } = new Request(input)
          fetched.push(url)
          const answer = url === id ? document : { ...document, client_name: 'Another' }
          return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } })
        },
      },
    })
    try {
      const at = (client_id: string, redirect_uri: string) => {
        const url = new URL(`${other.publicUrl}/oauth/authorize`)
        const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
        const all = {
          client_id,
          redirect_uri,
          response_type: 'code',
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }
        for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
        return url
      }
      const browser = newBrowser()
      const callback = await browser.approve(
        await browser.begin(at(id, 'http://127.0.0.1:40001/callback')),
        newWallet(),
      )
      assert.equal(callback.host, '127.0.0.1:40001')
      assert.ok(callback.searchParams.has('code'))
      assert.deepEqual(fetched, [id])
      for (const [client, redirect] of [
        ['https://client.example/other.json', 'http://127.0.0.1:40001/callback'],
        ['http://client.example/oauth/client.json', 'http://127.0.0.1:40001/callback'],
        [id, 'http://127.0.0.1:40001/other'],
        [id, 'https://evil.example/callback'],
      ] as const)
        assert.equal((await newBrowser().visit(at(client, redirect))).status, 400, `${client} ${redirect}`)
    } finally {
      await other.close()
    }
  })

  it('reads such a document from no address inside, follows no redirect, and waits for no slow one', async () => {
    const asked: RequestInit[] = []
    const other = await startPublicServer({
      programs: {
        fetchClientDocument: async (_, init = {}) => {
          asked.push(init)
          return new Response('', { status: 404 })
        },
      },
    })
    let reached = 0
    const inside = createServer((_, response) => {
      reached++
      response.end('{}')
    })
    await once(inside.listen(0, 'localhost'), 'listening')
    try {
      const url = new URL(`${other.publicUrl}/oauth/authorize`)
      url.search = new URLSearchParams({
        client_id: 'https://client.example/oauth/client.json',
        redirect_uri: REDIRECT,
        response_type: 'code',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      }).toString()
      assert.equal((await newBrowser().visit(url)).status, 400)
      const [init] = asked
      assert.equal(init?.redirect, 'manual')
      assert.ok(init?.signal)
      const { port } = inside.address() as AddressInfo
      // The same request options, sent to this machine by its name: the connection is cut before anything is asked.
      await assert.rejects(fetch(`http://localhost:${port}`, init))
      assert.equal(reached, 0)
      assert.equal((await fetch(`http://localhost:${port}`)).status, 200)
    } finally {
      inside.closeAllConnections()
      inside.close()
      await other.close()
    }
  })

  it('registers no address that a browser should not be led to, and no client with a secret', async () => {
    for (const wrong of [
      { redirect_uris: [] },
      { redirect_uris: ['javascript:alert(1)'] },
      { redirect_uris: ['http://127.0.0.1/x#fragment'] },
      { redirect_uris: ['http://client.example/callback'] },
      { redirect_uris: ['http://localhost.evil.example/callback'] },
      { redirect_uris: [REDIRECT, 'http://169.254.169.254/'] },
      { application_type: 'native', redirect_uris: ['http://client.example/callback'] },
      { client_name: 'x'.repeat(101) },
      { token_endpoint_auth_method: 'client_secret_basic' },
      { grant_types: ['implicit'] },
      { response_types: ['token'] },
    ])
      await assert.rejects(register(wrong), JSON.stringify(wrong))
    const plain = await fetch(server.registration_endpoint ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    })
    const client = (await plain.json()) as Record<string, unknown>
    assert.equal(plain.status, 201)
    assert.deepEqual([client['client_secret'], client['token_endpoint_auth_method']], [undefined, 'none'])
  })
})

describe('an authorization request is refused', () => {
  const secure = 'https://client.example:8443/oauth/callback?x=1'
  for (const redirect_uri of [
    'https://client.example:8443/oauth/callback?x=2',
    'https://client.example:8443/oauth/callback',
    'https://client.example:8443/oauth/callbac?x=1',
    'https://client.example:8443/oauth/callback/?x=1',
    'https://client.example:8443/oauth/../oauth/callback?x=1',
    'https://client.example:8443/OAuth/callback?x=1',
    'https://client.example:8444/oauth/callback?x=1',
    'https://client.example/oauth/callback?x=1',
    'http://client.example:8443/oauth/callback?x=1',
    'https://CLIENT.example:8443/oauth/callback?x=1',
    'https://client.example.evil:8443/oauth/callback?x=1',
    'https://user@client.example:8443/oauth/callback?x=1',
    'https://client.example:8443@evil.example/oauth/callback?x=1',
    'https://client.example:8443/oauth/callback?x=1#fragment',
    'https://client.example:8443/oauth/callback?x=1#',
    'https://client.example:8443/oauth/callback?x=1&y=2',
    ' https://client.example:8443/oauth/callback?x=1',
    'javascript:alert(1)',
    '',
  ])
    it(`without leading anywhere, for the redirect ${JSON.stringify(redirect_uri)}`, async () => {
      const client = await register({ redirect_uris: [secure] })
      const { url } = await authorize(client, { redirect_uri })
      const response = await newBrowser().visit(url)
      assert.equal(response.status, 400)
      assert.equal(response.headers.get('location'), null)
      assert.match(await response.text(), /invalid_redirect_uri|invalid_request/)
    })

  it('for a port of loopback that was registered otherwise', async () => {
    const client = await register()
    const elsewhere = REDIRECT.replace('49152', '49153')
    assert.equal((await newBrowser().visit((await authorize(client, { redirect_uri: elsewhere })).url)).status, 400)
    const open = await register({ redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native' })
    assert.equal((await newBrowser().visit((await authorize(open, { redirect_uri: elsewhere })).url)).status, 303)
    for (const redirect_uri of [
      'http://127.0.0.1:1/other',
      'http://127.0.0.2:1/callback',
      'http://127.0.0.1:1@evil.example/callback',
    ])
      assert.equal((await newBrowser().visit((await authorize(open, { redirect_uri })).url)).status, 400)
  })

  const WRONG: readonly [string, Record<string, string | undefined>, string][] = [
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE of no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['with an empty challenge', { code_challenge: '' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['for the API itself', { resource: 'http://localhost/api' }, 'invalid_target'],
    ['that wants no question asked', { prompt: 'none' }, 'login_required'],
  ]
  for (const [name, changed, error] of WRONG)
    it(name, async () => {
      const { url } = await authorize(await register(), changed)
      const response = await newBrowser().visit(url)
      assert.equal(response.status, 303)
      const location = new URL(response.headers.get('location') ?? '')
      assert.equal(location.origin + location.pathname, REDIRECT)
      const told = new URLSearchParams(location.search || location.hash.slice(1))
      assert.equal(told.get('error'), error)
      assert.equal(told.has('code') || told.has('access_token'), false)
    })

  it('of a client that nobody knows', async () => {
    const { url } = await authorize({ client_id: 'nobody' })
    assert.equal((await newBrowser().visit(url)).status, 400)
  })
})

describe('an exchange is refused', () => {
  it('without the verifier, and with a wrong one', async () => {
    const authorization = await authorize(await register())
    const code = await codeFor(authorization)
    const verifiers: readonly Parameters<typeof oauth.authorizationCodeGrantRequest>[5][] = [
      oauth.nopkce,
      oauth.generateRandomCodeVerifier(),
      authorization.verifier.toUpperCase(),
    ]
    for (const verifier of verifiers) {
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        authorization.client,
        NONE,
        code,
        REDIRECT,
        verifier,
        INSECURE,
      )
      assert.equal(await errorOf(response), 'invalid_grant')
    }
    assert.equal((await exchange(authorization, code)).status, 200)
  })

  it('with another redirect, and by another client', async () => {
    const authorization = await authorize(await register())
    const code = await codeFor(authorization)
    assert.equal(await errorOf(await exchange(authorization, code, `${REDIRECT}/`)), 'invalid_grant')
    const other = { ...authorization, client: await register() }
    const foreign = await oauth.authorizationCodeGrantRequest(
      server,
      other.client,
      NONE,
      oauth.validateAuthResponse(server, other.client, new URLSearchParams(code), authorization.state),
      REDIRECT,
      authorization.verifier,
      INSECURE,
    )
    assert.equal(await errorOf(foreign), 'invalid_grant')
  })

  it('for another resource', async () => {
    for (const wrong of ['https://evil.example/mcp', running.publicUrl, `${resource}/`]) {
      const authorization = await authorize(await register())
      const code = await codeFor(authorization)
      const { client, verifier } = authorization
      const options = { additionalParameters: { resource: wrong }, ...INSECURE }
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        NONE,
        code,
        REDIRECT,
        verifier,
        options,
      )
      assert.equal(await errorOf(response), 'invalid_target', wrong)
    }
  })

  it('with a code that is none, and with no code', async () => {
    const { client, verifier } = await authorize(await register())
    for (const code of ['', 'undefined', 'null', 'A'.repeat(43), running.agentKey]) {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        client_id: client.client_id,
      })
      const response = await fetch(server.token_endpoint ?? '', { method: 'POST', body })
      assert.equal(await errorOf(response), code === '' ? 'invalid_request' : 'invalid_grant', code)
    }
  })

  it('the second time, and what the first gave is worthless at once', async () => {
    const { access_token, refresh_token = '', authorization, code, client } = await tokensFor()
    assert.equal(await knock(access_token), 200)
    assert.equal(await errorOf(await exchange(authorization, code)), 'invalid_grant')
    assert.equal(await knock(access_token), 401)
    const refreshed = await oauth.refreshTokenGrantRequest(server, client, NONE, refresh_token, INSECURE)
    assert.equal(await errorOf(refreshed), 'invalid_grant')
  })

  it('but for one, of 50 at once', async () => {
    const authorization = await authorize(await register())
    const code = await codeFor(authorization)
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(authorization, code)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) assert.equal(await errorOf(answer), 'invalid_grant')
  })
})

describe('a refresh token', () => {
  const refresh = (client: oauth.Client, token: string) =>
    oauth.refreshTokenGrantRequest(server, client, NONE, token, INSECURE)

  it('is replaced at each use, and ends its family when it comes again', async () => {
    const { client, refresh_token: first = '', access_token: oldest } = await tokensFor()
    const second = await oauth.processRefreshTokenResponse(server, client, await refresh(client, first))
    assert.notEqual(second.refresh_token, first)
    const third = await oauth.processRefreshTokenResponse(
      server,
      client,
      await refresh(client, second.refresh_token ?? ''),
    )
    for (const token of [second.access_token, third.access_token]) assert.equal(await knock(token), 200)
    assert.equal(await errorOf(await refresh(client, first)), 'invalid_grant')
    for (const token of [oldest, second.access_token, third.access_token]) assert.equal(await knock(token), 401)
    assert.equal(await errorOf(await refresh(client, third.refresh_token ?? '')), 'invalid_grant')
  })

  it('gives to one of any number at once, at most', async () => {
    const { client, refresh_token = '' } = await tokensFor()
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(client, refresh_token)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  it('is nobody else’s', async () => {
    const { refresh_token = '' } = await tokensFor()
    assert.equal(await errorOf(await refresh(await register(), refresh_token)), 'invalid_grant')
  })

  it('is for its own resource', async () => {
    const { client, refresh_token = '' } = await tokensFor()
    const other = { additionalParameters: { resource: 'https://evil.example/mcp' }, ...INSECURE }
    const response = await oauth.refreshTokenGrantRequest(server, client, NONE, refresh_token, other)
    assert.equal(await errorOf(response), 'invalid_target')
  })

  it('is none where it is empty, another word for nothing, or a token of another kind', async () => {
    const { client, access_token, code } = await tokensFor()
    const { refreshToken } = await signIn(running.publicUrl, newWallet())
    for (const token of [
      '',
      'undefined',
      'null',
      access_token,
      refreshToken,
      running.agentKey,
      code.get('code') ?? '',
    ]) {
      const body = new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: token,
        client_id: client.client_id,
      })
      const response = await fetch(server.token_endpoint ?? '', { method: 'POST', body })
      assert.equal(await errorOf(response), token === '' ? 'invalid_request' : 'invalid_grant', token)
    }
  })

  it('gives no more than was granted', async () => {
    const { client, refresh_token = '' } = await tokensFor({ scope: 'transactions:read:own' })
    const more = { additionalParameters: { scope: 'verdicts:create:own' }, ...INSECURE }
    const response = await oauth.refreshTokenGrantRequest(server, client, NONE, refresh_token, more)
    assert.equal(await errorOf(response), 'invalid_scope')
  })
})

describe('revocation', () => {
  it('of an access token kills all that came of the consent, at once', async () => {
    const { client, access_token, refresh_token = '' } = await tokensFor()
    const next = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, NONE, refresh_token, INSECURE),
    )
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, NONE, access_token, INSECURE))
    for (const token of [access_token, next.access_token]) assert.equal(await knock(token), 401)
  })
})

describe('the revocation of a refresh token', () => {
  it('kills the access token too, and is nobody else’s to make', async () => {
    const { client, access_token, refresh_token = '' } = await tokensFor()
    await oauth.revocationRequest(server, await register(), NONE, refresh_token, INSECURE)
    assert.equal(await knock(access_token), 200)
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, NONE, refresh_token, INSECURE))
    assert.equal(await knock(access_token), 401)
    const again = await oauth.refreshTokenGrantRequest(server, client, NONE, refresh_token, INSECURE)
    assert.equal(await errorOf(again), 'invalid_grant')
  })
})

describe('the keys', () => {
  it('rotate, and nothing that is under way notices', async () => {
    const { tokenKeys } = running.identity
    const [before] = await tokenKeys.list('fresh')
    const first = await tokensFor()
    const authorization = await authorize(await register())
    const browser = newBrowser()
    const consent = await browser.begin(authorization.url)

    const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
    const { kty, crv, x, d } = await exportJWK(privateKey)
    await running.storage.stores.tokenKeys.rotate({ id: 'the-next-key', jwk: { kty, crv, x, d } }, -1, 86_400_000)
    assert.equal((await tokenKeys.list('fresh'))[0].kid, 'the-next-key')
    const { keys } = (await (await fetch(server.jwks_uri ?? '')).json()) as { keys: { kid: string }[] }
    assert.deepEqual(new Set(keys.map(({ kid }) => kid)), new Set(['the-next-key', before.kid]))

    const callback = await browser.approve(consent, newWallet())
    const code = oauth.validateAuthResponse(server, authorization.client, callback, authorization.state)
    assert.equal((await exchange(authorization, code)).status, 200)
    assert.equal(await knock(first.access_token), 200)
    const refreshed = await oauth.refreshTokenGrantRequest(
      server,
      first.client,
      NONE,
      first.refresh_token ?? '',
      INSECURE,
    )
    assert.equal(refreshed.status, 200)
    assert.equal(await knock((await tokensFor()).access_token), 200)
  })
})

describe('the resource', () => {
  it('takes no token but its own', async () => {
    const { accessToken, refreshToken } = await signIn(running.publicUrl, newWallet())
    const { refresh_token } = await tokensFor()
    const key = new TextEncoder().encode('a secret that is long enough for HS256')
    const claims = { iss: running.publicUrl, aud: resource, sub: crypto.randomUUID(), scope: 'verdicts:create:own' }
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setExpirationTime('5m')
      .sign(key)
    for (const token of [
      undefined,
      '',
      'undefined',
      'null',
      '[object Object]',
      'A'.repeat(43),
      accessToken,
      refreshToken,
      refresh_token,
      running.agentKey,
      new UnsecuredJWT(claims).encode(),
      forged,
    ])
      assert.equal(await knock(token), 401, String(token))
  })

  it('gives no access to the REST interface', async () => {
    const { access_token } = await tokensFor()
    for (const path of ['/user-api-keys', '/auth/me', '/transactions/x/approval-status']) {
      const headers = { authorization: `Bearer ${access_token}` }
      assert.equal((await fetch(running.publicUrl + path, { headers })).status, 401, path)
      assert.equal(
        (await fetch(running.publicUrl + path, { headers: { 'x-api-key': access_token } })).status,
        401,
        path,
      )
    }
  })
})
