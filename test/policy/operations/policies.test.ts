import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CountersignError } from '../../../src/lib/errors.ts'
import { FRIEND, STRANGER, swap, WALLET } from '../../support/actions.ts'
import { auditOf, decide, openService, POLICY, requestOf } from './service.ts'

const code = (expected: string) => (thrown: unknown) => thrown instanceof CountersignError && thrown.code === expected

describe('policies', () => {
  let service: Awaited<ReturnType<typeof openService>>
  before(async () => {
    service = await openService()
  })
  after(() => service.close())

  it('have versions, and the newest one decides', async () => {
    const { policy, principal } = service
    const second = await policy.writePolicy(WALLET, { caps: { perTxUsd: 99 } }, 'somebody', 1)
    assert.deepEqual([second.version, second.createdBy, second.walletAddress], [2, 'somebody', WALLET])
    assert.equal((await decide(policy, principal)).verdict.reasonCode, 'per_tx_cap_exceeded')
    const third = await policy.writePolicy(WALLET, POLICY, 'somebody')
    assert.deepEqual(await policy.readPolicy(WALLET), third)
    const { verdict } = await decide(policy, principal)
    assert.deepEqual([verdict.outcome, verdict.policyVersion], ['approved', 3])
    assert.deepEqual(
      (await policy.policyVersions(WALLET)).map(({ version, policy: document }) => [version, document]),
      [
        [3, POLICY],
        [2, { caps: { perTxUsd: 99 } }],
        [1, POLICY],
      ],
    )
  })

  it('are not written over a version that the writer has not seen', async () => {
    const { policy } = service
    const { version } = (await policy.readPolicy(WALLET)) ?? assert.fail()
    for (const stale of [0, version - 1, version + 1])
      await assert.rejects(policy.writePolicy(WALLET, {}, 'x', stale), code('precondition_failed'))
    assert.equal((await policy.readPolicy(WALLET))?.version, version)
  })

  it('are of registered wallets alone, and one that has none approves nothing', async () => {
    const { policy, agentOf } = service
    await assert.rejects(policy.writePolicy(STRANGER, {}, 'x'), code('not_found'))
    const principal = await agentOf(FRIEND, [1])
    assert.equal(await policy.readPolicy(FRIEND), undefined)
    assert.deepEqual(await policy.policyVersions(FRIEND), [])
    const { verdict } = await decide(policy, principal, requestOf(swap({ to: FRIEND }), { escrowAddress: FRIEND }))
    assert.deepEqual(
      [verdict.outcome, verdict.reasonCode, verdict.policyVersion],
      ['rejected', 'data_unavailable', null],
    )
    assert.ok(verdict.checks.every(({ status }) => status === 'not_checked'))
  })

  it('leave a row in the audit log, with the hash of what was written', async () => {
    const { policy, storage } = service
    const rows = await auditOf(storage, WALLET)
    assert.deepEqual(new Set(rows), new Set(['policy']))
    assert.equal(rows.length, (await policy.policyVersions(WALLET)).length)
    assert.equal(await storage.stores.audit.verify(), null)
  })
})

describe('past verdicts', () => {
  it('are the newest of an agent, or the one that is named', async () => {
    const { policy, principal, agentOf, close } = await openService()
    await assert.rejects(policy.pastVerdict(principal), code('not_found'))
    const first = await decide(policy, principal)
    const second = await decide(policy, principal, requestOf(swap({ to: STRANGER }), { prompt: 'To a stranger.' }))
    const newest = await policy.pastVerdict(principal)
    assert.deepEqual(
      [newest.requestHash, newest.description, newest.verdict],
      [second.requestHash, 'To a stranger.', second.verdict],
    )
    assert.deepEqual((await policy.pastVerdict(principal, first.requestHash)).verdict, first.verdict)
    const other = await agentOf(FRIEND, [1])
    await assert.rejects(policy.pastVerdict(other), code('not_found'))
    await assert.rejects(policy.pastVerdict(other, first.requestHash), code('not_owner'))
    await assert.rejects(policy.pastVerdict({ ...principal, agentId: null }), code('not_found'))
    await close()
  })
})
