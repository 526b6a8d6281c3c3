import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashTypedData } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import { tokens, uniswap } from '../../support/encode.ts'
import { STRANGER, WALLET } from '../decoders/flows.ts'
import { decodedMessage, refusedMessage, typedData } from './signed.ts'

const domain = { name: 'Permit2', chainId: 1, verifyingContract: uniswap.permit2 }
const details = { token: tokens.USDC, amount: '5', expiration: 1_900_000_000, nonce: '0' }
const DETAILS = 'address token,uint160 amount,uint48 expiration,uint48 nonce'
const SINGLE = {
  PermitSingle: 'PermitDetails details,address spender,uint256 sigDeadline',
  PermitDetails: DETAILS,
}
const TOKEN = 'address token,uint256 amount'
const own = 'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline'
const permitted = { token: tokens.USDC, amount: '0x5' }
const transfer = { permitted, spender: STRANGER, nonce: '7', deadline: '1900000000' }

const single = (change: object = {}, of: object = {}) =>
  typedData(
    'PermitSingle',
    SINGLE,
    { ...domain, ...of },
    { details, spender: STRANGER, sigDeadline: '1800000000', ...change },
  )

describe('signing a permit of Permit2', () => {
  test('gives the right that the permit gives', () => {
    const action = decodedMessage('permit2', single())
    const grant = { asset: toAddress(tokens.USDC), owner: WALLET, spender: STRANGER, amount: 5n, unlimited: false }
    assert.deepEqual(action.legs[0].grants, [{ ...grant, expiresAt: 1_900_000_000 }])
    assert.equal(action.legs[0].deadline, 1_800_000_000)
    assert.equal(action.target, toAddress(uniswap.permit2))
    const { types, ...rest } = single()
    assert.equal(action.digest, hashTypedData({ types, ...rest, domain } as never))
    const batch = typedData(
      'PermitBatch',
      { PermitBatch: 'PermitDetails[] details,address spender,uint256 sigDeadline', PermitDetails: DETAILS },
      domain,
      { details: [details, { ...details, token: tokens.WETH }], spender: STRANGER, sigDeadline: '1800000000' },
    )
    assert.equal(decodedMessage('permit2', batch).legs.length, 2)
  })

  test('of a transfer gives its amount to the spender until the deadline, with or without a witness', () => {
    const one = typedData('PermitTransferFrom', { PermitTransferFrom: own, TokenPermissions: TOKEN }, domain, transfer)
    assert.deepEqual(
      decodedMessage('permit2', one).legs[0].grants.map(({ amount, expiresAt }) => [amount, expiresAt]),
      [[5n, 1_900_000_000]],
    )
    const several = typedData(
      'PermitBatchTransferFrom',
      { PermitBatchTransferFrom: own.replace('TokenPermissions', 'TokenPermissions[]'), TokenPermissions: TOKEN },
      domain,
      { ...transfer, permitted: [permitted, permitted] },
    )
    assert.equal(decodedMessage('permit2', several).legs.length, 2)
    const structs = {
      PermitWitnessTransferFrom: `${own},Order witness`,
      TokenPermissions: TOKEN,
      Order: 'uint256 id,address maker',
    }
    const order = { id: '1', maker: STRANGER }
    const witness = typedData('PermitWitnessTransferFrom', structs, domain, { ...transfer, witness: order })
    assert.equal(decodedMessage('permit2', witness).legs[0].grants[0]?.amount, 5n)
    const { witness: _, ...without } = witness.message
    assert.match(refusedMessage('permit2', { ...witness, message: without }), /message\.witness/)
  })

  test('takes no witness that would take long to hash', () => {
    const of = (member: string, values: number) =>
      typedData(
        'PermitWitnessTransferFrom',
        { PermitWitnessTransferFrom: `${own},Order witness`, TokenPermissions: TOKEN, Order: `Order[] ${member}` },
        domain,
        { ...transfer, witness: { [member]: Array.from({ length: values }, () => ({ [member]: [] })) } },
      )
    assert.equal(decodedMessage('permit2', of('orders', 100)).legs.length, 1)
    assert.match(refusedMessage('permit2', of('orders', 200)), /larger than any/)
    assert.match(refusedMessage('permit2', of('o'.repeat(2_000), 1)), /larger than any/)
  })

  test('is of Permit2 on the action’s chain, and of no other domain', () => {
    assert.match(refusedMessage('permit2', single({}, { chainId: 8453 })), /another chain/)
    assert.match(refusedMessage('permit2', single({}, { verifyingContract: STRANGER })), /is not Permit2/)
    assert.match(refusedMessage('permit2', single({}, { name: 'Permit3' })), /not its own/)
    assert.match(refusedMessage('permit2', single({}, { version: '1' })), /not its own/)
    assert.match(refusedMessage('permit2', single({}, { salt: `0x${'00'.repeat(32)}` })), /domain\./)
    const { chainId: _, ...nowhere } = domain
    assert.match(refusedMessage('permit2', { ...single(), domain: nowhere }), /domain\.chainId/)
  })

  test('has exactly the types and members of Permit2', () => {
    const types = single().types
    const swapped = { ...types, PermitDetails: [...(types.PermitDetails ?? [])].reverse() }
    for (const wrong of [
      { ...types, Extra: [] },
      swapped,
      { PermitSingle: types.PermitSingle ?? [] },
      { ...types, PermitDetails: [{ name: 'token', type: 'address' }] },
      { ...types, EIP712Domain: [{ name: 'name', type: 'string' }] },
    ])
      assert.match(refusedMessage('permit2', { ...single(), types: wrong }), /types/)
    for (const [field, message] of [
      ['spender', { spender: '0x12' }],
      ['sigDeadline', { sigDeadline: '-1' }],
      ['sigDeadline', { sigDeadline: 1.5 }],
      ['details.amount', { details: { ...details, amount: (1n << 160n).toString() } }],
      ['details.token', { details: { ...details, token: null } }],
      ['', { extra: 1 }],
    ] as const)
      assert.match(refusedMessage('permit2', single(message)), new RegExp(`message\\.${field}`))
    assert.match(refusedMessage('permit2', { ...single(), primaryType: 'Permit' }), /not decoded/)
  })
})
