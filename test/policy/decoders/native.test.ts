import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refuse } from '../../../src/lib/result.ts'
import { native } from '../../../src/policy/decoders/native.ts'
import { nativeTransfer } from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, WALLET } from './flows.ts'

describe('native coin', () => {
  test('a transfer leaves the wallet and arrives whole', () => {
    const tx = nativeTransfer({ to: FRIEND, amount: 7n })
    assert.deepEqual(flowsOf(tx), { spends: ['= 7 ETH of wallet'], receives: ['= 7 ETH to friend'], grants: [] })
    const { protocol, selector, legs } = decoded(tx)
    assert.deepEqual([protocol, selector, legs.length, legs[0].kind], ['native', null, 1, 'transfer'])
  })

  test('to oneself, and of nothing', () => {
    assert.deepEqual(flowsOf(nativeTransfer({ to: WALLET, amount: 0n })).receives, ['= 0 ETH to wallet'])
  })

  test('no calldata goes with it', () => {
    const call = { chainId: 1, wallet: WALLET, to: FRIEND, value: 1n, data: '0x00' } as const
    assert.ok(!native.decode(call, undefined, () => refuse('nothing is nested')).ok)
    assert.match(refusal({ ...nativeTransfer({ to: FRIEND, amount: 1n }), data: '0x00' }), /no contract/)
  })
})
