import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeFunctionData, type Hex, maxUint256, parseAbi, toFunctionSelector } from 'viem'
import type { Encoded } from '../../support/encode.ts'
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

const ABI = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function setApprovalForAll(address operator, bool approved)',
])
const DAI = parseAbi([
  'function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
])
const WORD: Hex = `0x${'11'.repeat(32)}`
const signed = [27, WORD, WORD] as const
const at = (data: Hex): Encoded => ({
  to: token,
  data,
  value: '0x0',
  protocol: 'erc20',
  description: data.slice(0, 10),
})

describe('signatures of a token’s owner', () => {
  const permit = (owner: typeof WALLET) =>
    at(encodeFunctionData({ abi: ABI, functionName: 'permit', args: [owner, STRANGER, 5n, 1_900_000_000n, ...signed] }))
  const dai = (expiry: bigint, allowed: boolean) =>
    at(encodeFunctionData({ abi: DAI, args: [WALLET, STRANGER, 0n, expiry, allowed, ...signed] }))
  const authorized = (name: 'transferWithAuthorization' | 'receiveWithAuthorization', from: Hex, to: Hex) =>
    at(
      encodeFunctionData({
        abi: ABI,
        functionName: name,
        args: [from, to, 5n, 0n, 1_900_000_000n, WORD, ...signed],
      }),
    )

  test('a permit gives a right to spend, in either form', () => {
    assert.equal(permit(WALLET).data.slice(0, 10), '0xd505accf')
    assert.deepEqual(flowsOf(permit(WALLET)).grants, ['stranger may spend 5 USDC of wallet until ever'])
    assert.equal(decoded(permit(WALLET)).legs[0].deadline, 1_900_000_000)
    assert.match(refusal(permit(STRANGER)), /not of the wallet/)
    assert.equal(dai(0n, true).data.slice(0, 10), '0x8fcbaf0c')
    assert.deepEqual(flowsOf(dai(0n, true)).grants, ['stranger may spend unlimited USDC of wallet until ever'])
    assert.equal(decoded(dai(0n, true)).legs[0].deadline, null)
    assert.equal(decoded(dai(9n, false)).legs[0].kind, 'revoke')
  })

  test('an authorization transfers, the wallet’s tokens or another’s', () => {
    const own = authorized('transferWithAuthorization', WALLET, FRIEND)
    assert.equal(own.data.slice(0, 10), '0xe3ee160e')
    assert.deepEqual([flowsOf(own).spends, flowsOf(own).receives], [['= 5 USDC of wallet'], ['= 5 USDC to friend']])
    assert.equal(decoded(own).legs[0].deadline, 1_900_000_000)
    const other = authorized('receiveWithAuthorization', STRANGER, WALLET)
    assert.equal(other.data.slice(0, 10), '0xef55bec6')
    assert.deepEqual(flowsOf(other).receives, ['= 5 USDC to wallet'])
    assert.match(refusal(authorized('receiveWithAuthorization', WALLET, FRIEND)), /only .* itself can receive/)
    const cancel = encodeFunctionData({
      abi: ABI,
      functionName: 'cancelAuthorization',
      args: [WALLET, WORD, ...signed],
    })
    assert.equal(decoded(at(cancel)).legs[0].kind, 'configure')
  })

  test('an operator of everything is control, not an amount', () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'setApprovalForAll', args: [STRANGER, true] })
    assert.deepEqual(decoded(at(data)).legs[0].controls, [{ owner: WALLET, operator: STRANGER, granted: true }])
    assert.equal(decoded(at(data)).legs[0].kind, 'authorize')
  })

  test('what other kinds of tokens do is refused in words', () => {
    const words: readonly (readonly [string, RegExp])[] = [
      ['transferAndCall(address,uint256,bytes)', /code of the receiver/],
      ['send(address,uint256,bytes)', /code of the receiver/],
      ['authorizeOperator(address)', /ERC-777/],
      ['operatorSend(address,address,uint256,bytes,bytes)', /ERC-777/],
      ['safeTransferFrom(address,address,uint256)', /no price/],
      ['safeTransferFrom(address,address,uint256,bytes)', /no price/],
      ['safeTransferFrom(address,address,uint256,uint256,bytes)', /no price/],
      ['safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', /no price/],
    ]
    for (const [signature, reason] of words) assert.match(refusal(at(toFunctionSelector(signature))), reason, signature)
  })
})
