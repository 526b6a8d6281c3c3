import { createHmac } from 'node:crypto'
import { hashTypedData } from 'viem/utils'
import type { z } from 'zod'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { CancelAnswer, Credentials, OpenOrderPage, OrderAnswer, PostedOrder, Refusal } from './polymarket-answers.ts'
import { ask, readAnswer, unavailable } from './polymarket-http.ts'

/** What the venue says of an order: its own word, or that it has none. Sizes are decimal texts. */
export type ClobOrder = Readonly<{ known: false }> | Readonly<{ known: true; status: string; matched: string }>

/** What the venue made of an order: taken with its own id, refused, or had already. */
export type PlacedOrder =
  | Readonly<{ taken: true; id: string }>
  | Readonly<{ taken: false; had: boolean; reason: string }>

/** An order that stands in a book. */
export type StandingOrder = Readonly<{
  id: Hex
  /** Whose money it trades. */
  maker: Address
  /** The token's id. */
  market: string
  outcome: string
  side: 'buy' | 'sell'
  size: string
  matched: string
  price: string
}>

/** What the venue keeps for the holder of one key. Everything throws `CountersignError` `unavailable` where it does not answer. */
export type PolymarketAccount = Readonly<{
  /** Sends a signed order, which `order` and `orderType` say. What is thrown leaves open whether the venue took it. */
  place(signed: Readonly<{ order: object; orderType: string }>): Promise<PlacedOrder>
  /** By the order's hash. */
  order(id: string): Promise<ClobOrder>
  /** Why orders were not taken back, by their hashes; an order that is absent was. */
  cancel(ids: readonly string[]): Promise<Readonly<Record<string, string>>>
  openOrders(): Promise<readonly StandingOrder[]>
}>

/**
 * Whose account it is. `authorize` signs the digest of `clobAuthDigest` for a Unix second: it proves the address to the
 * venue and moves nothing.
 */
export type PolymarketAccountSettings = Readonly<{
  url: string
  address: Address
  now(): number
  authorize(at: number): Promise<Hex>
}>

const POLYGON = 137
const MOST_PAGES = 10
const FIRST_PAGE = 'MA=='
const LAST_PAGE = 'LTE='

/** What proves to the venue who asks for an API key, at a Unix second. Source: Polymarket's clob-client-v2, `eip712.ts`. */
export function clobAuthDigest(address: Address, at: number): Hex {
  return hashTypedData({
    domain: { name: 'ClobAuthDomain', version: '1', chainId: POLYGON },
    types: {
      ClobAuth: [
        { name: 'address', type: 'address' },
        { name: 'timestamp', type: 'string' },
        { name: 'nonce', type: 'uint256' },
        { name: 'message', type: 'string' },
      ],
    },
    primaryType: 'ClobAuth',
    message: {
      address,
      timestamp: String(at),
      nonce: 0n,
      message: 'This message attests that I control the given wallet',
    },
  })
}

/** The signature of a request with an API key's secret. Source: Polymarket's clob-client-v2, `hmac.ts`. */
export function requestSignature(secret: string, at: number, method: string, path: string, body: string): string {
  const key = Buffer.from(secret.replace(/-/g, '+').replace(/_/g, '/'), 'base64')
  const digest = createHmac('sha256', key).update(`${at}${method}${path}${body}`).digest('base64')
  return digest.replace(/\+/g, '-').replace(/\//g, '_')
}

type Asked = Readonly<{ path: string; query?: Readonly<Record<string, string>>; method?: 'GET' | 'POST' | 'DELETE' }>
type Key = z.output<typeof Credentials>

/** The account of one key. Its API key is asked for when it is first needed, and kept in memory alone. */
export function createPolymarketAccount(settings: PolymarketAccountSettings): PolymarketAccount {
  const request = signedRequests(settings)
  return {
    async place({ order, orderType }) {
      const { status, body } = await request({ path: '/order', method: 'POST' }, ({ apiKey: owner }) =>
        JSON.stringify({ deferExec: false, order, orderType, owner }),
      )
      return placedFrom(status, body)
    },
    async order(id) {
      const { status, body } = await request({ path: `/data/order/${id}` })
      if (status === 404 || (status === 200 && (body === null || body === ''))) return { known: false }
      if (status !== 200) throw unavailable('did not say how the order stands')
      const order = readAnswer(body, OrderAnswer)
      if (order.id.toLowerCase() !== id.toLowerCase()) throw unavailable('spoke of another order')
      return { known: true, status: order.status, matched: order.size_matched }
    },
    async cancel(ids) {
      const { status, body } = await request({ path: '/orders', method: 'DELETE' }, () => JSON.stringify(ids))
      if (status === 200) return readAnswer(body, CancelAnswer).not_canceled
      const { error } = readAnswer(body, Refusal)
      return Object.fromEntries(ids.map((id) => [id, error]))
    },
    async openOrders() {
      const all: StandingOrder[] = []
      let next_cursor = FIRST_PAGE
      for (let page = 0; page < MOST_PAGES; page++) {
        const { status, body } = await request({ path: '/data/orders', query: { next_cursor } })
        if (status !== 200) throw unavailable('did not list the open orders')
        const answer = readAnswer(body, OpenOrderPage)
        all.push(...answer.data.map(standing))
        if (answer.next_cursor === LAST_PAGE) return all
        next_cursor = answer.next_cursor
      }
      throw unavailable('lists more orders than are read')
    },
  }
}

/**
 * Requests that the key signs. `bodyOf` is told the key, which an order names as its owner; a key that is not taken any
 * more is asked for once more.
 */
function signedRequests(settings: PolymarketAccountSettings) {
  const { url, address, now } = settings
  let held: Promise<Key> | undefined
  const keyOf = () => {
    held ??= readKey(settings).catch((thrown: unknown) => {
      held = undefined
      throw thrown
    })
    return held
  }

  return async ({ path, query, method = 'GET' }: Asked, bodyOf: (key: Key) => string = () => '') => {
    for (let attempt = 0; ; attempt++) {
      const key = await keyOf()
      const body = bodyOf(key)
      const at = Math.floor(now() / 1000)
      const headers = {
        POLY_ADDRESS: address,
        POLY_SIGNATURE: requestSignature(key.secret, at, method, path, body),
        POLY_TIMESTAMP: String(at),
        POLY_API_KEY: key.apiKey,
        POLY_PASSPHRASE: key.passphrase,
      }
      const answer = await ask({ url, path, method, headers, ...(query && { query }), ...(body !== '' && { body }) })
      if (answer.status !== 401) return answer
      held = undefined
      if (attempt > 0) throw unavailable('does not take the API key')
    }
  }
}

/** The key that belongs to the address, made where there is none. */
async function readKey({ url, address, now, authorize }: PolymarketAccountSettings): Promise<Key> {
  const at = Math.floor(now() / 1000)
  const headers = {
    POLY_ADDRESS: address,
    POLY_SIGNATURE: await authorize(at),
    POLY_TIMESTAMP: String(at),
    POLY_NONCE: '0',
  }
  const derived = await ask({ url, path: '/auth/derive-api-key', headers })
  if (derived.status === 200) return readAnswer(derived.body, Credentials)
  const made = await ask({ url, path: '/auth/api-key', method: 'POST', headers })
  if (made.status !== 200 && made.status !== 201) throw unavailable('gave no API key')
  return readAnswer(made.body, Credentials)
}

/** A refusal says so in a 4xx, or in an answer without success. What is said of neither leaves open what happened. */
function placedFrom(status: number, body: unknown): PlacedOrder {
  if (status >= 400) return refused(readAnswer(body, Refusal).error)
  const { success, errorMsg, orderID } = readAnswer(body, PostedOrder)
  if (success && orderID) return { taken: true, id: orderID }
  if (success || !errorMsg) throw unavailable('took an order, and did not say which')
  return refused(errorMsg)
}

function refused(reason: string): PlacedOrder {
  return { taken: false, had: /duplicat/i.test(reason), reason }
}

function standing(order: z.output<typeof OpenOrderPage>['data'][number]): StandingOrder {
  const {
    id,
    maker_address: maker,
    asset_id: market,
    outcome,
    side,
    original_size: size,
    size_matched: matched,
    price,
  } = order
  return {
    id: id.toLowerCase() as Hex,
    maker,
    market,
    outcome,
    side: side === 'BUY' ? 'buy' : 'sell',
    size,
    matched,
    price,
  }
}
