import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CountersignError, ERROR_CODES, type ErrorCode, messageOf } from '../../src/lib/errors.ts'

describe('faults', () => {
  it('have the status of their code, and are worth trying again where that can help', () => {
    for (const [code, status] of Object.entries(ERROR_CODES)) {
      const fault = new CountersignError(code as ErrorCode, 'why')
      assert.deepEqual([fault.status, fault.message, fault.name], [status, 'why', 'CountersignError'])
      assert.equal(fault.retryable, code === 'rate_limited' || code === 'unavailable', code)
    }
  })

  it('carry the fields that are wrong, and their cause', () => {
    const cause = new Error('below')
    const fields = [{ path: 'a.b', message: 'must be 1' }]
    const fault = new CountersignError('invalid_request', 'why', { cause, fields })
    assert.deepEqual([fault.fields, fault.cause], [fields, cause])
    assert.deepEqual(new CountersignError('gone', 'why').fields, [])
  })

  it('are told in one line, whatever was thrown', () => {
    assert.equal(messageOf(new Error('one\nline')), 'one\nline')
    assert.equal(messageOf('text'), 'text')
    assert.equal(messageOf(undefined), 'undefined')
  })
})
