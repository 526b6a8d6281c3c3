import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { absolute, ceilDiv } from '../../src/lib/integers.ts'

describe('integers', () => {
  it('are divided with what is left over counting as one more', () => {
    for (const [dividend, divisor, quotient] of [
      [0n, 3n, 0n],
      [1n, 3n, 1n],
      [3n, 3n, 1n],
      [4n, 3n, 2n],
      [10n ** 40n + 1n, 10n ** 20n, 10n ** 20n + 1n],
    ] as const)
      assert.equal(ceilDiv(dividend, divisor), quotient)
  })

  it('lose their sign, and nothing else', () => {
    assert.deepEqual([-5n, 0n, 5n].map(absolute), [5n, 0n, 5n])
  })
})
