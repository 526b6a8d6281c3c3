import { toAddress } from '../lib/address.ts'
import type { StoredTransaction, StoredVerdict, Stores } from '../storage/index.ts'

/** How long the venue takes an action after its nonce. Source: Hyperliquid's docs, "Nonces and API wallets". */
const NONCE_LIFE_MS = 2 * 86_400_000

/**
 * Begins to follow the orders of an approved action, where it is one that a venue takes: what they hold is free when the
 * venue says that they ended, and not before (specification 3). Whether there are any.
 */
export async function followOrders(
  { venueOrders }: Pick<Stores, 'venueOrders'>,
  { requestHash, proposedTx }: StoredTransaction,
  { verdict }: StoredVerdict,
  orderId?: string,
): Promise<boolean> {
  if ('to' in proposedTx || 'typedData' in proposedTx) return false
  const legs = verdict.evidence.decodedActions ?? []
  const orders = legs.flatMap(({ order }, leg) => (order ? [{ ...order, leg }] : []))
  const { nonce, expiresAfter, protocol: venue } = proposedTx
  const placeableUntil = Math.min(timeOf(nonce) + NONCE_LIFE_MS, timeOf(expiresAfter))
  for (const { leg, cloid, account } of orders) {
    const key = cloid ?? (orders.length === 1 ? (orderId ?? '') : '')
    await venueOrders.follow({ requestHash, leg, venue, account: toAddress(account), key, placeableUntil })
  }
  return orders.length > 0
}

function timeOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER - NONCE_LIFE_MS
}
