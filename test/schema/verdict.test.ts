import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CHECK_IDS, CHECKS, CheckResult } from '../../src/schema/check.ts'
import { Verdict } from '../../src/schema/verdict.ts'
import { decideVector, verdictVectors } from '../support/verdict-vectors.ts'

function verdictOf(name: string): Verdict {
  const vector = verdictVectors().find((one) => one.name === name)
  assert.ok(vector, name)
  return decideVector(vector)
}

const approved = verdictOf('approved-swap')
const rejected = verdictOf('rejected-recipient')
const pending = verdictOf('pending-review')
const undecodable = verdictOf('rejected-unknown-contract')

function refused(verdict: unknown, says: RegExp): void {
  const parsed = Verdict.safeParse(verdict)
  assert.equal(parsed.success, false)
  assert.match(JSON.stringify(parsed.error?.issues), says)
}

describe('a verdict that contradicts itself cannot be built', () => {
  it('approved for any reason but allowed, and allowed for any outcome but approved', () => {
    for (const reasonCode of Verdict.shape.reasonCode.options)
      if (reasonCode !== 'allowed') refused({ ...approved, reasonCode }, /approved requires allowed|pending requires/)
    refused({ ...rejected, reasonCode: 'allowed' }, /approved requires allowed/)
    refused({ ...pending, reasonCode: 'allowed' }, /approved requires allowed/)
  })

  it('pending for any reason but pending, and the reverse', () => {
    refused({ ...pending, reasonCode: 'data_unavailable' }, /pending requires pending/)
    refused({ ...rejected, reasonCode: 'pending' }, /pending requires pending/)
  })

  it('approved with a check that failed', () => {
    refused({ ...approved, checks: rejected.checks }, /no failed check/)
  })

  it('rejected by a violation that no check has', () => {
    refused({ ...rejected, reasonCode: 'sanctioned_address' }, /must match a failed check/)
    refused({ ...undecodable, reasonCode: 'venue_not_allowed' }, /must match a failed check/)
    for (const reasonCode of ['decode_failure', 'data_unavailable', 'asset_identity_unresolved'] as const)
      assert.ok(Verdict.safeParse({ ...undecodable, reasonCode }).success, reasonCode)
  })

  it('decided without one of the checks', () => {
    for (const missing of CHECK_IDS) {
      const checks = approved.checks.filter(({ checkId }) => checkId !== missing)
      refused({ ...approved, checks }, /reports every check/)
      refused(
        { ...undecodable, checks: undecodable.checks.filter(({ checkId }) => checkId !== missing) },
        /reports every check/,
      )
    }
  })

  it('of another shape', () => {
    const wrong: readonly object[] = [
      { schemaVersion: 2 },
      { schemaVersion: '1' },
      { outcome: 'APPROVED' },
      { outcome: 'unknown' },
      { outcome: null },
      { reasonCode: 'fine' },
      { humanReason: null },
      { latencyMs: -1 },
      { latencyMs: 1.5 },
      { usdNotional: -0.01 },
      { usdNotional: Number.POSITIVE_INFINITY },
      { usdNotional: '100' },
      { policyVersion: 1.5 },
      { timestamp: 'yesterday' },
      { timestamp: '2026-11-21T00:00:00+01:00' },
      { evidence: { ...approved.evidence, decodedAction: { protocol: 'uniswap' } } },
      { evidence: { ...approved.evidence, sources: undefined } },
      { dataFreshness: { overall: 'stale', sources: [] } },
      { trust: { level: 'certain', notes: null } },
      { redaction: { redacted: false } },
      { more: 1 },
    ]
    for (const change of wrong)
      assert.equal(Verdict.safeParse({ ...approved, ...change }).success, false, JSON.stringify(change))
    for (const member of Object.keys(Verdict.shape)) {
      const { [member as keyof Verdict]: _, ...rest } = approved
      assert.equal(Verdict.safeParse(rest).success, false, member)
    }
  })
})

describe('the result of a check', () => {
  const passed = {
    checkId: 'venue',
    status: 'passed',
    code: null,
    humanReason: 'fine',
    triggeringPolicyField: null,
  } as const

  it('has a code exactly where it failed', () => {
    assert.ok(CheckResult.safeParse(passed).success)
    assert.ok(CheckResult.safeParse({ ...passed, status: 'failed', code: 'venue_not_allowed' }).success)
    assert.equal(CheckResult.safeParse({ ...passed, status: 'failed' }).success, false)
    assert.equal(CheckResult.safeParse({ ...passed, code: 'venue_not_allowed' }).success, false)
    assert.equal(CheckResult.safeParse({ ...passed, status: 'not_checked', code: 'data_unavailable' }).success, false)
  })

  it('has a code of its own check, or missing data', () => {
    for (const checkId of CHECK_IDS)
      for (const code of [...Object.values(CHECKS).flat(), 'data_unavailable' as const]) {
        const own = code === 'data_unavailable' || CHECKS[checkId].some((one) => one === code)
        const result = { ...passed, checkId, status: 'failed', code }
        assert.equal(CheckResult.safeParse(result).success, own, `${checkId} ${code}`)
      }
  })

  it('names a leg by a whole number', () => {
    assert.ok(CheckResult.safeParse({ ...passed, legIndex: 0 }).success)
    for (const legIndex of [-1, 0.5, '0', null])
      assert.equal(CheckResult.safeParse({ ...passed, legIndex }).success, false)
  })
})

describe('the checks', () => {
  it('are the 15 of the specification, in its order', () => {
    assert.deepEqual(CHECK_IDS, [
      'venue',
      'chain',
      'contract_selector',
      'asset',
      'recipient',
      'side',
      'slippage_guard',
      'execution_price_bound',
      'leverage',
      'sanctions',
      'sink_recipient',
      'per_tx_cap',
      'outflow_24h',
      'portfolio_leverage',
      'protocol_exposure',
    ])
  })
})
