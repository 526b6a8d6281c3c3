import { toAddress } from '../lib/address.ts'
import type { StoredTransaction, StoredVerdict, Stores } from '../storage/index.ts'
import { POLYMARKET } from './polymarket-action.ts'

/** How long the venue takes an action after its nonce. Source: Hyperliquid's docs, "Nonces and API wallets". */
const NONCE_LIFE_MS = 2 * 86_400_000
const UNKNOWN_FOR_MS = 2 * 86_400_000

/**
 * Begins to follow the orders of an approved action, where it is one that a venue takes: what they hold is free when the
 * venue says that they ended, and not before (specification 3). Whether there are any.
 */
export async function followOrders(
  { venueOrders }: Pick<Stores, 'venueOrders'>,
  transaction: StoredTransaction,
  { verdict }: StoredVerdict,
  orderId?: string,
): Promise<boolean> {
  const { requestHash, proposedTx, createdAt } = transaction
  if ('to' in proposedTx) return false
  if ('typedData' in proposedTx) return followSigned(venueOrders, transaction, verdict)
  const legs = verdict.evidence.decodedActions ?? []
  const orders = legs.flatMap(({ order }, leg) => (order ? [{ ...order, leg }] : []))
  const { nonce, expiresAfter, protocol: venue } = proposedTx
  const placeableUntil = Math.min(timeOf(nonce) + NONCE_LIFE_MS, timeOf(expiresAfter), lastChance(venue, createdAt))
  for (const { leg, cloid, account } of orders) {
    const key = cloid ?? (orders.length === 1 ? (orderId ?? '') : '')
    await venueOrders.follow({ requestHash, leg, venue, account: toAddress(account), key, placeableUntil })
  }
  return orders.length > 0
}

/**
 * An order that anybody may settle whom it was shown to: nobody can be asked about it, and nothing but its own end makes
 * sure that it is over. A permit gives a right away once and for all, and is none.
 */
async function followSigned(
  venueOrders: Stores['venueOrders'],
  { requestHash, proposedTx, wallet }: StoredTransaction,
  verdict: StoredVerdict['verdict'],
): Promise<boolean> {
  const legs = verdict.evidence.decodedActions ?? []
  const swaps = legs.flatMap(({ kind, deadline }, leg) =>
    kind === 'swap' && deadline !== null ? [{ leg, deadline }] : [],
  )
  for (const { leg, deadline } of swaps) {
    const order = { requestHash, leg, venue: proposedTx.protocol, account: wallet, key: '' }
    await venueOrders.follow({ ...order, placeableUntil: deadline * 1000 })
  }
  return swaps.length > 0
}

/** No signature says until when an order of Polymarket can be placed: one that is not known after two days counts as spent. */
function lastChance(venue: string, createdAt: number): number {
  return venue === POLYMARKET ? createdAt + UNKNOWN_FOR_MS : Number.MAX_SAFE_INTEGER
}

function timeOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER - NONCE_LIFE_MS
}
