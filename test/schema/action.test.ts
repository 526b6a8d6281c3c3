import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { EvmTx, isEvmTx, ProposedTx, SubmitRequest } from '../../src/schema/action.ts'
import { swap, WALLET } from '../support/actions.ts'

const tx = swap()
const request = { escrowAddress: WALLET, prompt: 'Swap.', proposedTx: tx }
const MAX = (1n << 256n) - 1n

describe('a proposed action', () => {
  it('is kept exactly as it was written', () => {
    const written = {
      ...tx,
      to: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
      value: '0x00',
      data: tx.data.toUpperCase().replace('0X', '0x'),
    }
    assert.deepEqual(ProposedTx.parse(written), written)
    const order = { protocol: 'hyperliquid', chainId: 999, action: { type: 'order', orders: [{ a: 0 }] }, nonce: 1 }
    assert.deepEqual(ProposedTx.parse(order), order)
    assert.deepEqual([isEvmTx(ProposedTx.parse(written)), isEvmTx(ProposedTx.parse(order))], [true, false])
  })

  it('has a value from nothing to 2^256 - 1, in hex or decimal', () => {
    for (const value of [
      '0',
      '0x0',
      '0x00',
      `0x${'0'.repeat(60)}1`,
      MAX.toString(),
      `0x${MAX.toString(16)}`,
      '1000000000000000000',
    ])
      assert.ok(EvmTx.safeParse({ ...tx, value }).success, value)
    for (const value of [
      '',
      '0x',
      '-1',
      '1.5',
      '1e18',
      '0xg',
      ' 1',
      '1 ',
      (MAX + 1n).toString(),
      `0x1${'0'.repeat(64)}`,
      1,
      null,
      undefined,
    ])
      assert.equal(EvmTx.safeParse({ ...tx, value }).success, false, String(value))
  })

  it('names what is wrong with any other field', () => {
    const wrong: readonly (readonly [string, object])[] = [
      ['to', { to: '0x12' }],
      ['to', { to: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49' }],
      ['to', { to: null }],
      ['data', { data: '0x1' }],
      ['data', { data: 'deadbeef' }],
      ['chainId', { chainId: '1' }],
      ['chainId', { chainId: 0 }],
      ['chainId', { chainId: 1.5 }],
      ['chainId', { chainId: 2 ** 53 }],
      ['protocol', { protocol: '' }],
      ['protocol', { protocol: 'x'.repeat(65) }],
      ['nonce', { nonce: -1 }],
    ]
    for (const [path, change] of wrong) {
      const { error } = EvmTx.safeParse({ ...tx, ...change })
      assert.deepEqual(
        error?.issues.map((issue) => issue.path[0]),
        [path],
        JSON.stringify(change),
      )
    }
    for (const field of ['to', 'data', 'value', 'chainId', 'protocol'] as const) {
      const { [field]: _, ...rest } = tx
      assert.equal(ProposedTx.safeParse(rest).success, false, field)
    }
    for (const extra of [{ gas: '0x5208' }, { from: WALLET }, { accessList: [] }, { authorizationList: [] }])
      assert.equal(ProposedTx.safeParse({ ...tx, ...extra }).success, false, JSON.stringify(extra))
  })

  it('is read without a throw, whatever it is', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      assert.equal(typeof ProposedTx.safeParse(value).success, 'boolean')
      assert.equal(typeof ProposedTx.safeParse({ ...tx, value }).success, 'boolean')
    })
    fc.assert(property, { seed: 8, numRuns: 300 })
  })
})

describe('a submission', () => {
  it('needs a wallet, a prompt and an action', () => {
    assert.deepEqual(SubmitRequest.parse(request), request)
    for (const field of ['escrowAddress', 'prompt', 'proposedTx'] as const) {
      const { [field]: _, ...rest } = request
      assert.deepEqual(
        SubmitRequest.safeParse(rest).error?.issues.map(({ path }) => path[0]),
        [field],
      )
    }
  })

  it('takes free forms beside it, and no other field', () => {
    const more = { metadata: { a: [{ b: null }] }, contextLogs: {}, executionSignature: '0x', arbiter: 'policy' }
    assert.ok(SubmitRequest.safeParse({ ...request, ...more }).success)
    for (const change of [
      { prompt: '' },
      { prompt: 'a\0b' },
      { prompt: '\ud800' },
      { metadata: [] },
      { metadata: 'x' },
      { arbiter: 'human' },
      { encrypted: 'x' },
    ])
      assert.equal(SubmitRequest.safeParse({ ...request, ...change }).success, false, JSON.stringify(change))
  })
})
