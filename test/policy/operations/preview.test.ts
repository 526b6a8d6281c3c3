import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ProposedTx } from '../../../src/schema/action.ts'
import { STRANGER, swap, WALLET } from '../../support/actions.ts'
import { decide, openService, outflow, POLICY } from './service.ts'

describe('looking at actions', () => {
  let service: Awaited<ReturnType<typeof openService>>
  before(async () => {
    service = await openService()
  })
  after(() => service?.close())
  beforeEach(() => service.policy.writePolicy(WALLET, POLICY, 'test'))

  const looked = async (...actions: readonly ProposedTx[]) =>
    (await service.policy.preview(service.principal, { wallet: WALLET, actions })).map(({ reasonCode }) => reasonCode)

  it('gives the verdicts that they would get, each with the room that those before it leave, and holds nothing', async () => {
    await service.policy.writePolicy(WALLET, { ...POLICY, caps: { outflow24hUsd: 250 } }, 'test')
    assert.deepEqual(await looked(swap(), swap(), swap()), ['allowed', 'allowed', 'outflow_24h_exceeded'])
    assert.deepEqual(await looked(swap(), swap(), swap()), ['allowed', 'allowed', 'outflow_24h_exceeded'])
    assert.equal(await outflow(service.storage), 0n)
    const { items } = await service.policy.listSubmissions(service.principal, { limit: 1 })
    assert.deepEqual(items, [])
  })

  it('is by the policy of now, whichever was decided by last', async () => {
    assert.equal((await decide(service.policy, service.principal)).verdict.outcome, 'approved')
    await service.policy.writePolicy(WALLET, { ...POLICY, chains: { allow: [] } }, 'test')
    assert.deepEqual(await looked(swap()), ['chain_not_allowed'])
    await service.policy.writePolicy(WALLET, POLICY, 'test')
    assert.deepEqual(await looked(swap()), ['allowed'])
  })

  it('is for who acts for the wallet', async () => {
    const stranger = await service.agentOf(STRANGER, [1], POLICY)
    await assert.rejects(service.policy.preview(stranger, { wallet: WALLET, actions: [swap()] }), /not registered/)
  })
})
