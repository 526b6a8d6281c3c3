import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { keccak256 } from '../../src/lib/hash.ts'
import { actionHashOf, requestHashOf } from '../../src/policy/action-hash.ts'
import { approve } from '../../src/policy/approval.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { swap, WALLET } from '../support/actions.ts'
import { decideVector, verdictVectors } from '../support/verdict-vectors.ts'

const UNTIL = 1_800_000_000_000
const requestHash = `0x${'ab'.repeat(32)}` as const

function verdictOf(name: string): Readonly<{ tx: EvmTx; verdict: Verdict }> {
  const vector = verdictVectors().find((one) => one.name === name)
  assert.ok(vector && 'to' in vector.proposedTx)
  return { tx: vector.proposedTx as EvmTx, verdict: decideVector(vector) }
}

describe('an approval', () => {
  const { tx, verdict } = verdictOf('approved-swap')
  const decided = { requestHash, wallet: WALLET, tx, verdict, approvedUntil: UNTIL }

  it('is of exactly the bytes that the verdict is about', () => {
    const approval = approve(decided)
    assert.deepEqual(
      [approval?.requestHash, approval?.actionHash, approval?.wallet, approval?.tx, approval?.expiresAt.getTime()],
      [requestHash, actionHashOf(tx), WALLET, tx, UNTIL],
    )
  })

  it('is of no other bytes', () => {
    const others: readonly EvmTx[] = [
      { ...tx, value: '0x00' },
      { ...tx, value: '0x1' },
      { ...tx, nonce: 0 },
      { ...tx, chainId: 8453 },
      { ...tx, protocol: 'uniswap-v3' },
      { ...tx, data: `${tx.data}00` },
      { ...tx, data: tx.data.toUpperCase().replace('0X', '0x') as EvmTx['data'] },
      { ...tx, to: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45' },
    ]
    for (const other of others) assert.equal(approve({ ...decided, tx: other }), undefined, JSON.stringify(other))
  })

  it('is made of no verdict but an approved one, and of none without an end', () => {
    assert.equal(approve({ ...decided, approvedUntil: null }), undefined)
    for (const name of ['rejected-recipient', 'rejected-no-policy', 'pending-review'])
      assert.equal(approve({ ...decided, ...verdictOf(name) }), undefined, name)
    const renamed = { ...verdict, evidence: { ...verdict.evidence, observations: {} } }
    assert.equal(approve({ ...decided, verdict: renamed }), undefined)
  })
})

describe('the hashes of a submission', () => {
  const tx = swap()

  it('are keccak-256 over the canonical form', () => {
    const { protocol, chainId, to, data, value } = tx
    const canonical = JSON.stringify({ chainId, data, protocol, to, value })
    assert.equal(actionHashOf(tx), keccak256(canonical))
    const request = { id: 'x', escrowAddress: WALLET, proposedTx: tx }
    assert.equal(requestHashOf(request), keccak256(`{"escrowAddress":"${WALLET}","id":"x","proposedTx":${canonical}}`))
  })

  it('do not depend on the order of members, and on everything else', () => {
    const hashes = new Set<string>()
    const change = fc.record({
      chainId: fc.integer({ min: 1, max: 5 }),
      value: fc.constantFrom('0', '0x0', '0x00', '1'),
      nonce: fc.constantFrom(undefined, 0, 1, '0', '1'),
    })
    const seen = new Map<string, string>()
    const property = fc.property(change, ({ nonce, ...rest }) => {
      const one: EvmTx = { ...tx, ...rest, ...(nonce !== undefined && { nonce }) }
      const reversed = Object.fromEntries(Object.entries(one).reverse()) as EvmTx
      const hash = actionHashOf(one)
      assert.equal(actionHashOf(reversed), hash)
      const text = JSON.stringify([one.chainId, one.value, one.nonce ?? null])
      assert.equal(seen.get(text) ?? hash, hash)
      assert.ok(seen.has(text) || !hashes.has(hash), `${text} has the hash of another`)
      seen.set(text, hash)
      hashes.add(hash)
    })
    fc.assert(property, { seed: 4, numRuns: 200 })
    assert.ok(hashes.size > 50)
  })
})
