import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { maxUint256 } from 'viem'
import {
  erc20Approve,
  erc20DecreaseAllowance,
  erc20IncreaseAllowance,
  erc20Transfer,
  erc20TransferFrom,
  tokens,
} from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER, WALLET } from './flows.ts'

const token = tokens.USDC

describe('ERC-20', () => {
  test('a transfer, of one’s own or another’s tokens', () => {
    const own = flowsOf(erc20Transfer({ token, to: FRIEND, amount: 5n }))
    assert.deepEqual([own.spends, own.receives], [['= 5 USDC of wallet'], ['= 5 USDC to friend']])
    const other = flowsOf(erc20TransferFrom({ token, from: STRANGER, to: WALLET, amount: 5n }))
    assert.deepEqual([other.spends, other.receives], [['= 5 USDC of stranger'], ['= 5 USDC to wallet']])
  })

  test('an approval, and what an increase adds to it', () => {
    assert.deepEqual(flowsOf(erc20Approve({ token, spender: STRANGER, amount: 5n })).grants, [
      'stranger may spend 5 USDC of wallet until ever',
    ])
    assert.deepEqual(flowsOf(erc20Approve({ token, spender: STRANGER, amount: maxUint256 })).grants, [
      'stranger may spend unlimited USDC of wallet until ever',
    ])
    assert.equal(decoded(erc20Approve({ token, spender: STRANGER, amount: 0n })).legs[0].kind, 'revoke')
    assert.deepEqual(flowsOf(erc20IncreaseAllowance({ token, spender: STRANGER, amount: 7n })).grants, [
      'stranger may spend 7 USDC of wallet until ever',
    ])
    assert.match(refusal(erc20IncreaseAllowance({ token, spender: STRANGER, amount: 0n })), /adds nothing/)
  })

  test('a decrease says nothing of the right that remains, and is not passed off as a revocation', () => {
    assert.match(refusal(erc20DecreaseAllowance({ token, spender: STRANGER, amount: 1n })), /"approve"/)
  })

  test('no native value, no trailing bytes, no other function, nothing of the wallet itself', () => {
    const transfer = erc20Transfer({ token, to: FRIEND, amount: 5n })
    assert.match(refusal({ ...transfer, value: '0x1' }), /"value" must be 0/)
    assert.match(refusal({ ...transfer, data: `${transfer.data}00` }), /followed by 1 bytes/)
    assert.match(refusal({ ...transfer, data: '0x40c10f19' }), /no contract that countersign knows/)
    assert.match(refusal({ ...transfer, data: '0x1234' }), /no contract that countersign knows/)
    assert.match(refusal({ ...transfer, to: WALLET }), /call of the wallet to itself/)
  })
})
