import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { replay } from '../../src/policy/replay.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { decideVector, verdictVectors } from '../support/verdict-vectors.ts'

const recorded = verdictVectors().map((vector) => ({
  name: vector.name,
  wallet: vector.wallet,
  proposedTx: vector.proposedTx,
  policy: vector.policy,
  verdict: JSON.parse(JSON.stringify(decideVector(vector))) as Verdict,
}))

describe('a recorded decision, decided again from its evidence,', () => {
  for (const { name, ...decision } of recorded)
    it(`is the same: ${name.replaceAll('-', ' ')}`, () => {
      const { verdict, equal } = replay(decision)
      assert.deepEqual(JSON.parse(JSON.stringify(verdict)), decision.verdict)
      assert.equal(equal, true)
    })

  it('is another where the record was changed', () => {
    const approved = recorded.find(({ verdict }) => verdict.outcome === 'approved')
    assert.ok(approved)
    const { verdict, policy } = approved
    const changes: readonly Partial<typeof approved>[] = [
      { verdict: { ...verdict, humanReason: 'So it is.' } },
      { verdict: { ...verdict, usdNotional: 1 } },
      { verdict: { ...verdict, evidence: { ...verdict.evidence, observations: {} } } },
      { policy: { ...policy, chains: { allow: [] } } },
    ]
    for (const change of changes) assert.equal(replay({ ...approved, ...change }).equal, false)
  })
})
