// A draft policy over what was recorded: each action on the facts of its time, the rolling window rebuilt by the draft.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CountersignError } from '../../../src/lib/errors.ts'
import { verifyDecisions } from '../../../src/policy/index.ts'
import type { Policy } from '../../../src/schema/policy.ts'
import { STRANGER, swap, WALLET } from '../../support/actions.ts'
import { decide, openService, POLICY, requestOf, TX_HASH } from './service.ts'

const ALL = { limit: 10_000 }
const WIDE: Policy = { ...POLICY, caps: { perTxUsd: 1_000, outflow24hUsd: 10_000 } }

describe('a backtest', () => {
  let service: Awaited<ReturnType<typeof openService>>
  const hashes: string[] = []
  before(async () => {
    service = await openService({}, WIDE)
    const { policy, principal } = service
    for (const amountIn of [100_000_000n, 200_000_000n, 300_000_000n]) {
      const minOut = (amountIn * 10n ** 12n) / 3_010n
      const { requestHash, verdict } = await decide(policy, principal, requestOf(swap({ amountIn, minOut })))
      assert.equal(verdict.outcome, 'approved', verdict.humanReason)
      hashes.push(requestHash)
    }
    await policy.cancel(principal, hashes[1] ?? '')
    await policy.reportExecution(principal, hashes[0] ?? '', { txHash: TX_HASH })
    const stranger = await decide(policy, principal, requestOf(swap({ to: STRANGER })))
    assert.equal(stranger.verdict.outcome, 'rejected')
    hashes.push(stranger.requestHash)
  })
  after(() => service.close())

  it('of the policy in force changes nothing', async () => {
    const report = await service.policy.backtest(WALLET, { policy: WIDE, ...ALL })
    assert.deepEqual(report, { walletAddress: WALLET, evaluated: 4, unchanged: 4, differences: [] })
  })

  it('names each action that would have been decided otherwise, and why', async () => {
    const caps = { perTxUsd: 250, outflow24hUsd: 10_000 }
    const { differences } = await service.policy.backtest(WALLET, { policy: { ...WIDE, caps }, ...ALL })
    assert.deepEqual(
      differences.map(({ requestHash, recorded, draft }) => [requestHash, recorded.outcome, draft.reasonCode]),
      [[hashes[2], 'approved', 'per_tx_cap_exceeded']],
    )
    assert.match(differences[0]?.draft.humanReason ?? '', /up to 250 USDC would pass/)
    assert.equal(differences[0]?.draft.triggeringPolicyField, 'caps.perTxUsd')
  })

  it('rebuilds the rolling window from what the draft lets pass', async () => {
    // 100 fit in 350, and 200 more; the third is 300 on top of 300, as the second was given up only after it.
    const caps = { perTxUsd: 1_000, outflow24hUsd: 350 }
    const { differences } = await service.policy.backtest(WALLET, { policy: { ...WIDE, caps }, ...ALL })
    assert.deepEqual(
      differences.map(({ requestHash, draft }) => [requestHash, draft.reasonCode]),
      [[hashes[2], 'outflow_24h_exceeded']],
    )
    assert.match(differences[0]?.draft.humanReason ?? '', /\$300\.00 on top of \$300\.00/)
  })

  it('approves what was rejected where the draft allows it', async () => {
    const policy = { ...WIDE, recipients: { allow: [STRANGER] } }
    const { differences } = await service.policy.backtest(WALLET, { policy, ...ALL })
    assert.deepEqual(
      differences.map(({ requestHash, recorded, draft }) => [requestHash, recorded.reasonCode, draft.outcome]),
      [[hashes[3], 'recipient_not_allowed', 'approved']],
    )
  })

  it('looks at the newest actions where not all are asked for, and at none before its time', async () => {
    const caps = { perTxUsd: 1, outflow24hUsd: 10_000 }
    const draft = { ...WIDE, caps }
    const newest = await service.policy.backtest(WALLET, { policy: draft, limit: 2 })
    assert.deepEqual([newest.evaluated, newest.differences.map((one) => one.requestHash)], [2, [hashes[2]]])
    const later = await service.policy.backtest(WALLET, { policy: draft, since: '2099-01-01T00:00:00.000Z', ...ALL })
    assert.equal(later.evaluated, 0)
  })

  it('is of a registered wallet', async () => {
    await assert.rejects(service.policy.backtest(STRANGER, { policy: {}, ...ALL }), (thrown: unknown) => {
      assert.ok(thrown instanceof CountersignError)
      return thrown.code === 'not_found'
    })
  })

  it('leaves the record as it was: every decision has its receipt and is decided again just so', async () => {
    assert.deepEqual(await verifyDecisions(service.storage), { decisions: 4, elsewhere: 0, faults: [] })
  })
})
