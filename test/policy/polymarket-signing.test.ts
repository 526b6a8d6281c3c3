// Hashes, signatures, requests and amounts equal to those that the venue's own kit makes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { clobAuthDigest } from '../../src/chain/index.ts'
import { requestSignature } from '../../src/chain/polymarket-account.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { predictionOrder, unitsIn } from '../../src/harness/predictions.ts'
import { toAddress } from '../../src/lib/address.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import { readPolymarket } from '../../src/policy/polymarket-action.ts'
import { polymarketDigest, polymarketOrderHash, polymarketSignature } from '../../src/policy/polymarket-signing.ts'
import { polymarketVersionAt } from '../../src/registry/index.ts'
import { ProposedTx, type VenueAction } from '../../src/schema/action.ts'

const Hex = z.templateLiteral(['0x', z.string()])
const Side = z.enum(['BUY', 'SELL'])
const Golden = z.object({
  privateKey: Hex,
  orders: z.array(
    z.object({
      exchange: z.string(),
      version: z.enum(['2', '3']),
      order: z.looseObject({ maker: z.string(), signer: z.string(), side: Side, expiration: z.string() }),
      hash: z.string(),
      signature: z.string(),
    }),
  ),
  auth: z.object({ address: z.string(), timestamp: z.int(), signature: z.string() }),
  hmac: z.array(
    z.object({
      secret: z.string(),
      timestamp: z.int(),
      method: z.string(),
      path: z.string(),
      body: z.string(),
      signature: z.string(),
    }),
  ),
  amounts: z.array(
    z.object({
      type: z.enum(['limit', 'market']),
      tick: z.string(),
      side: Side,
      size: z.string(),
      price: z.string(),
      makerAmount: z.string(),
      takerAmount: z.string(),
    }),
  ),
})

const Amounts = z.object({ order: z.object({ makerAmount: z.string(), takerAmount: z.string() }) })

const golden = Golden.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/polymarket/golden.json'), 'utf8')),
)
const signer = createSigner(golden.privateKey)
const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'

describe('what the venue’s own kit makes', () => {
  test('of orders, at each exchange, for each kind of maker, is made here too', async () => {
    assert.equal(golden.orders.length, 24)
    for (const { exchange, version, order, hash, signature } of golden.orders) {
      const { side, expiration: _, maker, signer: signs, ...rest } = order
      const action = ProposedTx.parse({
        protocol: 'polymarket',
        chainId: 137,
        exchange: toAddress(exchange),
        order: { ...rest, maker: toAddress(maker), signer: toAddress(signs), side: side === 'BUY' ? 0 : 1 },
        orderType: 'GTC',
        expiration: 0,
      })
      const request = readPolymarket(action as VenueAction)
      assert.ok(request.ok && request.value.kind === 'order', request.ok ? '' : request.reason)
      const domain = { exchange: request.value.exchange, version: Number(version) as 2 | 3 }
      assert.equal(polymarketVersionAt(domain.exchange), domain.version)
      assert.equal(polymarketOrderHash(domain, request.value.order), hash)
      const digest = polymarketDigest(domain, request.value.order)
      const signed = polymarketSignature(domain, request.value.order, await signer.signDigest(digest))
      assert.equal(signed, signature)
      const decoded = decodeProposed(action, signer.address)
      assert.ok(decoded.ok, decoded.ok ? '' : decoded.reason)
      assert.deepEqual([decoded.value.digest, decoded.value.legs[0].order?.cloid], [digest, hash])
    }
  })

  test('of an address that asks for a key, and of requests with one', async () => {
    const { address, timestamp, signature } = golden.auth
    assert.equal(await signer.signDigest(clobAuthDigest(toAddress(address), timestamp)), signature)
    for (const { secret, timestamp: at, method, path, body, signature: expected } of golden.hmac)
      assert.equal(requestSignature(secret, at, method, path, body), expected)
  })

  test('of sizes and prices, at each tick', () => {
    const account = { maker: signer.address, signer: signer.address, signatureType: 0 } as const
    for (const one of golden.amounts) {
      const { type, tick, side, size, price, makerAmount, takerAmount } = one
      const terms = {
        id: TOKEN,
        outcome: 'Yes',
        negRisk: false,
        tick,
        minSize: '1',
        bid: '0.1',
        ask: '0.9',
        mid: '0.5',
      }
      const wanted = {
        side: side === 'BUY' ? 'buy' : 'sell',
        price: unitsIn(price),
        shares: unitsIn(size),
        orderType: type === 'limit' ? 'GTC' : 'FAK',
        expiration: 0,
      } as const
      const tx = predictionOrder(terms, wanted, { account, now: new Date() })
      assert.ok(tx.ok, tx.ok ? '' : `${JSON.stringify(one)}: ${tx.reason}`)
      const { order } = Amounts.parse(tx.value)
      assert.deepEqual(order, { makerAmount, takerAmount }, JSON.stringify(one))
    }
  })
})
