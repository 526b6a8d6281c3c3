// How an approval ends: it is cancelled, reported as executed, or runs out. Exactly one of them happens.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { CountersignError } from '../../../src/lib/errors.ts'
import type { Hex } from '../../../src/lib/hash.ts'
import type { Principal } from '../../../src/policy/index.ts'
import { STRANGER, swap, WALLET } from '../../support/actions.ts'
import { startService } from '../../support/app.ts'
import { approved, auditOf, CHAIN_ID, decide, openService, outflow, POLICY, requestOf, TX_HASH } from './service.ts'

type Service = Awaited<ReturnType<typeof openService>>

const code = (expected: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof CountersignError, String(thrown))
  assert.equal(thrown.code, expected, thrown.message)
  return true
}
const OTHER_HASH: Hex = `0x${'ef'.repeat(32)}`

/** The storage with its clock moved on. Holds in the database still run by its own. */
function later({ storage }: Service, ms: number) {
  return startService({ storage: { ...storage, now: async () => (await storage.now()) + ms } })
}

async function statusOf({ storage }: Service, requestHash: Hex) {
  return (await storage.stores.transactions.byRequestHash(requestHash))?.status
}

describe('the end of an approval', () => {
  let service: Service
  let hash: Hex
  before(async () => {
    service = await openService({}, { ...POLICY, caps: { perTxUsd: 500 } })
  })
  after(() => service.close())
  beforeEach(async () => {
    hash = await approved(service.policy, service.principal)
  })

  it('by a cancel frees its hold; again is the same; nothing comes after it', async () => {
    const { policy, principal, storage } = service
    const held = await outflow(storage)
    const record = await policy.cancel(principal, hash)
    assert.deepEqual([record.status, record.requestHash], ['CANCELLED', hash])
    assert.deepEqual(await policy.cancel(principal, hash), record)
    assert.equal(await outflow(storage), held - 100_000_000n)
    await assert.rejects(policy.reportExecution(principal, hash, { txHash: TX_HASH }), code('cancelled'))
    assert.deepEqual(await auditOf(storage, hash), ['submission', 'verdict', 'cancel'])
  })

  it('by a report keeps its outflow; the same report again is the same, another is a conflict', async () => {
    const { policy, principal, storage } = service
    const held = await outflow(storage)
    const record = await policy.reportExecution(principal, hash, { txHash: TX_HASH })
    assert.equal(record.status, 'EXECUTED')
    assert.deepEqual(await policy.reportExecution(principal, hash, { txHash: TX_HASH }), record)
    assert.equal(await outflow(storage), held)
    await assert.rejects(policy.reportExecution(principal, hash, { txHash: OTHER_HASH }), code('already_executed'))
    await assert.rejects(policy.reportExecution(principal, hash, { orderId: TX_HASH }), code('tx_hash_required'))
    const both = { txHash: TX_HASH, orderId: '1' }
    await assert.rejects(policy.reportExecution(principal, hash, both), code('invalid_request'))
    await assert.rejects(policy.cancel(principal, hash), code('already_executed'))
    assert.deepEqual(await auditOf(storage, hash), ['submission', 'verdict', 'execution'])
    assert.deepEqual((await storage.stores.transactions.byRequestHash(hash))?.report, { txHash: TX_HASH })
  })

  it('by its time frees its hold; nothing comes after it', async () => {
    const { principal, storage } = service
    const { policy } = await later(service, 121_000)
    const held = await outflow(storage)
    const expired = await policy.expireApprovals()
    assert.ok(expired >= 1)
    assert.equal(await statusOf(service, hash), 'EXPIRED')
    assert.equal(await outflow(storage), held - BigInt(expired) * 100_000_000n)
    assert.equal(await policy.expireApprovals(), 0)
    await assert.rejects(policy.reportExecution(principal, hash, { txHash: TX_HASH }), code('not_approved'))
    await assert.rejects(policy.cancel(principal, hash), code('not_approved'))
    assert.deepEqual(await auditOf(storage, hash), ['submission', 'verdict', 'expiry'])
  })

  it('has come when its time is over, though nobody has ended it yet', async () => {
    const { policy } = await later(service, 120_001)
    await assert.rejects(policy.reportExecution(service.principal, hash, { txHash: TX_HASH }), code('not_approved'))
    assert.equal(await statusOf(service, hash), 'APPROVED')
    const onTime = await later(service, 100_000)
    assert.equal((await onTime.policy.reportExecution(service.principal, hash, { txHash: TX_HASH })).status, 'EXECUTED')
  })

  it('is not said to be a cancel when its time was faster', async () => {
    const { storage, principal, policy } = service
    assert.ok(await storage.stores.holds.settle(hash, 'expired'))
    await assert.rejects(policy.cancel(principal, hash), code('not_approved'))
    assert.deepEqual(await auditOf(storage, hash), ['submission', 'verdict'])
  })

  it('is not a cancel nor a report once its transaction is signed here', async () => {
    const { policy, principal, storage } = service
    const nonce = await storage.stores.executions.nextNonce({ chainId: CHAIN_ID, address: WALLET, chainNonce: 0 })
    await storage.stores.executions.insert({
      requestHash: hash,
      chainId: CHAIN_ID,
      address: WALLET,
      nonce,
      rawTx: '0x02',
      txHash: TX_HASH,
    })
    await assert.rejects(policy.cancel(principal, hash), code('conflict'))
    await assert.rejects(policy.reportExecution(principal, hash, { txHash: OTHER_HASH }), code('conflict'))
    assert.equal(await statusOf(service, hash), 'APPROVED')
  })

  it('needs an approval: what was rejected can neither be cancelled nor reported', async () => {
    const { policy, principal } = service
    const { requestHash } = await decide(policy, principal, requestOf(swap({ to: STRANGER })))
    await assert.rejects(policy.cancel(principal, requestHash), code('not_approved'))
    await assert.rejects(policy.reportExecution(principal, requestHash, { txHash: TX_HASH }), code('not_approved'))
    assert.equal(await statusOf(service, requestHash), 'REJECTED')
  })

  it('is for its owner alone, and for who may act for any agent', async () => {
    const { policy, principal, agentOf } = service
    const other: Principal = { ...principal, agentId: (await agentOf(STRANGER, [8453])).agentId }
    for (const operation of [
      policy.cancel,
      (who: Principal, which: string) => policy.reportExecution(who, which, { txHash: TX_HASH }),
    ]) {
      await assert.rejects(operation(other, hash), code('not_owner'))
      await assert.rejects(
        operation({ ...principal, scopes: ['transactions:read:own'] }, hash),
        code('insufficient_scope'),
      )
      for (const unknown of [`0x${'12'.repeat(32)}`, hash.toUpperCase(), 'x', '', `${hash} `])
        await assert.rejects(operation(principal, unknown), code('not_found'))
    }
    await assert.rejects(policy.readVerdict(other, hash), code('not_owner'))
    await assert.rejects(policy.readVerdict({ ...principal, scopes: [] }, hash), code('insufficient_scope'))
    const admin: Principal = { id: 'admin', agentId: null, scopes: ['transactions:create:any'] }
    assert.equal((await policy.readVerdict(admin, hash)).verdict?.outcome, 'approved')
    assert.equal((await policy.cancel(admin, hash)).status, 'CANCELLED')
  })

  it('is one end, whatever is tried in whichever order', async () => {
    const endings = ['cancel', 'report', 'other report', 'expire'] as const
    const property = fc.asyncProperty(
      fc.shuffledSubarray([...endings, ...endings], { minLength: 1 }),
      fc.scheduler(),
      async (tried, scheduler) => {
        const { principal, storage } = service
        const racing = await approved(service.policy, principal)
        const expiring = await later(service, 121_000)
        const acts: Readonly<Record<(typeof endings)[number], () => Promise<unknown>>> = {
          cancel: () => service.policy.cancel(principal, racing),
          report: () => service.policy.reportExecution(principal, racing, { txHash: TX_HASH }),
          'other report': () => service.policy.reportExecution(principal, racing, { txHash: OTHER_HASH }),
          expire: () => expiring.policy.expireApprovals(),
        }
        const races = tried.map((one) => scheduler.schedule(Promise.resolve(one), one).then(() => acts[one]()))
        const [, results] = await Promise.all([scheduler.waitAll(), Promise.allSettled(races)])
        await ended(
          service,
          racing,
          tried.flatMap((one, i) => (results[i]?.status === 'fulfilled' ? [one] : [])),
        )
        assert.equal(await storage.stores.holds.settle(racing, 'voided'), false, 'the hold is settled')
      },
    )
    await fc.assert(property, { seed: 12, numRuns: 200 })
    assert.equal(await service.storage.stores.audit.verify(), null)
  })
})

/** Asserts that one end came, that the answers agree with it, and that it was written down once. */
async function ended({ storage }: Service, hash: Hex, succeeded: readonly string[]): Promise<void> {
  const transaction = await storage.stores.transactions.byRequestHash(hash)
  const [, , ...ends] = await auditOf(storage, hash)
  assert.equal(ends.length, 1, JSON.stringify(ends))
  const won = new Set(succeeded.filter((one) => one !== 'expire'))
  const expected: Readonly<Record<string, readonly [answers: readonly string[], row: string]>> = {
    CANCELLED: [['cancel'], 'cancel'],
    EXECUTED: [[won.has('report') ? 'report' : 'other report'], 'execution'],
    EXPIRED: [[], 'expiry'],
  }
  assert.deepEqual([[...won], ends[0]], expected[transaction?.status ?? ''], transaction?.status)
  const report = { txHash: won.has('report') ? TX_HASH : OTHER_HASH }
  assert.deepEqual(transaction?.report, transaction?.status === 'EXECUTED' ? report : null)
}
