import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { check, invalid } from '../../src/api/validate.ts'
import { SubmitRequest } from '../../src/schema/action.ts'
import { Policy } from '../../src/schema/policy.ts'

const ADDRESS = '0x1111111111111111111111111111111111111111'
const TX = { protocol: 'uniswap', chainId: 8453, to: ADDRESS, data: '0x', value: '0x0' }

function wrongFields(tx: object, rest: object = {}): Readonly<Record<string, string>> {
  const { wrong } = check(SubmitRequest, { escrowAddress: ADDRESS, prompt: 'p', proposedTx: tx, ...rest }, 'body')
  return Object.fromEntries(wrong.map(({ path, message }) => [path, message]))
}

describe('wrong fields', () => {
  it('are named with what would be right', () => {
    assert.deepEqual(wrongFields(TX), {})
    assert.deepEqual(Object.keys(wrongFields({ ...TX, to: '0x12' })), ['proposedTx.to'])
    assert.match(wrongFields({ ...TX, to: '0x12' })['proposedTx.to'] ?? '', /expected an address/)
    assert.equal(wrongFields({ ...TX, chainId: 1.5 })['proposedTx.chainId'], 'expected a whole number, received number')
    assert.equal(wrongFields(TX, { colour: 1 }).colour, 'is not a known field')
    assert.equal(wrongFields(TX, { prompt: undefined }).prompt, 'is missing: expected string')
    assert.deepEqual(Object.keys(wrongFields({ ...TX, value: `0x1${'0'.repeat(64)}` })), ['proposedTx.value'])
  })

  it('of a union are those of the shape that was meant', () => {
    assert.deepEqual(Object.keys(wrongFields({ ...TX, to: '0x12', chainId: 'x', data: 1 })).sort(), [
      'proposedTx.chainId',
      'proposedTx.data',
      'proposedTx.to',
    ])
    assert.deepEqual(Object.keys(wrongFields({ protocol: 'hyperliquid', chainId: 'x', action: {} })), [
      'proposedTx.chainId',
    ])
    assert.deepEqual(Object.keys(wrongFields({ protocol: 'uniswap', chainId: 1, to: ADDRESS })).sort(), [
      'proposedTx.data',
      'proposedTx.value',
    ])
  })

  it('inside lists carry their index', () => {
    const { wrong } = check(Policy, { assets: { allow: [{ chainId: 1, address: '0x12' }] } }, 'body')
    assert.deepEqual(
      wrong.map(({ path }) => path),
      ['assets.allow.0.address'],
    )
  })

  it('are at most 32 in one answer, and no name is longer than 200 characters', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${'x'.repeat(1_000)}${i}`, 1]))
    const { wrong } = check(SubmitRequest, many, 'body')
    const { fields } = invalid(wrong)
    assert.equal(fields.length, 32)
    assert.ok(fields.every(({ path }) => path.length <= 200))
  })

  it('name the whole where no field is at fault', () => {
    assert.deepEqual(
      check(SubmitRequest, [], 'body').wrong.map(({ path }) => path),
      ['body'],
    )
  })
})
