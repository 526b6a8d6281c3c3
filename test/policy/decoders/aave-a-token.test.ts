import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { erc20Approve, erc20Transfer, erc20TransferFrom } from '../../support/encode.ts'
import { aave } from '../../support/encode-lending.ts'
import { decoded, FRIEND, refusal, STRANGER, WALLET } from './flows.ts'
import { lendingOf } from './lending-flows.ts'

const at = <T>(tx: T) => ({ ...tx, protocol: 'aave' })
const token = aave.aUSDC

describe('Aave aToken', () => {
  test('what is sent is a deposit: out of one account of the pool, into another', () => {
    const sent = lendingOf(at(erc20Transfer({ token, to: FRIEND, amount: 5n })))
    assert.deepEqual([sent.kinds, sent.spends, sent.receives], [['transfer'], [], []])
    assert.deepEqual(sent.positions, ['supply -5 USDC of wallet at pool', 'supply +5 USDC of friend at pool'])
    const collected = lendingOf(at(erc20TransferFrom({ token, from: STRANGER, to: WALLET, amount: 5n })))
    assert.deepEqual(collected.positions, ['supply -5 USDC of stranger at pool', 'supply +5 USDC of wallet at pool'])
    assert.match(refusal(at(erc20Transfer({ token, to: FRIEND, amount: 0n }))), /the amount is 0/)
  })

  test('who may spend it is as with any token', () => {
    const { legs } = decoded(at(erc20Approve({ token, spender: aave.gateway, amount: 5n })))
    assert.deepEqual([legs[0].kind, legs[0].grants[0]?.asset], ['approve', token.toLowerCase()])
  })

  test('takes no native value and no bytes behind its arguments', () => {
    const call = at(erc20Transfer({ token, to: FRIEND, amount: 5n }))
    assert.match(refusal({ ...call, value: '0x1' }), /"value" must be 0/)
    assert.match(refusal({ ...call, data: `${call.data}00` }), /followed by 1 bytes/)
  })
})
