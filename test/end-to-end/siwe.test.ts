// Sign-in with messages that the reference library builds: from a nonce to a key that acts for the wallet.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SiweMessage } from 'siwe'
import { newWallet, startPublicServer } from '../support/person.ts'

let running: Awaited<ReturnType<typeof startPublicServer>>
before(async () => {
  running = await startPublicServer()
})
after(() => running.close())

type Options = Readonly<{ body?: object; token?: string; key?: string }>
async function ask(method: string, path: string, { body, token, key }: Options = {}) {
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(key && { 'x-api-key': key }),
  }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(running.publicUrl + path, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>) }
}

async function signedMessage(wallet = newWallet(), changed: object = {}) {
  const { body } = await ask('POST', '/auth/siwe/nonce')
  const { host, href } = new URL(running.publicUrl)
  const message = new SiweMessage({
    domain: host,
    address: wallet.address,
    statement: 'Sign in to countersign',
    uri: href,
    version: '1',
    chainId: 8453,
    nonce: String(body?.['nonce']),
    issuedAt: new Date().toISOString(),
    ...changed,
  }).prepareMessage()
  return { message, signature: await wallet.signMessage({ message }) }
}

describe('a person with a wallet', () => {
  it('signs in, makes a key, and acts for the wallet with it', async () => {
    const wallet = newWallet()
    const signed = await ask('POST', '/auth/siwe/verify', { body: await signedMessage(wallet) })
    assert.equal(signed.status, 200, JSON.stringify(signed.body))
    const { accessToken, tokenType, expiresIn, user } = signed.body ?? {}
    assert.deepEqual([tokenType, expiresIn], ['Bearer', 900])
    const address = wallet.address.toLowerCase()
    assert.equal((user as { ethereumAddress: string }).ethereumAddress, address)
    const token = String(accessToken)
    assert.equal((await ask('GET', '/auth/me', { token })).body?.['ethereumAddress'], address)

    const made = await ask('POST', '/user-api-keys', { body: { name: 'bot' }, token })
    assert.equal(made.status, 201)
    const key = String(made.body?.['apiKey'])
    const proposedTx = { protocol: 'native', chainId: 8453, to: `0x${'11'.repeat(20)}`, data: '0x', value: '0x1' }
    const body = { escrowAddress: wallet.address, prompt: 'send a little', proposedTx, arbiter: 'policy' }
    const submitted = await ask('POST', '/transactions', { body, key })
    assert.equal(submitted.status, 201, JSON.stringify(submitted.body))
    const status = `/transactions/${String(submitted.body?.['requestHash'])}/approval-status`
    let verdict: unknown = null
    while (verdict === null) verdict = (await ask('GET', status, { key })).body?.['verdict']
    assert.equal((verdict as { outcome: string }).outcome, 'rejected')

    const other = newWallet()
    const foreign = await ask('POST', '/auth/siwe/verify', { body: await signedMessage(other) })
    const otherKey = await ask('POST', '/user-api-keys', { token: String(foreign.body?.['accessToken']) })
    const stranger = { key: String(otherKey.body?.['apiKey']) }
    assert.equal((await ask('GET', status, stranger)).status, 403)
    assert.equal((await ask('POST', '/transactions', { body, ...stranger })).body?.['error'], 'wallet_not_registered')

    const { items } = (await ask('GET', '/user-api-keys', { token })).body as { items: { id: string }[] }
    assert.equal(items.length, 1)
    assert.equal((await ask('DELETE', `/user-api-keys/${items[0]?.id}`, { token })).status, 204)
    assert.equal((await ask('GET', status, { key })).status, 401)
  })

  it('writes the policy of the wallet, and nobody else does', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const tokenOf = async (who: typeof wallet) =>
      String((await ask('POST', '/auth/siwe/verify', { body: await signedMessage(who) })).body?.['accessToken'])
    const [token, foreign] = [await tokenOf(wallet), await tokenOf(other)]
    const path = `/wallets/${wallet.address}/policy`
    const policy = { caps: { perTxUsd: 5 } }
    assert.equal((await ask('PUT', path, { body: policy, token: foreign })).status, 403)
    assert.equal((await ask('PUT', path, { body: policy, token })).status, 200)
    assert.deepEqual((await ask('GET', path, { token })).body?.['policy'], policy)
    assert.equal((await ask('GET', path, { token: foreign })).status, 403)
  })

  it('is refused with each wrong field, the same message twice, and what is no message', async () => {
    const wrong = [{ domain: 'evil.example' }, { uri: 'https://evil.example' }, { chainId: 5 }]
    for (const changed of wrong)
      assert.ok(
        [400, 401].includes(
          (await ask('POST', '/auth/siwe/verify', { body: await signedMessage(newWallet(), changed) })).status,
        ),
      )
    const body = await signedMessage()
    const both = await Promise.all(Array.from({ length: 10 }, () => ask('POST', '/auth/siwe/verify', { body })))
    assert.deepEqual(
      both.map(({ status }) => status).sort((a, b) => a - b),
      [200, ...Array<number>(9).fill(401)],
    )
    for (const bad of [
      {},
      { message: 'x' },
      { message: '', signature: '0x' },
      { ...body, signature: 'x' },
      { ...body, extra: 1 },
      [],
    ])
      assert.equal((await ask('POST', '/auth/siwe/verify', { body: bad })).status, 400)
  })

  it('refreshes, and signs out', async () => {
    const first = (await ask('POST', '/auth/siwe/verify', { body: await signedMessage() })).body
    const refreshed = await ask('POST', '/auth/refresh', { body: { refreshToken: first?.['refreshToken'] } })
    assert.equal(refreshed.status, 200)
    const token = String(refreshed.body?.['accessToken'])
    assert.equal((await ask('POST', '/auth/logout', { token })).status, 204)
    assert.equal((await ask('GET', '/auth/me', { token })).status, 401)
    const again = await ask('POST', '/auth/refresh', { body: { refreshToken: refreshed.body?.['refreshToken'] } })
    assert.equal(again.status, 401)
    for (const none of ['', 'undefined', 'null', 'x'])
      assert.ok(
        [400, 401].includes((await ask('POST', '/auth/refresh', { body: { refreshToken: none } })).status),
        none,
      )
    assert.equal((await ask('POST', '/auth/logout')).status, 401)
  })
})
