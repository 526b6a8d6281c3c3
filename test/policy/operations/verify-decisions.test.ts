// Stored decisions that were made elsewhere, or touched: each is told for what it is.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Hex } from '../../../src/lib/hash.ts'
import { actionHashOf } from '../../../src/policy/action-hash.ts'
import { evaluate } from '../../../src/policy/evaluate.ts'
import type { Facts } from '../../../src/policy/facts.ts'
import { verifyDecisions } from '../../../src/policy/index.ts'
import { keepSubmission, keepVerdict } from '../../../src/policy/mirror.ts'
import { receiptOf } from '../../../src/policy/receipt.ts'
import type { Policy } from '../../../src/schema/policy.ts'
import type { Verdict } from '../../../src/schema/verdict.ts'
import { decoded, factsOf, swap, WALLET } from '../../support/actions.ts'
import { startService } from '../../support/app.ts'
import { attestor } from '../../support/attestor.ts'
import { CHAIN_ID, requestOf } from './service.ts'

const action = { ok: true, value: decoded(swap()) } as const
const actionHash = actionHashOf(swap())

/** A verdict on a swap, by a policy or none. */
function verdictBy(policy: Readonly<{ version: number; policy: Policy }> | null, facts: Facts): Verdict {
  const { protocol, chainId } = swap()
  const about = { protocol, chainId, wallet: WALLET, actionHash, decoded: action }
  return evaluate({ ...about, policy, facts, review: null, at: new Date(), latencyMs: 1 })
}

describe('stored decisions', () => {
  let service: Awaited<ReturnType<typeof startService>>
  let kept = 0
  before(async () => {
    service = await startService({ sources: [] })
    await service.agentOf(WALLET, [CHAIN_ID])
  })
  after(() => service?.close())

  /** Keeps a verdict of a submission of its own, with a true receipt where it is asked for. */
  async function keep(verdict: Verdict, withReceipt: boolean): Promise<Hex> {
    kept += 1
    const requestHash: Hex = `0x${String(kept).padStart(64, '0')}`
    const record = { id: `of-another-${kept}`, requestHash, description: '', status: 'PENDING', createdAt: '' } as const
    const principal = { id: 'harness', agentId: (await owner()) ?? assert.fail(), scopes: [] }
    const stored = await keepSubmission(service.storage, record, requestOf(), principal)
    const decided = { requestHash, actionHash, wallet: WALLET, chainId: CHAIN_ID, verdict, approvedUntil: null }
    const receipt = withReceipt ? attestor.sign(receiptOf(decided)) : null
    await keepVerdict(service.storage, stored, { requestHash, verdict, approvedUntil: null, receipt })
    return requestHash
  }
  const owner = () => service.storage.stores.wallets.ownerOf(WALLET, CHAIN_ID)

  it('that a service elsewhere made are no faults, with a policy there and without one', async () => {
    await keep(verdictBy({ version: 3, policy: { chains: { allow: [] } } }, factsOf(action.value)), false)
    await keep(verdictBy(null, {}), false)
    assert.deepEqual(await verifyDecisions(service.storage), { decisions: 2, elsewhere: 2, faults: [] })
  })

  it('whose evidence is in no form that is known lead to no verdict, and this is told of each', async () => {
    await service.policy.writePolicy(WALLET, {}, 'test')
    const verdict = verdictBy({ version: 1, policy: {} }, {})
    const { observations } = verdict.evidence
    const touched = {
      ...verdict,
      evidence: { ...verdict.evidence, observations: { ...observations, facts: { prices: null } } },
    }
    const requestHash = await keep(touched, true)
    const { faults } = await verifyDecisions(service.storage)
    assert.deepEqual(
      faults.filter((one) => one.requestHash === requestHash),
      [{ requestHash, fault: 'replay' }],
    )
  })
})
