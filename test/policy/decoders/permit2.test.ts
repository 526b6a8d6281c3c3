import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { maxUint160 } from 'viem'
import {
  permit2Approve,
  permit2InvalidateNonces,
  permit2Lockdown,
  permit2Permit,
  permit2Permits,
  permit2Transfer,
  permit2Transfers,
  tokens,
  uniswap,
} from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER, WALLET } from './flows.ts'

const { USDC, WETH } = tokens
const spender = uniswap.universalRouter20
const details = { token: USDC, amount: 5n, expiration: 1_900_000_000, nonce: 0 }
const signature = `0x${'ab'.repeat(65)}` as const

describe('Permit2', () => {
  test('an approval says who may spend what until when', () => {
    const approval = { token: USDC, spender, amount: 5n, expiration: 1_900_000_000 }
    assert.deepEqual(flowsOf(permit2Approve(approval)).grants, [
      'universalRouter20 may spend 5 USDC of wallet until 1900000000',
    ])
    assert.deepEqual(flowsOf(permit2Approve({ ...approval, amount: maxUint160 })).grants, [
      'universalRouter20 may spend unlimited USDC of wallet until 1900000000',
    ])
    assert.equal(decoded(permit2Approve({ ...approval, amount: 0n })).legs[0].kind, 'revoke')
  })

  test('a permit grants what its owner signed, and only the wallet’s own is decoded', () => {
    const permit = { details, spender, sigDeadline: 1_800_000_000n }
    const one = decoded(permit2Permit({ owner: WALLET, permit, signature }))
    assert.equal(one.legs[0].deadline, 1_800_000_000)
    assert.deepEqual(flowsOf(permit2Permit({ owner: WALLET, permit, signature })).grants, [
      'universalRouter20 may spend 5 USDC of wallet until 1900000000',
    ])
    const batch = { ...permit, details: [details, { ...details, token: WETH, amount: 7n }] }
    assert.deepEqual(flowsOf(permit2Permits({ owner: WALLET, permit: batch, signature })).grants, [
      'universalRouter20 may spend 5 USDC of wallet until 1900000000',
      'universalRouter20 may spend 7 WETH of wallet until 1900000000',
    ])
    assert.match(refusal(permit2Permit({ owner: STRANGER, permit, signature })), /not of the wallet/)
    assert.match(refusal(permit2Permits({ owner: STRANGER, permit: batch, signature })), /not of the wallet/)
    assert.match(refusal(permit2Permits({ owner: WALLET, permit: { ...batch, details: [] }, signature })), /empty/)
  })

  test('a transfer names whose tokens leave', () => {
    const transfer = { from: STRANGER, to: FRIEND, amount: 5n, token: USDC }
    const { spends, receives } = flowsOf(permit2Transfer(transfer))
    assert.deepEqual([spends, receives], [['= 5 USDC of stranger'], ['= 5 USDC to friend']])
    const two = flowsOf(permit2Transfers({ transfers: [transfer, { ...transfer, from: WALLET, token: WETH }] }))
    assert.deepEqual(two.spends, ['= 5 USDC of stranger', '= 5 WETH of wallet'])
    assert.match(refusal(permit2Transfers({ transfers: [] })), /empty/)
  })

  test('a lockdown revokes; voiding nonces does not, and is not passed off as it', () => {
    const pairs = [
      { token: USDC, spender: STRANGER },
      { token: WETH, spender },
    ]
    const { legs } = decoded(permit2Lockdown({ pairs }))
    assert.deepEqual(
      legs.map(({ kind }) => kind),
      ['revoke', 'revoke'],
    )
    assert.match(refusal(permit2InvalidateNonces({ token: USDC, spender: STRANGER, nonce: 5 })), /lockdown/)
  })

  test('takes no native value', () => {
    assert.match(refusal({ ...permit2Lockdown({ pairs: [] }), value: '0x1' }), /"value" must be 0/)
  })
})
