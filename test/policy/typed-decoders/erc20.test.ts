import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toAddress } from '../../../src/lib/address.ts'
import { tokens, uniswap } from '../../support/encode.ts'
import { FRIEND, STRANGER, WALLET } from '../decoders/flows.ts'
import { decodedMessage, refusedMessage, typedData } from './signed.ts'

const domain = { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: tokens.USDC }
const asset = toAddress(tokens.USDC)
const PERMIT = { Permit: 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline' }
const permit = (change: object = {}, of: object = {}) =>
  typedData(
    'Permit',
    PERMIT,
    { ...domain, ...of },
    {
      owner: WALLET,
      spender: STRANGER,
      value: '5',
      nonce: '0',
      deadline: '1900000000',
      ...change,
    },
  )
const AUTHORIZATION = 'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce'
const authorized = (name: string, change: object = {}) =>
  typedData(name, { [name]: AUTHORIZATION }, domain, {
    from: WALLET,
    to: FRIEND,
    value: '5',
    validAfter: '0',
    validBefore: '1900000000',
    nonce: `0x${'11'.repeat(32)}`,
    ...change,
  })

describe('signing for a token', () => {
  test('a permit gives a right to spend, in either form', () => {
    const { legs, target } = decodedMessage('erc20', permit())
    const grant = { asset, owner: WALLET, spender: STRANGER, amount: 5n, unlimited: false, expiresAt: null }
    assert.deepEqual([legs[0].grants, legs[0].deadline, target], [[grant], 1_900_000_000, asset])
    const dai = typedData(
      'Permit',
      { Permit: 'address holder,address spender,uint256 nonce,uint256 expiry,bool allowed' },
      { name: 'Dai Stablecoin', version: '1', chainId: 1, verifyingContract: tokens.DAI },
      { holder: WALLET, spender: STRANGER, nonce: '0', expiry: '0', allowed: true },
    )
    assert.deepEqual(
      decodedMessage('erc20', dai).legs[0].grants.map(({ unlimited }) => unlimited),
      [true],
    )
  })

  test('an authorization is a transfer, whoever sends it', () => {
    for (const name of ['TransferWithAuthorization', 'ReceiveWithAuthorization']) {
      const [leg] = decodedMessage('erc20', authorized(name)).legs
      assert.deepEqual(leg.spends, [{ asset, amount: 5n, bound: 'exact', party: WALLET }])
      assert.deepEqual(leg.receives, [{ asset, amount: 5n, bound: 'exact', party: FRIEND }])
      assert.match(refusedMessage('erc20', authorized(name, { from: STRANGER })), /not of the wallet/)
      assert.match(refusedMessage('erc20', authorized(name, { nonce: '0x12' })), /message\.nonce/)
    }
    const cancel = typedData(
      'CancelAuthorization',
      { CancelAuthorization: 'address authorizer,bytes32 nonce' },
      domain,
      {
        authorizer: WALLET,
        nonce: `0x${'11'.repeat(32)}`,
      },
    )
    assert.equal(decodedMessage('erc20', cancel).legs[0].kind, 'configure')
  })

  test('is the wallet’s, on the action’s chain, at a token', () => {
    assert.match(refusedMessage('erc20', permit({ owner: STRANGER })), /not of the wallet/)
    assert.match(refusedMessage('erc20', permit({}, { chainId: 137 })), /another chain/)
    assert.match(refusedMessage('erc20', permit({}, { verifyingContract: uniswap.permit2 })), /permit2/)
    assert.match(refusedMessage('erc20', permit({ extra: 1 })), /message\./)
    assert.match(refusedMessage('erc20', { ...permit(), primaryType: 'Order' }), /not decoded/)
  })
})
