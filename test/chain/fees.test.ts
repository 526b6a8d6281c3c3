import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type FeeCaps, feeCapsOf, proposeFees } from '../../src/chain/index.ts'

const GWEI = 10n ** 9n
const caps: FeeCaps = {
  maxFeePerGas: 200n * GWEI,
  maxPriorityFeePerGas: 10n * GWEI,
  gasLimit: 1_000_000n,
  cost: 10n ** 17n,
  minPriorityFeePerGas: GWEI,
}

function propose(baseFee: bigint, tips: readonly bigint[], gasEstimate: bigint) {
  return proposeFees({ history: { baseFeesPerGas: [1n, baseFee], tips }, gasEstimate }, caps)
}

function assertRefused(result: ReturnType<typeof propose>, reason: RegExp): void {
  assert.equal(result.ok, false)
  if (!result.ok) assert.match(result.reason, reason)
}

describe('proposeFees', () => {
  it('pays twice the next base fee, the median tip, and a fifth more gas than estimated', () => {
    assert.deepEqual(propose(20n * GWEI, [9n * GWEI, 2n * GWEI, GWEI], 100_000n), {
      ok: true,
      value: { maxFeePerGas: 42n * GWEI, maxPriorityFeePerGas: 2n * GWEI, gasLimit: 120_000n },
    })
  })

  it('tips the least that the chain asks for where recent blocks paid less', () => {
    const result = propose(GWEI, [], 21_000n)
    assert.ok(result.ok)
    assert.equal(result.value.maxPriorityFeePerGas, GWEI)
  })

  it('refuses what a lying node asks for, rather than lower it to a cap', () => {
    assertRefused(propose(36_000n * 10n ** 18n, [GWEI], 21_000n), /fee of \d+ wei for each gas is above the cap/)
    assertRefused(propose(GWEI, [36_000n * 10n ** 18n], 21_000n), /tip of \d+ wei/)
    assertRefused(propose(GWEI, [GWEI], 30_000_000n), /gas limit of 36000000 gas is above the cap of 1000000/)
    assertRefused(propose(99n * GWEI, [GWEI], 800_000n), /cost of \d+ wei is above the cap/)
    assertRefused(propose(GWEI, [GWEI], 0n), /below what any transaction needs/)
    assertRefused(proposeFees({ history: { baseFeesPerGas: [], tips: [] }, gasEstimate: 21_000n }, caps), /no base fee/)
  })

  it('never proposes anything above a cap, whatever the node says', () => {
    const wei = fc.bigInt({ min: 0n, max: 1n << 256n })
    const small = fc.bigInt({ min: 0n, max: 300n * GWEI })
    fc.assert(
      fc.property(fc.oneof(wei, small), fc.array(fc.oneof(wei, small)), fc.oneof(wei, small), (base, tips, gas) => {
        const result = propose(base, tips, gas)
        if (!result.ok) return
        const { maxFeePerGas, maxPriorityFeePerGas, gasLimit } = result.value
        assert.ok(maxFeePerGas <= caps.maxFeePerGas)
        assert.ok(maxPriorityFeePerGas <= caps.maxPriorityFeePerGas && maxPriorityFeePerGas <= maxFeePerGas)
        assert.ok(gasLimit <= caps.gasLimit && gasLimit * maxFeePerGas <= caps.cost)
      }),
    )
  })

  it('has caps for every chain, and tips nothing on HyperEVM', () => {
    for (const id of [1, 8453, 42161, 137, 999, 11155111]) assert.ok(feeCapsOf(id).cost > 0n)
    const result = proposeFees(
      { history: { baseFeesPerGas: [GWEI], tips: [5n * GWEI] }, gasEstimate: 50_000n },
      feeCapsOf(999),
    )
    assert.ok(result.ok)
    assert.equal(result.value.maxPriorityFeePerGas, 0n)
  })
})
