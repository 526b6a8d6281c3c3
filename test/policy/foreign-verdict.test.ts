import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Hex } from '../../src/lib/hash.ts'
import { actionHashOf } from '../../src/policy/action-hash.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import { evaluate } from '../../src/policy/evaluate.ts'
import { checkForeignApproval } from '../../src/policy/foreign-verdict.ts'
import { receiptOf } from '../../src/policy/receipt.ts'
import type { ProposedTx } from '../../src/schema/action.ts'
import { OBSERVED_AT, WALLET } from '../support/actions.ts'
import { attestor } from '../support/attestor.ts'

const action = { type: 'updateLeverage', asset: 1, isCross: true, leverage: 3 }
const tx: ProposedTx = { protocol: 'hyperliquid', chainId: 999, action, nonce: 1_700_000_000_000 }
const own = { requestHash: `0x${'12'.repeat(32)}` as Hex, actionHash: actionHashOf(tx), wallet: WALLET }
const { protocol, chainId } = tx
const observed = { status: 'fresh', source: 'test', observedAt: OBSERVED_AT } as const
const eth = { symbol: 'ETH', kind: 'perp', sizeDecimals: 4, mark: '3000', maxLeverage: 50, leverage: 3 } as const
const verdict = evaluate({
  protocol,
  chainId,
  wallet: WALLET,
  actionHash: own.actionHash,
  decoded: decodeProposed(tx, WALLET),
  policy: { version: 1, policy: {} },
  facts: {
    sanctions: { ...observed, value: { screened: [WALLET], hits: [] } },
    markets: { ...observed, value: { '1': eth } },
  },
  review: null,
  at: new Date(),
  latencyMs: 1,
})

/** What is made of the verdict with other facts among its evidence, and a true receipt for it. */
function checkedWith(facts: unknown) {
  const observations = { ...verdict.evidence.observations, facts: facts as never }
  const told = { ...verdict, evidence: { ...verdict.evidence, observations } }
  const approvedUntil = Date.now() + 60_000
  const receipt = attestor.sign(receiptOf({ ...own, chainId, verdict: told, approvedUntil }))
  return checkForeignApproval({ ...own, tx }, told, receipt, { publicKey: attestor.publicKey, now: Date.now() })
}

describe('an approval of another service, with a receipt that verifies,', () => {
  test('holds where the bytes are read alike', () => {
    assert.equal(verdict.outcome, 'approved')
    assert.ok(checkedWith(verdict.evidence.observations['facts']).ok)
  })

  test('holds for nothing where its evidence is in no form that is known', () => {
    for (const facts of [null, 'x', {}, { markets: null }, { markets: { value: null } }, { markets: { value: 'x' } }]) {
      const checked = checkedWith(facts)
      assert.match(checked.ok ? '' : checked.reason, /read here as something else/, JSON.stringify(facts))
    }
  })
})
