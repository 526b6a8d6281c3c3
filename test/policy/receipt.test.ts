import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { recoverTypedDataAddress } from 'viem'
import { createAttestor } from '../../src/policy/attestor.ts'
import { checkReceipt, type Decided, receiptOf } from '../../src/policy/receipt.ts'
import type { SignedReceipt } from '../../src/schema/receipt.ts'
import { swap, WALLET } from '../support/actions.ts'
import { hashOf } from '../support/approved-action.ts'
import { attestor } from '../support/attestor.ts'
import { decideVector, verdictVectors } from '../support/verdict-vectors.ts'

const NOW = Date.parse('2026-11-21T00:00:00.000Z')
const vectors = verdictVectors()
const approvedVector = vectors.find(({ expected }) => (expected as { outcome?: string }).outcome === 'approved')
assert.ok(approvedVector)
const verdict = decideVector(approvedVector)

const decided: Decided = {
  requestHash: hashOf('a request'),
  actionHash: hashOf(swap()),
  wallet: WALLET,
  chainId: 1,
  verdict,
  approvedUntil: NOW + 60_000,
}
const trusted = { publicKey: attestor.publicKey, now: NOW }
const signed = attestor.sign(receiptOf(decided))

describe('a receipt', () => {
  it('of an approval proves it, until it expires', () => {
    assert.deepEqual(checkReceipt(signed, decided, trusted), { ok: true, value: true })
    const late = checkReceipt(signed, decided, { ...trusted, now: NOW + 60_000 })
    assert.match(late.ok ? '' : late.reason, /expired/)
  })

  it('of another key, no key or none at all proves nothing', () => {
    const other = createAttestor(`0x${'6f'.repeat(32)}`)
    assert.notEqual(other.publicKey, attestor.publicKey)
    assert.equal(checkReceipt(other.sign(receiptOf(decided)), decided, trusted).ok, false)
    const posing = { ...other.sign(receiptOf(decided)), publicKey: attestor.publicKey }
    assert.match(reasonOf(posing), /signature .* does not hold/)
    assert.match(reasonOf(null), /no receipt/)
  })

  it('does not stand for a decision that differs in anything', () => {
    const changes: readonly Partial<Decided>[] = [
      { requestHash: hashOf('another request') },
      { actionHash: hashOf('another action') },
      { wallet: '0x00000000000000000000000000000000deadbeef' },
      { chainId: 8453 },
      { approvedUntil: NOW + 60_001 },
      { verdict: { ...verdict, humanReason: `${verdict.humanReason} ` } },
      { verdict: { ...verdict, policyVersion: 7 } },
      { verdict: { ...verdict, evidence: { ...verdict.evidence, decodedActions: [] } } },
    ]
    for (const change of changes) {
      const check = checkReceipt(signed, { ...decided, ...change }, trusted)
      assert.match(check.ok ? '' : check.reason, /not of the stored verdict/, JSON.stringify(Object.keys(change)))
    }
  })

  it('of a rejection approves nothing, whatever the row beside it says', () => {
    const rejected = vectors.map(decideVector).find(({ outcome }) => outcome === 'rejected')
    assert.ok(rejected)
    const receipt = attestor.sign(receiptOf({ ...decided, verdict: rejected, approvedUntil: null }))
    for (const stored of [verdict, rejected])
      assert.equal(checkReceipt(receipt, { ...decided, verdict: stored }, trusted).ok, false)
  })

  it('with any one digit of its signature changed does not hold', () => {
    const digit = fc.integer({ min: 2, max: signed.signature.length - 1 })
    fc.assert(
      fc.property(digit, (at) => {
        const changed = signed.signature[at] === '0' ? '1' : '0'
        const signature = signed.signature.slice(0, at) + changed + signed.signature.slice(at + 1)
        assert.match(reasonOf({ ...signed, signature }), /does not hold/)
      }),
      { seed: 1, numRuns: 40 },
    )
  })

  it('has an EIP-712 form that an independent library recovers to the attestation address', async () => {
    const typed = await attestor.typed(signed.receipt)
    assert.ok(typed)
    const { message, domain, types, primaryType, signature } = typed
    const recovered = await recoverTypedDataAddress({
      domain,
      types,
      primaryType,
      message: {
        ...message,
        chainId: BigInt(message.chainId),
        policyVersion: BigInt(message.policyVersion),
        issuedAt: BigInt(message.issuedAt),
        expiresAt: BigInt(message.expiresAt),
      },
      signature: signature as `0x${string}`,
    } as Parameters<typeof recoverTypedDataAddress>[0])
    assert.equal(recovered.toLowerCase(), await attestor.address())
    assert.equal(typed.signer, await attestor.address())
    assert.equal(message.actionHash, decided.actionHash)
  })

  it('of what is no approval has no EIP-712 form', async () => {
    assert.equal(await attestor.typed({ ...signed.receipt, outcome: 'rejected', expiresAt: null }), undefined)
  })
})

function reasonOf(receipt: SignedReceipt | null): string {
  const check = checkReceipt(receipt, decided, trusted)
  return check.ok ? 'it holds' : check.reason
}
