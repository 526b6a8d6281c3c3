import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { encodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from 'viem'
import { toAddress } from '../../src/lib/address.ts'
import { answersOf, multicallOf } from '../../src/policy/multicall.ts'

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])
const bytes = fc.uint8Array({ maxLength: 100 }).map((all): Hex => `0x${Buffer.from(all).toString('hex')}`)
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((all) => toAddress(`0x${Buffer.from(all).toString('hex')}`))

describe('many calls in one', () => {
  it('are written as the ABI has them', () => {
    const calls = fc.array(fc.record({ to: address, data: bytes }), { minLength: 1, maxLength: 12 })
    const property = fc.property(calls, (some) => {
      const asked = some.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
      assert.equal(multicallOf(some), encodeFunctionData({ abi, functionName: 'aggregate3', args: [asked] }))
    })
    fc.assert(property, { seed: 5, numRuns: 100 })
  })

  it('are answered each at its place', () => {
    const results = fc.array(fc.record({ success: fc.boolean(), returnData: bytes }), { maxLength: 12 })
    const property = fc.property(results, (result) => {
      const data = encodeFunctionResult({ abi, functionName: 'aggregate3', result })
      const read = answersOf(data, result.length)
      assert.ok(read.ok)
      assert.deepEqual(
        read.value.map((one) => (one.ok ? one.value : null)),
        result.map(({ success, returnData }) => (success ? returnData : null)),
      )
      assert.equal(answersOf(data, result.length + 1).ok, false)
    })
    fc.assert(property, { seed: 5, numRuns: 100 })
  })

  it('have no answer in what is none', () => {
    for (const data of ['0x', '0x01', `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(96)}`] as const)
      assert.equal(answersOf(data, 1).ok, false, data)
  })
})
