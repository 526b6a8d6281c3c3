import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { createAgents } from '../../src/auth/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { openStorage } from '../../src/storage/index.ts'

const storage = await openStorage({ url: undefined })
after(() => storage.close())
const agents = createAgents({ storage })
const address = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)

it('registers an agent with its wallets, all of it or none', async () => {
  const wallets = [{ address: address(11), chainIds: [8453, 1] }]
  const agent = await agents.register({ name: 'first', ethereumAddress: address(1), wallets }, 'key')
  assert.deepEqual(agent.wallets, [{ address: address(11), chainIds: [1, 8453] }])
  assert.deepEqual(await agents.read(agent.id), agent)
  await assert.rejects(agents.register({ name: 'same', ethereumAddress: address(1) }, 'key'), { code: 'conflict' })
  const taken = { name: 'second', ethereumAddress: address(2), wallets: [{ address: address(11), chainIds: [1] }] }
  await assert.rejects(agents.register(taken, 'key'), { code: 'conflict' })
  assert.deepEqual((await agents.list({})).items, [agent])
})

it('adds chains to a wallet, and takes none from another agent', async () => {
  const { id } = await agents.register({ name: 'third', ethereumAddress: address(3) }, 'key')
  await agents.addWallet(id, { address: address(12), chainIds: [1] }, 'key')
  const wallet = await agents.addWallet(id, { address: address(12), chainIds: [8453] }, 'key')
  assert.deepEqual(wallet, { address: address(12), chainIds: [1, 8453] })
  await assert.rejects(agents.addWallet(id, { address: address(11), chainIds: [1] }, 'key'), { code: 'conflict' })
  await assert.rejects(agents.addWallet('nobody', wallet, 'key'), { code: 'not_found' })
  const [last] = (await storage.stores.audit.list({ limit: 1 })).items
  assert.equal(last?.kind, 'wallet_registered')
})

it('lists by pages, newest first', async () => {
  const first = await agents.list({ limit: 1 })
  assert.equal(first.items[0]?.name, 'third')
  const second = await agents.list({ limit: 1, cursor: first.nextCursor ?? '' })
  assert.equal(second.items[0]?.name, 'first')
  assert.equal(second.nextCursor, null)
})
