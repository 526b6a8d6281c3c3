import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  erc20Approve,
  erc20DecreaseAllowance,
  erc20IncreaseAllowance,
  erc20Transfer,
  erc20TransferFrom,
  tokens,
  wethDeposit,
  wethReceive,
  wethWithdraw,
} from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER } from './flows.ts'

const token = tokens.WETH

describe('wrapped native coin', () => {
  test('wraps by its function and by plain value, and unwraps', () => {
    for (const tx of [wethDeposit({ amount: 5n }), wethReceive({ amount: 5n })]) {
      assert.equal(decoded(tx).legs[0].kind, 'wrap')
      const { spends, receives } = flowsOf(tx)
      assert.deepEqual([spends, receives], [['= 5 ETH of wallet'], ['= 5 WETH to wallet']])
    }
    const { spends, receives } = flowsOf(wethWithdraw({ amount: 5n }))
    assert.deepEqual([spends, receives], [['= 5 WETH of wallet'], ['= 5 ETH to wallet']])
    assert.equal(decoded(wethWithdraw({ amount: 5n })).legs[0].kind, 'unwrap')
  })

  test('is a token too', () => {
    assert.deepEqual(flowsOf(erc20Transfer({ token, to: FRIEND, amount: 5n })).receives, ['= 5 WETH to friend'])
    const from = flowsOf(erc20TransferFrom({ token, from: STRANGER, to: FRIEND, amount: 5n }))
    assert.deepEqual(from.spends, ['= 5 WETH of stranger'])
    assert.deepEqual(flowsOf(erc20Approve({ token, spender: STRANGER, amount: 5n })).grants, [
      'stranger may spend 5 WETH of wallet until ever',
    ])
  })

  test('functions that it does not have would deposit: refused, with value or without', () => {
    const increase = erc20IncreaseAllowance({ token, spender: STRANGER, amount: 5n })
    assert.match(refusal(increase), /not decoded/)
    assert.match(refusal({ ...increase, value: '0x5' }), /not decoded/)
    assert.match(refusal(erc20DecreaseAllowance({ token, spender: STRANGER, amount: 5n })), /not decoded/)
    assert.match(refusal({ ...increase, data: '0xd505accf' }), /not decoded/)
    assert.match(refusal({ ...increase, data: '0xd0' }), /no function is called/)
  })

  test('only a deposit takes value', () => {
    const paid = [wethWithdraw({ amount: 5n }), erc20Transfer({ token, to: FRIEND, amount: 5n })]
    for (const tx of paid) assert.match(refusal({ ...tx, value: '0x1' }), /takes no native value/)
  })

  test('trailing bytes are counted, up to 512', () => {
    const tx = wethWithdraw({ amount: 5n })
    assert.equal(decoded({ ...tx, data: `${tx.data}${'ab'.repeat(512)}` }).trailingBytes, 512)
    assert.match(refusal({ ...tx, data: `${tx.data}${'ab'.repeat(513)}` }), /513 bytes/)
  })
})
