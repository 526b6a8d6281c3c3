// PORT=0 takes any free port, and every address that is handed out names it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as oauth from 'oauth4webapi'
import { newWallet, signIn } from '../support/person.ts'
import { type Product, startProduct, temporaryFolder } from '../support/product.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let product: Product
let publicUrl: string
before(async () => {
  folder = await temporaryFolder()
  product = await startProduct({ cwd: folder.path, env: { PORT: '0' } })
  publicUrl = `${product.url.replace('127.0.0.1', 'localhost')}/api`
})
after(async () => {
  await product.stop()
  await folder.remove()
})

describe('a product on any free port', () => {
  it('names the port in the address of a connection', async () => {
    const { body } = await product.send('POST', '/api/auth/connect/initiate', { body: {} })
    const { authUrl } = body as { authUrl: string }
    assert.ok(authUrl.startsWith(`${publicUrl}/auth/connect?`), authUrl)
    assert.equal((await fetch(authUrl)).status, 200)
  })

  it('is the issuer that its metadata says, and leads a client there', async () => {
    const found = await oauth.discoveryRequest(new URL(publicUrl), {
      algorithm: 'oauth2',
      [oauth.allowInsecureRequests]: true,
    })
    const { issuer, token_endpoint } = await oauth.processDiscoveryResponse(new URL(publicUrl), found)
    assert.deepEqual([issuer, token_endpoint], [publicUrl, `${publicUrl}/oauth/token`])
    const refused = await fetch(`${publicUrl}/mcp`, { method: 'POST' })
    const challenge = refused.headers.get('www-authenticate') ?? ''
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    const { resource } = (await (await fetch(metadata)).json()) as { resource: string }
    assert.equal(resource, `${publicUrl}/mcp`)
  })

  it('takes messages that name the port, and gives tokens that it takes', async () => {
    const { accessToken } = await signIn(publicUrl, newWallet())
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
    const made = await fetch(`${publicUrl}/user-api-keys`, { method: 'POST', headers, body: '{}' })
    const { apiKey } = (await made.json()) as { apiKey: string }
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { 'x-api-key': apiKey } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), { requestInit }))
    assert.ok((await client.listTools()).tools.length > 0)
    await client.close()
  })

  it('says the port in its description and its information', async () => {
    const openapi = await product.send('GET', '/api/openapi.json')
    const { servers } = openapi.body as { servers: { url: string }[] }
    assert.equal(servers[0]?.url, publicUrl.replace('/api', ''))
    assert.doesNotMatch(JSON.stringify(await product.send('GET', '/api')), /:0\b/)
  })
})
