import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAgents, createAuth } from '../../src/auth/index.ts'
import { readConfig } from '../../src/config.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { registerHarness } from '../../src/process/register-harness.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { FRIEND, WALLET } from '../support/actions.ts'
import { startService } from '../support/app.ts'

const KEY = 'cs_agent_a-key-of-the-harness-that-is-long'
const FILE = { chain: { id: 1 }, policy: { caps: { perTxUsd: 5 } }, agents: [{ id: 'main', name: 'Trader' }] }

async function start(storage: Storage, env: Record<string, string> = { WALLET_ADDRESS: WALLET }, file: object = FILE) {
  const { policy } = await startService({ storage })
  const auth = createAuth({ storage, adminKey: undefined })
  const agents = createAgents({ storage })
  const principal = await registerHarness(readConfig({ env, file }), { auth, agents, storage, policy })
  return { policy, auth, principal }
}

describe('the harness registers itself', () => {
  it('with its agent, wallet, first policy and key, once', async () => {
    const storage = await openStorage({ url: undefined })
    const env = { WALLET_ADDRESS: WALLET, SERVICE_API_KEY: KEY }
    const first = await start(storage, env)
    const again = await start(storage, env)
    assert.deepEqual(again.principal, first.principal)
    assert.deepEqual(first.principal?.scopes, ['verdicts:create:own', 'transactions:read:own'])
    const { items } = await storage.stores.agents.list({ limit: 10 })
    assert.deepEqual(
      items.map(({ id, name, ethereumAddress }) => [id, name, ethereumAddress]),
      [[first.principal?.agentId, 'Trader', WALLET]],
    )
    assert.deepEqual(await storage.stores.wallets.ofAgent(first.principal?.agentId ?? ''), [
      { address: WALLET, chainIds: [1] },
    ])
    const versions = await again.policy.policyVersions(WALLET)
    assert.deepEqual(
      versions.map(({ version, createdBy }) => [version, createdBy]),
      [[1, 'start-up']],
    )
    const { items: log } = await storage.stores.audit.list({ limit: 10 })
    assert.deepEqual(log.map(({ kind }) => kind).reverse(), [
      'agent_registered',
      'wallet_registered',
      'policy',
      'key_issued',
    ])
    const holder = await again.auth.authenticate(KEY)
    assert.deepEqual([holder.type, holder.agentId], ['AGENT', first.principal?.agentId])
    await storage.close()
  })

  it('and leaves alone what was written since', async () => {
    const storage = await openStorage({ url: undefined })
    const { policy } = await start(storage)
    await policy.writePolicy(WALLET, { caps: { perTxUsd: 50 } }, 'owner')
    const again = await start(storage)
    assert.deepEqual((await again.policy.readPolicy(WALLET))?.policy, { caps: { perTxUsd: 50 } })
    await storage.close()
  })

  it('on a further chain when that is configured', async () => {
    const storage = await openStorage({ url: undefined })
    const { principal } = await start(storage)
    await start(storage, { WALLET_ADDRESS: WALLET }, { ...FILE, chain: { id: 8453 } })
    assert.deepEqual(await storage.stores.wallets.ofAgent(principal?.agentId ?? ''), [
      { address: WALLET, chainIds: [1, 8453] },
    ])
    await storage.close()
  })

  it('not at all without a wallet', async () => {
    const storage = await openStorage({ url: undefined })
    assert.equal((await start(storage, {})).principal, undefined)
    assert.deepEqual((await storage.stores.agents.list({ limit: 1 })).items, [])
    await storage.close()
  })

  it('not where the wallet is somebody else’s', async () => {
    const storage = await openStorage({ url: undefined })
    const other = await storage.stores.agents.create({ name: 'other', ethereumAddress: FRIEND })
    await storage.stores.wallets.register({ address: WALLET, chainIds: [1], agentId: other.id })
    await assert.rejects(start(storage), (thrown) => thrown instanceof CountersignError && thrown.code === 'conflict')
    await storage.close()
  })
})
