import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type LifecycleEvent, transition } from '../../src/policy/lifecycle.ts'
import { TransactionStatus } from '../../src/schema/action.ts'

const EVENTS = ['approve', 'reject', 'execute', 'fail', 'cancel', 'expire'] as const satisfies readonly LifecycleEvent[]
const TERMINAL: readonly TransactionStatus[] = ['REJECTED', 'EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED']

describe('the lifecycle of a submission', () => {
  it('is this table, and nothing else', () => {
    const conflicts = (code: string) => EVENTS.map(() => code)
    const table: Readonly<Record<TransactionStatus, readonly string[]>> = {
      PENDING: ['APPROVED', 'REJECTED', ...Array.from({ length: 4 }, () => 'not_approved')],
      APPROVED: ['conflict', 'conflict', 'EXECUTED', 'FAILED', 'CANCELLED', 'EXPIRED'],
      REJECTED: conflicts('not_approved'),
      EXECUTED: conflicts('already_executed'),
      CANCELLED: conflicts('cancelled'),
      EXPIRED: conflicts('not_approved'),
      FAILED: conflicts('not_approved'),
    }
    for (const from of TransactionStatus.options) {
      const led = EVENTS.map((event) => {
        const next = transition(from, event)
        return 'to' in next ? next.to : next.conflict
      })
      assert.deepEqual(led, table[from], from)
    }
  })

  it('ends once: whatever happens, no state after an end, and none executed that was not approved', () => {
    const property = fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 20 }), (events) => {
      const path: TransactionStatus[] = ['PENDING']
      for (const event of events) {
        const next = transition(path.at(-1) ?? 'PENDING', event)
        if ('to' in next) path.push(next.to)
      }
      assert.ok(path.length <= 3)
      assert.ok(path.slice(0, -1).every((state) => !TERMINAL.includes(state)))
      if (path.includes('EXECUTED')) assert.deepEqual(path, ['PENDING', 'APPROVED', 'EXECUTED'])
    })
    fc.assert(property, { seed: 6, numRuns: 500 })
  })
})
