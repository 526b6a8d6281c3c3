// Orders that are signed and settled by others: one suite over all venues of them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TypedDataEncoder } from 'ethers'
import { keccak256, toBytes } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import { decodeProposed } from '../../../src/policy/decode-proposed.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import { ProposedTx } from '../../../src/schema/action.ts'
import { ORDER_PROTOCOLS, type OrderVector, orderVectors, replacedAt } from '../../support/signed-orders.ts'
import { FRIEND, STRANGER, WALLET } from '../decoders/flows.ts'

const ZERO = '0x0000000000000000000000000000000000000000'
const WITH_ORDERS = ORDER_PROTOCOLS.map((protocol) => ({
  protocol,
  vectors: orderVectors(protocol),
  orders: orderVectors(protocol).filter(({ proposed }) => proposed.typedData.primaryType !== 'OrderCancellations'),
}))

function decoded(proposed: unknown): DecodedAction {
  const result = decodeProposed(ProposedTx.parse(proposed), WALLET)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}

function refusal(proposed: unknown): string {
  const result = decodeProposed(ProposedTx.parse(proposed), WALLET)
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

/** An order with other values at paths of its message: `{'witness.info.nonce': '5'}`. */
function changed({ proposed }: OrderVector, change: Readonly<Record<string, unknown>>): OrderVector['proposed'] {
  return Object.entries(change).reduce(
    (all, [path, value]) => replacedAt(all, ['typedData', 'message', ...path.split('.')], value),
    proposed,
  )
}

function firstOf<T>(list: readonly T[]): T {
  const [first] = list
  assert.ok(first !== undefined)
  return first
}

for (const { protocol, vectors, orders } of WITH_ORDERS)
  describe(`an order of ${protocol}`, () => {
    test('has the digest that the venue’s own package gives it, and that an independent encoder gives', () => {
      for (const { proposed, digest } of vectors) {
        const { domain, types, message } = proposed.typedData
        assert.equal(decoded(proposed).digest, digest)
        assert.equal(TypedDataEncoder.hash(domain as object, types as never, message), digest)
      }
    })

    test('is a swap: at most what it sells for at least what it buys, until its end', () => {
      for (const { proposed } of orders) {
        const { legs, protocol: venue, chainId, selector } = decoded(proposed)
        assert.equal(legs.length, 1)
        const { kind, spends, receives, grants, deadline } = legs[0]
        assert.deepEqual([kind, venue, chainId, selector, grants.length], ['swap', protocol, proposed.chainId, null, 0])
        assert.ok(deadline !== null && deadline >= 1_800_000_000 && deadline < 2_800_000_000)
        assert.equal(spends.length, 1)
        assert.deepEqual([spends[0]?.party, spends[0]?.bound], [WALLET, 'max'])
        for (const { bound, party } of receives) assert.ok(bound === 'min' && (party === WALLET || party === FRIEND))
      }
    })

    test('is of the known contract on the action’s chain, in exactly the known types', () => {
      const { proposed } = firstOf(orders)
      const { typedData } = proposed
      const domain = (change: object) => ({ ...proposed, typedData: { ...typedData, domain: change } })
      const own = typedData.domain
      assert.match(refusal({ ...proposed, chainId: 10 }), /not known|no reactor/)
      assert.match(refusal(domain({ ...own, chainId: 10 })), /another chain/)
      assert.match(refusal(domain({ ...own, verifyingContract: STRANGER })), /contract must be/)
      assert.match(refusal(domain({ ...own, name: 'Another' })), /name must be/)
      assert.match(refusal(domain({ ...own, version: '9' })), /version/)
      assert.match(refusal(domain({ ...own, salt: `0x${'00'.repeat(32)}` })), /domain\./)
      const { chainId: _, ...nowhere } = own
      assert.match(refusal(domain(nowhere)), /domain\.chainId/)
      for (const types of [
        { ...typedData.types, Extra: [] },
        Object.fromEntries(Object.entries(typedData.types).map(([name, members]) => [name, [...members].reverse()])),
        Object.fromEntries(Object.entries(typedData.types).map(([name, members]) => [name, members.slice(1)])),
      ])
        assert.match(refusal({ ...proposed, typedData: { ...typedData, types } }), /types|not decoded/)
      assert.match(refusal({ ...proposed, typedData: { ...typedData, primaryType: 'Permit' } }), /not decoded/)
      const extra = { ...typedData, message: { ...typedData.message, extra: '1' } }
      assert.match(refusal({ ...proposed, typedData: extra }), /message\./)
      const loud = `0x${(own['verifyingContract'] as string).slice(2).toUpperCase()}`
      assert.match(refusal(domain({ ...own, verifyingContract: loud })), /lower case or have their checksum/)
      if (protocol !== 'cow') assert.match(refusal({ ...proposed, appData: '{}' }), /CoW Protocol alone/)
    })
  })

describe('CoW Protocol', () => {
  const { orders, vectors } = WITH_ORDERS[0] ?? assert.fail()
  const plain = orders.find(({ proposed }) => proposed.appData === undefined) ?? assert.fail()
  const flows = (change: object) => {
    const { spends, receives, deadline } = decoded(changed(plain, { ...change })).legs[0]
    return { sold: spends[0]?.amount, bought: receives[0], deadline }
  }
  const ofDocument = (document: string) => ({
    ...changed(plain, { appData: keccak256(toBytes(document)) }),
    appData: document,
  })

  test('has the published type', () => {
    const fields = plain.proposed.typedData.types['Order']?.map(({ type, name }) => `${type} ${name}`).join(',')
    const published = '0xd5a25ba2e97094ad7d83dc28a6572da797d6b3e7fc6663bd93efb789fc17e489'
    assert.equal(keccak256(toBytes(`Order(${fields})`)), published)
  })

  test('pays its fee beside what it sells, to the owner where no receiver is named', () => {
    const terms = { sellAmount: '1000', feeAmount: '7', buyAmount: '500', receiver: ZERO, validTo: 1_900_000_000 }
    const { sold, bought, deadline } = flows(terms)
    assert.deepEqual([sold, bought?.amount, bought?.party, deadline], [1_007n, 500n, WALLET, 1_900_000_000])
    assert.equal(flows({ receiver: STRANGER }).bought?.party, STRANGER)
    const coin = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
    assert.equal(flows({ buyToken: coin }).bought?.asset, 'native')
    assert.match(refusal(changed(plain, { sellToken: coin })), /must be a token/)
    assert.match(refusal(changed(plain, { sellAmount: '0', feeAmount: '0' })), /sells nothing/)
    assert.match(refusal(changed(plain, { validTo: 2 ** 32 - 1 })), /never ends/)
    assert.match(refusal(changed(plain, { validTo: 2 ** 32 })), /validTo/)
    assert.match(refusal(changed(plain, { kind: 'swap' })), /kind/)
    assert.match(refusal(changed(plain, { sellTokenBalance: 'internal' })), /erc20/)
    assert.match(refusal(changed(plain, { buyTokenBalance: 'internal' })), /erc20/)
  })

  test('hides nothing behind the hash of its document', () => {
    const { proposed } = plain
    assert.match(refusal(changed(plain, { appData: keccak256(toBytes('{"metadata":{}}')) })), /must be given/)
    assert.match(refusal({ ...proposed, appData: '{"a":1}' }), /not the document/)
    assert.ok(decoded(ofDocument('{"appCode":"a","metadata":{"quote":{"slippageBips":"50"}},"version":"1.0.0"}')))
    for (const hidden of [
      '{"metadata":{"hooks":{"pre":[{"target":"0x00","callData":"0x","gasLimit":"1"}]}}}',
      '{"metadata":{"partnerFee":{"volumeBps":100,"recipient":"0x00"}}}',
      '{"metadata":{"flashloan":{}}}',
      '{"metadata":{"wrappers":[]}}',
      '{"metadata":{"bridging":{}}}',
      '{"hooks":{}}',
      '[]',
      'null',
      'not JSON',
    ])
      assert.match(refusal(ofDocument(hidden)), /appData/, hidden)
    assert.match(refusal(ofDocument('{"metadata":{"hooks":{}},"metadata":{}}')), /one form/)
    assert.match(refusal(ofDocument('{ "metadata": {} }')), /one form/)
  })

  test('takes back the wallet’s own orders, and nobody else’s', () => {
    const cancelling = vectors.find(({ proposed }) => proposed.typedData.primaryType === 'OrderCancellations')
    assert.ok(cancelling)
    const { legs } = decoded(cancelling.proposed)
    assert.deepEqual([legs.length, legs[0].kind, legs[0].spends.length], [1, 'cancel', 0])
    const foreign = `0x${'11'.repeat(32)}${STRANGER.slice(2)}6b49d200`
    assert.match(refusal(changed(cancelling, { 'orderUids.0': foreign })), /not the wallet’s/)
    assert.match(refusal(changed(cancelling, { orderUids: [] })), /orderUids/)
    assert.match(refusal(changed(cancelling, { 'orderUids.0': '0x12' })), /56 bytes/)
    assert.match(refusal({ ...cancelling.proposed, appData: '{}' }), /orders alone/)
  })
})

describe('limit orders of 1inch', () => {
  const { orders } = WITH_ORDERS[2] ?? assert.fail()
  const mainnet = orders.find(({ proposed }) => proposed.chainId === 1) ?? assert.fail()
  const until = (seconds: bigint) => (seconds << 80n).toString()
  const plain = { makerTraits: until(1_900_000_000n), receiver: ZERO }
  const withFlag = (bit: bigint) => ({ ...plain, makerTraits: (BigInt(plain.makerTraits) | (1n << bit)).toString() })

  test('end when their traits say, and go to the maker where no receiver is named', () => {
    const { legs, target } = decoded(changed(mainnet, { ...plain, makingAmount: '12', takingAmount: '34' }))
    assert.equal(target, '0x111111125421ca6dc452d289314280a0f8842a65')
    assert.equal(legs[0].deadline, 1_900_000_000)
    const [sold, bought] = [legs[0].spends[0], legs[0].receives[0]]
    assert.deepEqual([sold?.amount, bought?.amount, bought?.party], [12n, 34n, WALLET])
    assert.match(refusal(changed(mainnet, { makerTraits: '0' })), /never ends/)
    assert.match(refusal(changed(mainnet, { ...plain, maker: STRANGER })), /not the wallet/)
  })

  test('run no code of others', () => {
    assert.match(refusal(changed(mainnet, withFlag(249n))), /extension/)
    for (const bit of [251n, 252n]) assert.match(refusal(changed(mainnet, withFlag(bit))), /interaction/)
    for (const bit of [200n, 246n, 253n]) assert.match(refusal(changed(mainnet, withFlag(bit))), /mean nothing/)
    for (const bit of [248n, 250n, 254n, 255n]) assert.ok(decoded(changed(mainnet, withFlag(bit))))
  })

  test('bring the coin itself where they unwrap, and unwrap nothing else', () => {
    const [usdc, weth] = ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2']
    const unwrap = withFlag(247n)
    assert.equal(decoded(changed(mainnet, { ...unwrap, takerAsset: weth })).legs[0].receives[0]?.asset, 'native')
    assert.match(refusal(changed(mainnet, { ...unwrap, takerAsset: usdc })), /wrapped coin/)
  })
})

describe('UniswapX', () => {
  const { orders } = WITH_ORDERS[1] ?? assert.fail()
  const kindOf = ({ proposed }: OrderVector) =>
    proposed.typedData.types['PermitWitnessTransferFrom']?.find(({ name }) => name === 'witness')?.type
  const byKind = (kind: string) => orders.find((one) => kindOf(one) === kind) ?? assert.fail(kind)
  const KINDS = ['ExclusiveDutchOrder', 'V2DutchOrder', 'V3DutchOrder', 'PriorityOrder']

  test('has four kinds of orders', () => {
    assert.deepEqual(new Set(orders.map(kindOf)), new Set(KINDS))
    const { proposed } = byKind('V2DutchOrder')
    const types = proposed.typedData.types
    const renamed = JSON.parse(JSON.stringify(types).replaceAll('V2DutchOrder', 'V4DutchOrder')) as typeof types
    assert.match(refusal({ ...proposed, typedData: { ...proposed.typedData, types: renamed } }), /V4DutchOrder/)
  })

  for (const kind of KINDS)
    test(`takes a ${kind} at its worst, and only where permit and order agree`, () => {
      const vector = byKind(kind)
      const { message } = vector.proposed.typedData
      const { permitted, witness } = message as Record<string, Record<string, never>>
      const { target, calls, legs } = decoded(vector.proposed)
      assert.equal(target, '0x000000000022d473030f116ddee9f6b43ac78ba3')
      assert.deepEqual(calls, [{ target: toAddress(message['spender'] as string), selector: null }])
      assert.equal(legs[0].spends[0]?.amount, BigInt(permitted?.['amount'] ?? -1))
      const outputs = (witness?.['baseOutputs'] ?? witness?.['outputs'] ?? []) as Record<string, string>[]
      assert.deepEqual(
        legs[0].receives.map(({ amount }) => amount),
        outputs.map((one) => BigInt(one['minAmount'] ?? one['endAmount'] ?? one['amount'] ?? -1)),
      )
      assert.deepEqual(
        legs[0].receives.map(({ asset }) => asset),
        outputs.map(({ token }) => (token === ZERO ? 'native' : token)),
      )
      assert.match(refusal(changed(vector, { 'witness.info.swapper': STRANGER })), /not the wallet/)
      assert.match(refusal(changed(vector, { 'witness.info.reactor': STRANGER })), /another reactor/)
      assert.match(refusal(changed(vector, { spender: STRANGER, 'witness.info.reactor': STRANGER })), /no reactor/)
      assert.match(refusal(changed(vector, { nonce: '1' })), /nonce and deadline/)
      assert.match(refusal(changed(vector, { deadline: 1_900_000_001 })), /nonce and deadline/)
      assert.match(refusal(changed(vector, { 'permitted.amount': '1' })), /another amount/)
      assert.match(refusal(changed(vector, { 'permitted.token': STRANGER })), /another amount/)
      assert.match(refusal(changed(vector, { 'witness.info.additionalValidationContract': FRIEND })), /code of others/)
      assert.match(refusal(changed(vector, { 'witness.info.additionalValidationData': '0x12' })), /code of others/)
      const forever = (2n ** 64n).toString()
      assert.match(refusal(changed(vector, { deadline: forever, 'witness.info.deadline': forever })), /never ends/)
    })

  test('settles no order at the reactor of another kind, nor one that gets better with time', () => {
    const v2 = byKind('V2DutchOrder')
    const other = '0x0000000015757c461808ea25eb309638b62681cf'
    const moved = changed(v2, { spender: other, 'witness.info.reactor': other })
    assert.match(refusal({ ...moved, chainId: 1 }), /no reactor|another chain/)
    assert.match(refusal(changed(v2, { 'witness.baseOutputs.0.startAmount': '0' })), /no reactor settles/)
    const rising = { 'witness.baseInputStartAmount': '2', 'witness.baseInputEndAmount': '1', 'permitted.amount': '1' }
    assert.match(refusal(changed(v2, rising)), /no reactor settles/)
  })

  test('is no permit: its signature says more than who may spend', () => {
    for (const { proposed } of orders)
      assert.match(refusal({ ...proposed, protocol: 'permit2' }), /"protocol": "uniswapx"/)
  })
})
