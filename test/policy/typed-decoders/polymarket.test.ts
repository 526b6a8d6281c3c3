import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashTypedData, keccak256, toBytes } from 'viem'
import { decodeProposed } from '../../../src/policy/decode-proposed.ts'
import { POLYMARKET_ORDER } from '../../../src/policy/polymarket-signing.ts'
import { ProposedTx } from '../../../src/schema/action.ts'
import { FRIEND, STRANGER, WALLET } from '../decoders/flows.ts'

const V2 = '0xe111180000d2663c0091e4f400237545b87b996b'
const V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'
const NEG_RISK = '0xe2222d279d744050d28e00520010520000310f59'
const ZERO = `0x${'0'.repeat(64)}`
const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'
/** A position of the second protocol: its reserved bits are zero. */
const POSITION = BigInt(`0x01${'ab'.repeat(16)}0001${'00'.repeat(8)}0089000100`).toString()
const order = {
  salt: '479249096354',
  maker: WALLET,
  signer: WALLET,
  tokenId: TOKEN,
  makerAmount: '52500000',
  takerAmount: '100000000',
  side: 0,
  signatureType: 0,
  timestamp: '1764000000000',
  metadata: ZERO,
  builder: ZERO,
}
const envelope = { protocol: 'polymarket', chainId: 137, exchange: V2, order, orderType: 'GTC', expiration: 0 }
const proposed = (change: object = {}, of: object = {}) =>
  ProposedTx.parse({ ...envelope, ...of, order: { ...order, ...change } })

function decoded(change: object = {}, of: object = {}) {
  const result = decodeProposed(proposed(change, of), WALLET)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}

function refusal(change: object, of: object = {}): string {
  const result = decodeProposed(proposed(change, of), WALLET)
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

describe('an order of Polymarket', () => {
  test('has its outcome, side, size, and the price that its amounts come to', () => {
    const { legs, target, digest } = decoded()
    assert.equal(target, V2)
    assert.deepEqual(legs[0].order, {
      market: TOKEN,
      side: 'buy',
      size: '100',
      price: '0.525',
      trigger: null,
      reduceOnly: false,
      timeInForce: 'GTC',
      cloid: digest,
      account: WALLET,
      feeTo: null,
    })
    const sale = decoded({ side: 1, makerAmount: '100000000', takerAmount: '52500000' }).legs[0].order
    assert.deepEqual([sale?.side, sale?.size, sale?.price], ['sell', '100', '0.525'])
    // A third of a dollar: rounded up for who pays, down for who gets.
    const third = { makerAmount: '1000000', takerAmount: '3000000' }
    assert.equal(decoded(third).legs[0].order?.price, '0.333334')
    const sold = { side: 1, makerAmount: '3000000', takerAmount: '1000000' }
    assert.equal(decoded(sold).legs[0].order?.price, '0.333333')
  })

  test('is hashed for its own exchange, in the published type', () => {
    const fields = POLYMARKET_ORDER.map(({ type, name }) => `${type} ${name}`).join(',')
    assert.equal(
      keccak256(toBytes(`Order(${fields})`)),
      '0xbb86318a2138f5fa8ae32fbe8e659f8fcf13cc6ae4014a707893055433818589',
    )
    const types = { Order: POLYMARKET_ORDER }
    for (const [exchange, version, tokenId] of [
      [V2, '2', TOKEN],
      [NEG_RISK, '2', TOKEN],
      [V3, '3', POSITION],
    ] as const) {
      const domain = { name: 'Polymarket CTF Exchange', version, chainId: 137, verifyingContract: exchange }
      const message = { ...order, tokenId }
      const expected = hashTypedData({ domain, types, primaryType: 'Order', message } as never)
      const action = decoded({ tokenId }, { exchange })
      assert.equal(action.digest, expected)
      assert.equal(action.legs[0].order?.cloid, expected)
    }
  })

  test('is for the exchange that trades its token', () => {
    assert.match(refusal({}, { exchange: V3 }), /not traded at an exchange of version 3/)
    assert.match(refusal({ tokenId: POSITION }), /not traded at an exchange of version 2/)
  })

  test('is the wallet’s, by its own key or for an account that it signs for', () => {
    const proxy = decoded({ maker: FRIEND, signatureType: 1 })
    assert.equal(proxy.legs[0].order?.account, FRIEND)
    assert.ok(proxy.touches.includes(FRIEND))
    assert.match(refusal({ maker: FRIEND }), /differ/)
    assert.match(refusal({ maker: FRIEND, signer: STRANGER, signatureType: 2 }), /neither maker nor signer/)
    const safe = decoded({ maker: WALLET, signer: FRIEND, signatureType: 2 })
    assert.equal(safe.legs[0].order?.account, WALLET)
  })

  test('of a deposit wallet is signed within that wallet’s own message, and known by its own hash', () => {
    const deposit = decoded({ maker: FRIEND, signer: FRIEND, signatureType: 3 })
    assert.equal(deposit.legs[0].order?.account, FRIEND)
    assert.notEqual(deposit.digest, deposit.legs[0].order?.cloid)
    assert.match(refusal({ maker: FRIEND, signatureType: 3 }), /differ/)
  })

  test('ends when it says, which no signature covers', () => {
    assert.equal(decoded({}, { orderType: 'GTD', expiration: 1_900_000_000 }).legs[0].deadline, 1_900_000_000)
    assert.match(refusal({}, { orderType: 'GTD' }), /expiration/)
    assert.match(refusal({}, { expiration: 5 }), /expiration/)
    assert.match(refusal({}, { orderType: 'IOC' }), /orderType/)
  })

  test('of version 1, of another exchange, of unknown fields or fees is refused', () => {
    assert.match(refusal({}, { exchange: '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e' }), /none of its exchanges/)
    assert.match(refusal({}, { chainId: 1 }), /chain 137/)
    assert.match(refusal({ taker: STRANGER, nonce: '0', feeRateBps: '0' }), /order/)
    assert.match(refusal({ builder: `0x${'0'.repeat(63)}1` }), /fee/)
    assert.match(refusal({ makerAmount: '0' }), /amount is 0/)
    assert.match(refusal({ makerAmount: '100000000' }), /not below 1/)
    assert.match(refusal({ side: 2 }), /order\.side: .*expected one of 0\|1/)
    assert.match(refusal({}, { extra: 1 }), /extra is not a known field/)
  })

  test('has one form: no other way to write it is read', () => {
    assert.match(refusal({ makerAmount: '052500000' }), /order\.makerAmount/)
    assert.match(refusal({ makerAmount: '0x3211ec0' }), /order\.makerAmount/)
    assert.match(refusal({ makerAmount: 52_500_000 }), /order\.makerAmount/)
    assert.match(refusal({ salt: '9007199254740993' }), /order\.salt/)
    assert.match(refusal({ maker: WALLET.toUpperCase().replace('0X', '0x') }), /order\.maker/)
    assert.match(refusal({}, { expiration: '0' }), /expiration/)
  })
})

describe('orders of Polymarket that are taken back', () => {
  const cancel = (ids: unknown) =>
    decodeProposed(ProposedTx.parse({ protocol: 'polymarket', chainId: 137, cancel: ids }), WALLET)

  test('are named by their hashes', () => {
    const read = cancel([`0x${'a'.repeat(64)}`])
    assert.ok(read.ok)
    assert.equal(read.value.legs[0].kind, 'cancel')
    assert.equal(read.value.digest, undefined)
    for (const wrong of [[], ['0xabc'], [`0x${'A'.repeat(64)}`], 'all', Array(101).fill(`0x${'a'.repeat(64)}`)])
      assert.ok(!cancel(wrong).ok, JSON.stringify(wrong).slice(0, 80))
  })
})
