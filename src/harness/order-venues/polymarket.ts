import type { PolymarketAccount } from '../../chain/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import {
  type PolymarketRequest,
  polymarketDigest,
  polymarketOrderHash,
  polymarketSignature,
  readPolymarket,
} from '../../policy/index.ts'
import { polymarketVersionAt } from '../../registry/index.ts'
import { type Fate, type OrderVenue, type OrderWord, plainReason, type SignedAction } from '../order-venue.ts'

/** Orders are dated when they are made; one that is older than a day is nobody's present wish. */
const OLDEST_MS = 86_400_000
const NEWEST_MS = 60_000
/** No signature ends an order's time to be placed: nothing is sent that was signed longer ago than this. */
const PLACEABLE_MS = 10 * 60_000

/** What is journaled: the order as the venue takes it, but for whose key sends it. */
type Journaled = Readonly<{ signedAt: number }> &
  (Readonly<{ hash: Hex; order: object; orderType: string }> | Readonly<{ cancel: readonly Hex[] }>)

const OPEN: ReadonlySet<string> = new Set(['LIVE', 'DELAYED', 'UNMATCHED'])
const OVER: ReadonlySet<string> = new Set([
  'CANCELED',
  'CANCELED_MARKET_RESOLVED',
  'SYSTEM_CLEARED',
  'INVALID',
  'EXPIRED',
])

/** Polymarket as a venue of orders, for the account that the harness holds the key of. */
export function polymarket(account: PolymarketAccount, now: () => number): OrderVenue {
  return {
    id: 'polymarket',
    order: async (_account, key) => wordOf(await account.order(key)),
    // Whoever has the signature could have placed it, at any time and with any expiration.
    neverHeardOf: 'filled',
    async sign(action, at, signDigest) {
      const request = readPolymarket(action)
      if (!request.ok) return request
      if (request.value.kind === 'order') return signedOrder(request.value, at, signDigest)
      const { cancel } = request.value
      return ok({ nonce: at, body: JSON.stringify({ signedAt: at, cancel }) })
    },
    async send(body) {
      // Our own journal, written by `sign`.
      const journaled = JSON.parse(body) as Journaled
      if (now() > journaled.signedAt + PLACEABLE_MS)
        return { taken: false, reason: 'It was signed too long ago to be placed now.' }
      if ('cancel' in journaled) return cancelled(journaled.cancel, await account.cancel(journaled.cancel))
      return placed(journaled.hash, await account.place(journaled))
    },
  }
}

async function signedOrder(
  { exchange, order, orderType, expiration }: Extract<PolymarketRequest, { kind: 'order' }>,
  at: number,
  signDigest: (digest: Hex) => Promise<Hex>,
): Promise<Result<SignedAction>> {
  const version = polymarketVersionAt(exchange)
  if (version === undefined) return refuse('The exchange of the order is not known.')
  const made = Number(order.timestamp)
  if (made < at - OLDEST_MS || made > at + NEWEST_MS)
    return refuse('The timestamp of the order is too far from now: it must be the time in milliseconds.')
  if (expiration > 0 && expiration * 1000 <= at) return refuse('The order expired before it was placed.')
  const domain = { exchange, version }
  const hash = polymarketOrderHash(domain, order)
  const signature = polymarketSignature(domain, order, await signDigest(polymarketDigest(domain, order)))
  const { salt, maker, signer, tokenId, makerAmount, takerAmount, side, signatureType, timestamp, metadata, builder } =
    order
  const wire = {
    salt: Number(salt),
    maker,
    signer,
    tokenId: tokenId.toString(),
    makerAmount: makerAmount.toString(),
    takerAmount: takerAmount.toString(),
    side: side === 0 ? 'BUY' : 'SELL',
    signatureType,
    timestamp: timestamp.toString(),
    expiration: String(expiration),
    metadata,
    builder,
    signature,
  }
  const journaled: Journaled = { signedAt: at, hash, order: wire, orderType }
  return ok({ nonce: nonceOf(hash), body: JSON.stringify(journaled) })
}

/** The journal asks for a number that no other action of the signer has: as many bits of the hash as a number keeps. */
function nonceOf(hash: Hex): number {
  return Number(BigInt(hash) >> 203n)
}

function placed(hash: Hex, answer: Awaited<ReturnType<PolymarketAccount['place']>>): Fate {
  if (answer.taken) {
    if (answer.id.toLowerCase() === hash) return { taken: true, legs: [] }
    throw new CountersignError('unavailable', 'Polymarket answered for another order.')
  }
  if (answer.had) throw new CountersignError('unavailable', 'Polymarket has the order already.')
  return { taken: false, reason: plainReason(answer.reason) }
}

/** What could not be taken back had ended already, or is not the account's: then nothing was done. */
function cancelled(ids: readonly Hex[], left: Readonly<Record<string, string>>): Fate {
  const [reason] = Object.values(left)
  if (reason === undefined || Object.keys(left).length < ids.length) return { taken: true, legs: [] }
  return { taken: false, reason: plainReason(reason) }
}

/** The venue's words come with and without a prefix, and in either case. */
function wordOf(order: Awaited<ReturnType<PolymarketAccount['order']>>): OrderWord {
  if (!order.known) return { known: false }
  const word = order.status.toUpperCase().replace(/^ORDER_STATUS_/, '')
  const said = { known: true, word: word.toLowerCase() } as const
  if (OPEN.has(word)) return { ...said, ending: 'open' }
  if (word === 'MATCHED') return { ...said, ending: 'filled' }
  if (!OVER.has(word)) return { ...said, ending: 'unknown' }
  return { ...said, ending: /[1-9]/.test(order.matched) ? 'filled' : 'unfilled' }
}
