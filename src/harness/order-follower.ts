import type { CoreOrder, Hyperliquid } from '../chain/index.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import type { Storage, StoredVenueOrder } from '../storage/index.ts'

/** What following needs. `everyMs`: how long an open order is left alone. */
export type FollowerSettings = Readonly<{
  storage: Storage
  venue: Pick<Hyperliquid, 'order'>
  log: Log
  everyMs?: number
}>

/** Orders asked about in one round. */
const AT_ONCE = 20
const EVERY_MS = 4_000
/** Longer than the venue's clock and ours may differ. */
const GRACE_MS = 60_000

/** The venue's words for an order that goes on. */
const OPEN: ReadonlySet<string> = new Set(['open', 'triggered'])

/** What the venue's word means: that it goes on, that it ended and whether any of it was filled, or nothing that is known. */
export function endingOf(order: CoreOrder): 'open' | 'filled' | 'unfilled' | 'unknown' {
  if (!order.known) return 'unknown'
  if (OPEN.has(order.status)) return 'open'
  if (order.status === 'filled') return 'filled'
  if (!/(cancel|reject)/i.test(order.status)) return 'unknown'
  return order.left === order.size ? 'unfilled' : 'filled'
}

/**
 * Asks the venue how open orders stand. What it reports as ended ends; when all orders of an action have, the room that
 * the action holds is posted where any was filled, and given back where none was. Returns how many orders ended.
 */
export async function followDue(settings: FollowerSettings): Promise<number> {
  const { storage, everyMs = EVERY_MS } = settings
  const now = await storage.now()
  const due = await storage.stores.venueOrders.takeDue(now - everyMs, AT_ONCE)
  let ended = 0
  for (const order of due) if (await followOne(order, settings, now)) ended += 1
  return ended
}

/** Asks about the orders of one action now. */
export async function followRequest(
  requestHash: Hex,
  settings: FollowerSettings,
): Promise<readonly StoredVenueOrder[]> {
  const { stores } = settings.storage
  const now = await settings.storage.now()
  for (const order of await stores.venueOrders.ofRequest(requestHash))
    if (order.state === 'open') await followOne(order, settings, now)
  return stores.venueOrders.ofRequest(requestHash)
}

/** A venue that does not answer leaves the order open: only its own word ends one. */
async function followOne(order: StoredVenueOrder, settings: FollowerSettings, now: number): Promise<boolean> {
  const { storage, venue, log } = settings
  const { requestHash, leg, account, key, placeableUntil } = order
  if (order.venue !== 'hyperliquid') return false
  const placeable = now <= placeableUntil + GRACE_MS
  // Without a key nobody can ask. It may have been placed and filled: the room it held is taken for spent in the end.
  if (key === '') return placeable ? false : endOrder(order, 'no key', true, storage)
  try {
    const said = await venue.order(account, /^\d+$/.test(key) ? Number(key) : key)
    const ending = endingOf(said)
    const word = said.known ? said.status : 'unknown'
    if (ending === 'filled' || ending === 'unfilled') return await endOrder(order, word, ending === 'filled', storage)
    if (!said.known && !placeable) return await endOrder(order, word, false, storage)
    if (said.known && order.said !== word) await storage.stores.venueOrders.note(requestHash, leg, word)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    log.warn({ requestHash, leg, error: messageOf(thrown) }, 'An order could not be asked about.')
  }
  return false
}

/** Ends an order, and the hold of its action with the last of them, in one database transaction. Whether this call did. */
export async function endOrder(
  { requestHash, leg }: Pick<StoredVenueOrder, 'requestHash' | 'leg'>,
  said: string,
  filled: boolean,
  storage: Storage,
): Promise<boolean> {
  const transaction = await storage.stores.transactions.byRequestHash(requestHash)
  if (transaction === undefined) return false
  return storage.transaction(async ({ wallets, venueOrders, holds, audit }) => {
    await wallets.lock(transaction.wallet)
    if (!(await venueOrders.end(requestHash, leg, said, filled))) return false
    await audit.append({ kind: 'order.ended', subject: requestHash, payload: { leg, said, filled } })
    const orders = await venueOrders.ofRequest(requestHash)
    if (orders.every(({ state }) => state === 'ended'))
      await holds.settle(requestHash, orders.some((order) => order.filled === 1) ? 'posted' : 'voided')
    return true
  })
}
