import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generatePrivateKey } from 'viem/accounts'
import type { PolymarketAccount } from '../../../src/chain/index.ts'
import { createSigner } from '../../../src/chain/signer.ts'
import { polymarket } from '../../../src/harness/order-venues/polymarket.ts'
import { CountersignError } from '../../../src/lib/errors.ts'
import { VenueAction } from '../../../src/schema/action.ts'

const NOW = 1_764_000_000_000
const MINUTE = 60_000
const signer = createSigner(generatePrivateKey())
const NONE = `0x${'0'.repeat(64)}`
const HASH = `0x${'a'.repeat(64)}` as const

/** An account whose answers a test sets, and what it was asked for. */
function accountOf(answers: Partial<PolymarketAccount>) {
  const asked: string[] = []
  const never = () => Promise.reject(new Error('not asked'))
  const account: PolymarketAccount = {
    place: async (signed) => {
      asked.push('place')
      return (answers.place ?? never)(signed)
    },
    cancel: async (ids) => {
      asked.push('cancel')
      return (answers.cancel ?? never)(ids)
    },
    order: answers.order ?? never,
    openOrders: answers.openOrders ?? never,
  }
  return { account, asked }
}

function action(order: object = {}, of: object = {}) {
  return VenueAction.parse({
    protocol: 'polymarket',
    chainId: 137,
    exchange: '0xe111180000d2663c0091e4f400237545b87b996b',
    order: {
      salt: '1',
      maker: signer.address,
      signer: signer.address,
      tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
      makerAmount: '5000000',
      takerAmount: '10000000',
      side: 0,
      signatureType: 0,
      timestamp: String(NOW),
      metadata: NONE,
      builder: NONE,
      ...order,
    },
    orderType: 'GTC',
    expiration: 0,
    ...of,
  })
}

async function signed(tx = action(), at = NOW) {
  const { account } = accountOf({})
  const result = await polymarket(account, () => at).sign(tx, at, signer.signDigest)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}

describe('orders of Polymarket', () => {
  test('are signed near the time that they say, and before they expire', async () => {
    const { account } = accountOf({})
    const venue = polymarket(account, () => NOW)
    const refusal = async (tx: VenueAction, at = NOW) => {
      const result = await venue.sign(tx, at, () => Promise.reject(new Error('signed')))
      assert.ok(!result.ok)
      return result.reason
    }
    assert.match(await refusal(action(), NOW + 86_400_001), /too far from now/)
    assert.match(await refusal(action(), NOW - MINUTE - 1), /too far from now/)
    const dated = action({}, { orderType: 'GTD', expiration: NOW / 1000 + 30 })
    assert.match(await refusal(dated, NOW + 30_000), /expired/)
    assert.match(await refusal(action({ salt: '01' })), /order\.salt/)
    await signed(action(), NOW + 86_400_000)
    await signed(dated, NOW + 29_000)
  })

  test('are journaled without the key of whoever sends them, each under a number of its own', async () => {
    const [one, other] = [await signed(), await signed(action({ salt: '2' }))]
    assert.notEqual(one.nonce, other.nonce)
    assert.ok(Number.isSafeInteger(one.nonce) && Number.isSafeInteger(other.nonce))
    const { order, orderType, signedAt, ...rest } = JSON.parse(one.body) as Record<string, unknown>
    assert.deepEqual([orderType, signedAt, Object.keys(rest)], ['GTC', NOW, ['hash']])
    assert.deepEqual(Object.keys(order as object).length, 13)
  })

  test('are not sent ten minutes after they were signed, and said to be refused', async () => {
    const { body } = await signed()
    const { account, asked } = accountOf({ place: async () => ({ taken: true, id: JSON.parse(body).hash as string }) })
    assert.deepEqual(await polymarket(account, () => NOW + 10 * MINUTE).send(body), { taken: true, legs: [] })
    const late = await polymarket(account, () => NOW + 10 * MINUTE + 1).send(body)
    assert.ok(!late.taken && /too long ago/.test(late.reason))
    assert.deepEqual(asked, ['place'])
  })

  test('are taken under their own hash, refused in one plain line, and unknown where the venue has them already', async () => {
    const { body } = await signed()
    const send = (answer: Awaited<ReturnType<PolymarketAccount['place']>>) =>
      polymarket(accountOf({ place: async () => answer }).account, () => NOW).send(body)
    const refused = await send({ taken: false, had: false, reason: 'not enough\nbalance' })
    assert.deepEqual(refused, { taken: false, reason: 'not enough balance' })
    const unknown = (thrown: unknown) => thrown instanceof CountersignError && thrown.code === 'unavailable'
    await assert.rejects(send({ taken: true, id: HASH }), unknown)
    await assert.rejects(send({ taken: false, had: true, reason: 'Duplicated.' }), unknown)
  })

  test('are taken back in part, or not at all', async () => {
    const ids = [HASH, `0x${'b'.repeat(64)}`]
    const tx = VenueAction.parse({ protocol: 'polymarket', chainId: 137, cancel: ids })
    const { body } = await signed(tx)
    const cancel = (left: Readonly<Record<string, string>>) =>
      polymarket(accountOf({ cancel: async () => left }).account, () => NOW).send(body)
    assert.deepEqual(await cancel({}), { taken: true, legs: [] })
    assert.deepEqual(await cancel({ [HASH]: 'matched' }), { taken: true, legs: [] })
    assert.deepEqual(await cancel(Object.fromEntries(ids.map((id) => [id, 'matched']))), {
      taken: false,
      reason: 'matched',
    })
  })

  test('end by the venue’s words alone, in each of its spellings', async () => {
    const ending = async (status: string, matched = '0') => {
      const { account } = accountOf({ order: async () => ({ known: true, status, matched }) })
      const word = await polymarket(account, () => NOW).order(signer.address, HASH)
      return word.known ? word.ending : 'not known'
    }
    for (const open of ['live', 'LIVE', 'ORDER_STATUS_LIVE', 'delayed', 'ORDER_STATUS_UNMATCHED'])
      assert.equal(await ending(open, '3.5'), 'open')
    for (const over of ['canceled', 'ORDER_STATUS_CANCELED', 'ORDER_STATUS_CANCELED_MARKET_RESOLVED', 'INVALID'])
      assert.deepEqual([await ending(over), await ending(over, '0.000001')], ['unfilled', 'filled'])
    assert.equal(await ending('ORDER_STATUS_MATCHED', '10'), 'filled')
    assert.equal(await ending('ORDER_STATUS_SOMETHING'), 'unknown')
    const { account } = accountOf({ order: async () => ({ known: false }) })
    const venue = polymarket(account, () => NOW)
    assert.deepEqual(await venue.order(signer.address, HASH), { known: false })
    assert.equal(venue.neverHeardOf, 'filled')
  })
})
