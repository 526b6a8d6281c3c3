import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeFunctionData, type Hex, maxUint160, parseAbi } from 'viem'
import {
  type Encoded,
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

const ABI = parseAbi([
  'function invalidateUnorderedNonces(uint256,uint256)',
  'function permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)',
  'function permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes32,string,bytes)',
])
const BATCH = parseAbi([
  'function permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)',
])
const BATCH_WITNESS = parseAbi([
  'function permitWitnessTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes32,string,bytes)',
])
const at = (data: Hex): Encoded => ({
  to: uniswap.permit2,
  data,
  value: '0x0',
  protocol: 'permit2',
  description: data.slice(0, 10),
})
const WORD: Hex = `0x${'11'.repeat(32)}`
const TYPE = 'Order witness)Order(uint256 id)TokenPermissions(address token,uint256 amount)'

describe('transfers that their owner signed', () => {
  const one = (asked: bigint) =>
    at(
      encodeFunctionData({
        abi: ABI,
        functionName: 'permitTransferFrom',
        args: [[[USDC, 5n], 0n, 1_900_000_000n], [FRIEND, asked], WALLET, signature],
      }),
    )

  test('are transfers of what is asked for, of no more than was signed, until the deadline', () => {
    assert.equal(one(4n).data.slice(0, 10), '0x30f28b7a')
    assert.deepEqual(flowsOf(one(4n)).receives, ['= 4 USDC to friend'])
    assert.deepEqual(flowsOf(one(4n)).spends, ['= 4 USDC of wallet'])
    assert.equal(decoded(one(4n)).legs[0].deadline, 1_900_000_000)
    assert.match(refusal(one(6n)), /more is asked for/)
  })

  test('in a batch, and with a witness', () => {
    const permitted = [
      [
        [USDC, 5n],
        [WETH, 6n],
      ],
      0n,
      1_900_000_000n,
    ] as const
    const wanted = [
      [FRIEND, 5n],
      [STRANGER, 6n],
    ] as const
    const both = ['= 5 USDC to friend', '= 6 WETH to stranger']
    const batch = at(encodeFunctionData({ abi: BATCH, args: [permitted, wanted, STRANGER, signature] }))
    assert.deepEqual(flowsOf(batch).receives, both)
    assert.deepEqual(flowsOf(batch).spends, ['= 5 USDC of stranger', '= 6 WETH of stranger'])
    const args = [permitted, wanted, STRANGER, WORD, TYPE, signature] as const
    assert.deepEqual(flowsOf(at(encodeFunctionData({ abi: BATCH_WITNESS, args }))).receives, both)
    const witness = encodeFunctionData({
      abi: ABI,
      functionName: 'permitWitnessTransferFrom',
      args: [[[USDC, 5n], 0n, 9n], [FRIEND, 5n], WALLET, WORD, TYPE, signature],
    })
    assert.equal(witness.slice(0, 10), '0x137c29fe')
    assert.deepEqual(flowsOf(at(witness)).receives, ['= 5 USDC to friend'])
    const fewer = at(encodeFunctionData({ abi: BATCH, args: [permitted, wanted.slice(1), STRANGER, signature] }))
    assert.match(refusal(fewer), /as many transfers/)
    const none = at(encodeFunctionData({ abi: BATCH, args: [[[], 0n, 9n], [], STRANGER, signature] }))
    assert.match(refusal(none), /empty/)
  })

  test('are voided without giving anything away', () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'invalidateUnorderedNonces', args: [0n, 1n] })
    const [leg] = decoded(at(data)).legs
    assert.deepEqual([leg.kind, leg.spends, leg.receives, leg.grants], ['configure', [], [], []])
  })
})
