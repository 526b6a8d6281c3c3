// What the policy holds for a person: nothing happens until the person speaks, and then only what the policy allows.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CountersignError } from '../../../src/lib/errors.ts'
import type { Principal } from '../../../src/policy/index.ts'
import type { Policy } from '../../../src/schema/policy.ts'
import { decoded, swap, unavailable, WALLET } from '../../support/actions.ts'
import { startService } from '../../support/app.ts'
import { attestor } from '../../support/attestor.ts'
import { auditOf, decide, openService, outflow, POLICY, requestOf, sourcesFor } from './service.ts'

const HELD: Policy = { ...POLICY, review: { aboveUsd: 50 } }
const REVIEWER: Principal = { id: 'a reviewer', agentId: null, scopes: ['transactions:approve:own'] }
const YES = { decision: 'APPROVED', analysis: 'Agreed with the treasury.' } as const
const NO = { decision: 'REJECTED', analysis: 'Not this week.' } as const

const code = (expected: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof CountersignError, String(thrown))
  assert.equal(thrown.code, expected, thrown.message)
  return true
}

describe('an action that is held for a person', () => {
  let service: Awaited<ReturnType<typeof openService>>
  before(async () => {
    service = await openService({}, HELD)
  })
  after(() => service.close())

  const hold = async () => {
    const { requestHash, verdict, approval } = await decide(service.policy, service.principal)
    assert.deepEqual([verdict.outcome, verdict.triggeringPolicyField], ['pending', 'review.aboveUsd'])
    assert.equal(approval, undefined)
    return requestHash
  }

  it('is approved by a person, with a hold, a receipt and an audit row', async () => {
    const { policy, storage, principal } = service
    const requestHash = await hold()
    const before = await outflow(storage)
    await assert.rejects(policy.readReceipt(principal, requestHash, { typed: false }), code('not_found'))
    const { verdict, approval } = await policy.review(REVIEWER, requestHash, YES)
    assert.equal(verdict.outcome, 'approved', verdict.humanReason)
    assert.deepEqual(verdict.evidence.observations['review'], { ...YES, by: REVIEWER.id })
    assert.ok(approval)
    assert.equal((await outflow(storage)) - before, 100_000_000n)
    const receipt = await policy.readReceipt(principal, requestHash, { typed: true })
    assert.deepEqual(
      [receipt.status, receipt.publicKey, receipt.typed?.message.requestHash],
      ['APPROVED', attestor.publicKey, requestHash],
    )
    assert.deepEqual(await auditOf(storage, requestHash), ['submission', 'verdict', 'review', 'verdict'])
  })

  it('is rejected by a person, for good', async () => {
    const { policy, storage } = service
    const requestHash = await hold()
    const before = await outflow(storage)
    const { verdict, approval } = await policy.review(REVIEWER, requestHash, NO)
    assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'per_tx_cap_exceeded'])
    assert.match(verdict.humanReason, /A person refused it: Not this week\./)
    assert.equal(verdict.triggeringPolicyField, 'review.aboveUsd')
    assert.equal(approval, undefined)
    assert.equal(await outflow(storage), before)
    await assert.rejects(policy.review(REVIEWER, requestHash, YES), code('conflict'))
  })

  it('is decided once: the same word again is the same, of two that differ the first stands', async () => {
    const { policy } = service
    const requestHash = await hold()
    const words = await Promise.allSettled([
      policy.review(REVIEWER, requestHash, YES),
      policy.review(REVIEWER, requestHash, NO),
    ])
    assert.deepEqual(words.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [first] = words.flatMap((word) => (word.status === 'fulfilled' ? [word.value] : []))
    assert.ok(first)
    const same = first.verdict.outcome === 'approved' ? YES : NO
    assert.deepEqual((await policy.review(REVIEWER, requestHash, same)).verdict, first.verdict)
  })

  it('is not approved by whoever may not review', async () => {
    const { policy, principal } = service
    const requestHash = await hold()
    await assert.rejects(policy.review(principal, requestHash, YES), code('insufficient_scope'))
    const other = { ...REVIEWER, agentId: 'another agent' }
    await assert.rejects(policy.review(other, requestHash, YES), code('not_owner'))
    await assert.rejects(policy.review(REVIEWER, `0x${'00'.repeat(32)}`, YES), code('not_found'))
    assert.equal((await policy.readVerdict(principal, requestHash)).review, 'awaited')
  })

  it('stays rejected where the policy rejects it: a review lifts nothing else', async () => {
    const { policy, principal } = service
    const own = await decide(policy, principal, requestOf(swap({ amountIn: 600_000_000n, minOut: 2n * 10n ** 17n })))
    assert.equal(own.verdict.outcome, 'rejected')
    await assert.rejects(policy.review(REVIEWER, own.requestHash, YES), code('conflict'))
    const requestHash = await hold()
    await policy.writePolicy(WALLET, { ...HELD, caps: { perTxUsd: 60 } }, 'test')
    const { verdict } = await policy.review(REVIEWER, requestHash, YES)
    assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'per_tx_cap_exceeded'])
    assert.doesNotMatch(verdict.humanReason, /A person/)
    await policy.writePolicy(WALLET, HELD, 'test')
  })

  it('stays held while what it takes to decide cannot be had', async () => {
    const requestHash = await hold()
    const { storage } = service
    const sources = sourcesFor(decoded(swap()), { sanctions: unavailable('sanctions') })
    const blind = await startService({ storage, sources })
    await assert.rejects(blind.policy.review(REVIEWER, requestHash, YES), code('unavailable'))
    assert.equal((await service.policy.readVerdict(service.principal, requestHash)).review, 'awaited')
    assert.equal((await service.policy.review(REVIEWER, requestHash, YES)).verdict.outcome, 'approved')
  })
})
