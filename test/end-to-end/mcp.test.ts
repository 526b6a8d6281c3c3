// The MCP endpoint, spoken to by the official client: it finds its way by itself, and its tools decide as REST does.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connect } from '../../examples/mcp-client/connect.ts'
import { tools } from '../../src/api/mcp/tools/index.ts'
import { launchBrowser } from '../support/browser.ts'
import { injectWallet } from '../support/injected-wallet.ts'
import { newBrowser, newWallet, signIn, startPublicServer } from '../support/person.ts'

const NAMES = [
  'submit_action',
  'get_verdict',
  'await_verdict',
  'report_execution',
  'cancel_action',
  'get_policy',
  'list_transactions',
]

let running: Awaited<ReturnType<typeof startPublicServer>>
let endpoint: URL
before(async () => {
  running = await startPublicServer()
  endpoint = new URL(`${running.publicUrl}/mcp`)
})
after(() => running.close())

type Negotiation = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']

/** The official client with an API key. */
async function clientWith(key: string, versionNegotiation?: Negotiation): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { ...(versionNegotiation && { versionNegotiation }) })
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers: { 'x-api-key': key } } }))
  return client
}

async function userKey(wallet = newWallet(), scopes?: readonly string[]) {
  const { accessToken } = await signIn(running.publicUrl, wallet)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
  const body = JSON.stringify({ ...(scopes && { scopes }) })
  const response = await fetch(`${running.publicUrl}/user-api-keys`, { method: 'POST', headers, body })
  return { wallet, key: ((await response.json()) as { apiKey: string }).apiKey, accessToken }
}

const transferOf = (wallet: string) => ({
  escrowAddress: wallet,
  prompt: 'send a little',
  proposedTx: { protocol: 'native', chainId: 8453, to: `0x${'11'.repeat(20)}`, data: '0x', value: '0x1' },
})

async function call(client: Client, name: string, args: object) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...args } })
  const [first] = content as readonly { text: string }[]
  return {
    isError: isError === true,
    value: (structuredContent ?? JSON.parse(first?.text ?? '{}')) as Record<string, unknown>,
  }
}

describe('a stock client', () => {
  it('goes from a 401 through discovery, registration and a wallet in the browser to a tool', async () => {
    const wallet = newWallet()
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await injectWallet(page, wallet)
      const client = await connect(endpoint, (address) => {
        void page.goto(address.href).then(() => page.getByRole('button', { name: 'Sign with Test Wallet' }).click())
      })
      await page.getByText('Done. You can close this page.').waitFor()
      const submitted = await call(client, 'submit_action', transferOf(wallet.address))
      assert.equal(submitted.isError, false, JSON.stringify(submitted.value))
      const { requestHash } = submitted.value
      const { value } = await call(client, 'await_verdict', { requestHash })
      assert.equal((value['verdict'] as { outcome: string }).outcome, 'rejected')
      const { items } = (await call(client, 'list_transactions', {})).value as { items: { requestHash: string }[] }
      assert.deepEqual(
        items.map((item) => item.requestHash),
        [requestHash],
      )
      await client.close()
    } finally {
      await browser.close()
    }
  })

  it('does the same without a screen, where the person signs elsewhere', async () => {
    const wallet = newWallet()
    const person = newBrowser()
    const client = await connect(endpoint, (address) => {
      void (async () => fetch(await person.approve(await person.begin(address), wallet)))()
    })
    assert.equal((await client.listTools()).tools.length, NAMES.length)
    await client.close()
  })
})

describe('the endpoint', () => {
  it('offers the tools of the contract, with schemas and annotations', async () => {
    const client = await clientWith((await userKey()).key)
    const { tools: offered } = await client.listTools()
    assert.deepEqual(offered.map(({ name }) => name).sort(), NAMES.toSorted())
    for (const { name, description, inputSchema, outputSchema, annotations } of offered) {
      assert.ok((description ?? '').length > 20, name)
      assert.equal(inputSchema.type, 'object')
      assert.equal(outputSchema?.type, 'object')
      assert.equal(
        annotations?.readOnlyHint,
        ['get_verdict', 'await_verdict', 'get_policy', 'list_transactions'].includes(name),
      )
      assert.equal(annotations?.destructiveHint, false)
    }
    await client.close()
  })

  it('serves the current revision of the protocol and the one before it', async () => {
    const { key } = await userKey()
    for (const negotiation of [{ mode: { pin: '2026-07-28' } }, { mode: 'legacy' }] as const) {
      const client = await clientWith(key, negotiation)
      assert.equal((await client.listTools()).tools.length, NAMES.length)
      assert.match(client.getInstructions() ?? '', /submit_action before you execute/)
      await client.close()
    }
  })

  it('has resources for policies and verdicts, and a prompt that explains the gate', async () => {
    const { wallet, key, accessToken } = await userKey()
    const client = await clientWith(key)
    const policy = { caps: { perTxUsd: 5 } }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
    const path = `${running.publicUrl}/wallets/${wallet.address}/policy`
    assert.equal((await fetch(path, { method: 'PUT', headers, body: JSON.stringify(policy) })).status, 200)
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return JSON.parse(content && 'text' in content ? content.text : '{}') as Record<string, unknown>
    }
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.equal(resourceTemplates.length, 2)
    assert.deepEqual((await read(`countersign://policies/${wallet.address}`))['policy'], policy)
    assert.deepEqual((await call(client, 'get_policy', { walletAddress: wallet.address })).value['policy'], policy)
    const { requestHash } = (await call(client, 'submit_action', transferOf(wallet.address))).value
    const { value } = await call(client, 'await_verdict', { requestHash })
    assert.deepEqual(await read(`countersign://verdicts/${String(requestHash)}`), value['verdict'])
    await assert.rejects(read(`countersign://policies/${newWallet().address}`))
    await assert.rejects(read(`countersign://verdicts/0x${'00'.repeat(32)}`))
    const { messages } = await client.getPrompt({ name: 'the_gate' })
    assert.match(JSON.stringify(messages), /never an approval/)
    await client.close()
  })

  it('lets nobody see or end what is another’s', async () => {
    const [owner, stranger] = [await userKey(), await userKey()]
    const [mine, theirs] = [await clientWith(owner.key), await clientWith(stranger.key)]
    const { requestHash } = (await call(mine, 'submit_action', transferOf(owner.wallet.address))).value
    for (const [name, args] of [
      ['get_verdict', { requestHash }],
      ['await_verdict', { requestHash, timeoutSeconds: 1 }],
      ['cancel_action', { requestHash }],
      ['report_execution', { requestHash, txHash: `0x${'ab'.repeat(32)}` }],
      ['get_policy', { walletAddress: owner.wallet.address }],
      ['submit_action', transferOf(owner.wallet.address)],
    ] as const) {
      const { isError, value } = await call(theirs, name, args)
      assert.ok(isError, name)
      assert.match(String(value['error']), /^(not_owner|wallet_not_registered)$/, name)
    }
    assert.deepEqual((await call(theirs, 'list_transactions', {})).value['items'], [])
    await Promise.all([mine.close(), theirs.close()])
  })

  it('names each wrong argument', async () => {
    const client = await clientWith((await userKey()).key)
    const action = transferOf(newWallet().address)
    for (const [name, args, field] of [
      ['get_verdict', {}, 'requestHash'],
      ['submit_action', { ...action, surprise: 1 }, 'surprise'],
      ['submit_action', { ...action, escrowAddress: '0x1' }, 'escrowAddress'],
      ['submit_action', { ...action, proposedTx: { ...action.proposedTx, to: undefined } }, 'proposedTx.to'],
      ['await_verdict', { requestHash: 'x', timeoutSeconds: 1_000 }, 'timeoutSeconds'],
    ] as const) {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } })
      assert.equal(isError, true, name)
      assert.ok(JSON.stringify(content).includes(field), `${name}: ${JSON.stringify(content)}`)
    }
    await client.close()
  })

  it('answers a tool beyond the scopes with 403, and the scopes to come back with', async () => {
    const { key } = await userKey(newWallet(), ['transactions:read:own'])
    for (const { name, scopes } of tools) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'x-api-key': key,
      }
      const response = await fetch(endpoint, { method: 'POST', headers, body })
      await response.arrayBuffer()
      const isAllowed = scopes.some((scope) => scope === 'transactions:read:own')
      assert.equal(response.status, isAllowed ? 200 : 403, name)
      if (!isAllowed) assert.match(response.headers.get('www-authenticate') ?? '', /insufficient_scope/)
    }
  })

  it('leads whoever has no token to the metadata of its authorization server', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(endpoint, { method, headers: { 'content-type': 'application/json' } })
      assert.equal(response.status, 401)
      const challenge = response.headers.get('www-authenticate') ?? ''
      const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
      const { resource } = (await (await fetch(metadata)).json()) as { resource: string }
      assert.equal(resource, endpoint.href)
    }
  })

  it('refuses pages of other origins, and names that are not its own', async () => {
    const { key } = await userKey()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const status = async (headers: Record<string, string>) => {
      const all = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key,
      }
      const response = await fetch(endpoint, { method: 'POST', headers: { ...all, ...headers }, body })
      await response.arrayBuffer()
      return response.status
    }
    assert.equal(await status({}), 200)
    assert.equal(await status({ origin: endpoint.origin }), 200)
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      `https://${endpoint.hostname}:1`,
    ])
      assert.equal(await status({ origin }), 403, origin)
    // fetch sets Host itself; this does not.
    const called = (host: string) =>
      new Promise<number>((resolve, reject) => {
        const accept = 'application/json, text/event-stream'
        const headers = { 'content-type': 'application/json', accept, 'x-api-key': key, host }
        const { hostname, port, pathname: path } = endpoint
        const sent = request({ hostname, port, path, method: 'POST', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
        sent.once('error', reject).end(body)
      })
    for (const host of ['evil.example', `evil.example:${endpoint.port}`, 'localhost.evil.example', '169.254.169.254'])
      assert.equal(await called(host), 403, `Host ${host}`)
    assert.equal(await called(`127.0.0.1:${endpoint.port}`), 200)
  })
})
