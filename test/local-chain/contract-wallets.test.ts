// A wallet that is a contract signs in: a real Safe, before and after its deployment, with the product as it is started.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Hex } from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { newWallet } from '../support/person.ts'
import { type Product, startProduct, temporaryFolder } from '../support/product.ts'
import { placeSafes } from './safe.ts'

describe('a wallet that is a contract', () => {
  let chain: LocalChain
  let safes: Awaited<ReturnType<typeof placeSafes>>
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let product: Product
  /** A wallet that is an owner of the harness, as far as its configuration can say so. */
  let owning: ReturnType<Awaited<ReturnType<typeof placeSafes>>['safeOf']>
  before(async () => {
    chain = await startLocalChain()
    safes = await placeSafes(chain)
    folder = await temporaryFolder()
    owning = safes.safeOf([newWallet()])
    const file = {
      service: { rateLimits: { authPerMinute: 0 } },
      channels: { web: { owners: [owning.address] } },
    }
    await writeFile(join(folder.path, 'agents.config.json'), JSON.stringify(file))
    product = await startProduct({ cwd: folder.path, env: { RPC_URL: chain.rpcUrl } })
  })
  after(async () => {
    await product.stop()
    await chain.stop()
    await folder.remove()
  })

  async function messageFor(walletAddress: Hex, chainId = 1): Promise<string> {
    const { status, body } = await product.send('POST', '/api/auth/siwe/message', { body: { walletAddress, chainId } })
    assert.equal(status, 200)
    return (body as { message: string }).message
  }

  async function verify(message: string, signature: Hex) {
    const { status, body } = await product.send('POST', '/api/auth/siwe/verify', { body: { message, signature } })
    return { status, body: body as { accessToken?: string; user?: { ethereumAddress: string } } }
  }
  const codeAt = (address: Hex) => chain.request('eth_getCode', [address, 'latest'])

  test('signs in with the signatures of all its owners (ERC-1271), and gets a key of its own', async () => {
    const safe = safes.safeOf([newWallet(), newWallet()])
    await safe.deploy()
    const message = await messageFor(safe.address)
    const { status, body } = await verify(message, await safe.sign(message))
    assert.equal(status, 200)
    assert.equal(body.user?.ethereumAddress, safe.address.toLowerCase())
    const headers = { authorization: `Bearer ${body.accessToken}` }
    const made = await fetch(`${product.url}/api/user-api-keys`, { method: 'POST', headers })
    assert.equal(made.status, 201)
  })

  test('does not with those of one owner, of strangers, of another wallet, or over another message', async () => {
    const [first, second] = [newWallet(), newWallet()]
    const safe = safes.safeOf([first, second])
    const sibling = safes.safeOf([first, second], 1n)
    await safe.deploy()
    await sibling.deploy()
    const wrong: readonly ((message: string) => Promise<Hex>)[] = [
      (message) => safe.sign(message, [first]),
      (message) => safe.sign(message, [newWallet(), newWallet()]),
      (message) => sibling.sign(message),
      async () => safe.sign(await messageFor(safe.address)),
      (message) => first.signMessage({ message }),
      async () => '0x',
    ]
    for (const sign of wrong) {
      const message = await messageFor(safe.address)
      assert.ok([400, 401].includes((await verify(message, await sign(message))).status))
    }
    const message = await messageFor(safe.address)
    assert.equal((await verify(message, await safe.sign(message))).status, 200)
  })

  test('signs in before it is deployed (ERC-6492), and nothing is deployed by that', async () => {
    const safe = safes.safeOf([newWallet(), newWallet()])
    assert.equal(await codeAt(safe.address), '0x')
    const message = await messageFor(safe.address)
    const { status, body } = await verify(message, safe.wrapped(await safe.sign(message)))
    assert.equal(status, 200)
    assert.equal(body.user?.ethereumAddress, safe.address.toLowerCase())
    assert.equal(await codeAt(safe.address), '0x')
  })

  test('does not before it is deployed with a stranger’s signature, or with what deploys another wallet', async () => {
    const owners = [newWallet(), newWallet()]
    const safe = safes.safeOf(owners)
    const other = safes.safeOf(owners, 1n)
    const wrong: readonly ((message: string) => Promise<Hex>)[] = [
      async (message) => safe.wrapped(await safe.sign(message, [newWallet(), newWallet()])),
      async (message) => safe.wrapped(await safe.sign(message), other.factoryData),
      async (message) => safe.wrapped(await other.sign(message)),
      async (message) => safe.wrapped(await safe.sign(message), '0x12345678'),
      (message) => safe.sign(message),
    ]
    for (const sign of wrong) {
      const message = await messageFor(safe.address)
      assert.equal((await verify(message, await sign(message))).status, 401)
    }
  })

  test('signs in with the same wrapped signature once it is deployed', async () => {
    const safe = safes.safeOf([newWallet()])
    const message = await messageFor(safe.address)
    const signature = safe.wrapped(await safe.sign(message))
    await safe.deploy()
    assert.equal((await verify(message, signature)).status, 200)
  })

  test('does not open the console, for which a node would have to be trusted', async () => {
    await owning.deploy()
    const body = { walletAddress: owning.address, chainId: 1 }
    const asked = await product.send('POST', '/console/session/message', { body })
    const { message } = asked.body as { message: string }
    const signature = await owning.sign(message)
    const answer = await product.send('POST', '/console/session', { body: { message, signature } })
    assert.equal((answer.body as { error: string }).error, 'insufficient_scope')
    assert.deepEqual(answer.headers.getSetCookie(), [])
    const elsewhere = await messageFor(owning.address)
    assert.equal((await verify(elsewhere, await owning.sign(elsewhere))).status, 200)
  })

  test('is vouched for on the chain of the message alone', async () => {
    const safe = safes.safeOf([newWallet()])
    await safe.deploy()
    const message = await messageFor(safe.address, 8453)
    assert.equal((await verify(message, await safe.sign(message))).status, 401)
  })
})
