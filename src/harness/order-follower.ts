import type { Hyperliquid } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import type { Storage, StoredVenueOrder } from '../storage/index.ts'
import type { AskedVenue } from './order-venue.ts'
import { hyperliquidAsked } from './order-venues/hyperliquid.ts'

/**
 * What following needs. `venues`: those beside Hyperliquid; `everyMs`: how long an open order is left alone; `toldOf`: whose
 * orders' changes a venue tells of as they happen, so that those are left alone for longer.
 */
export type FollowerSettings = Readonly<{
  storage: Storage
  venue?: Pick<Hyperliquid, 'order'> | undefined
  venues?: readonly AskedVenue[] | undefined
  log: Log
  everyMs?: number
  toldOf?: Told
}>

/** Accounts whose orders a venue tells of. */
export type Told = Readonly<{ venue: string; accounts: readonly Address[] }>

/** Orders asked about in one round. */
const AT_ONCE = 20
const EVERY_MS = 4_000
/** Hints get lost. */
const TOLD_OF_EVERY_MS = 60_000
/** Longer than the venue's clock and ours may differ. */
const GRACE_MS = 60_000

/**
 * Asks the venue how open orders stand. What it reports as ended ends; when all orders of an action have, the room that
 * the action holds is posted where any was filled, and given back where none was. Returns how many orders ended.
 */
export async function followDue(settings: FollowerSettings): Promise<number> {
  const { storage, everyMs = EVERY_MS, toldOf } = settings
  const { venueOrders } = storage.stores
  const now = await storage.now()
  const due = [
    ...(await venueOrders.takeDue(now - everyMs, AT_ONCE, toldOf)),
    ...(toldOf === undefined ? [] : await venueOrders.takeDue(now - TOLD_OF_EVERY_MS, AT_ONCE)),
  ]
  let ended = 0
  for (const order of due) if (await followOne(order, settings, now)) ended += 1
  return ended
}

/** Asks about open orders of a venue now, by keys of theirs that something was heard of. Returns how many ended. */
export async function followKeys(venue: string, keys: readonly string[], settings: FollowerSettings): Promise<number> {
  const { storage } = settings
  const now = await storage.now()
  let ended = 0
  for (const order of await storage.stores.venueOrders.openByKeys(venue, keys))
    if (await followOne(order, settings, now)) ended += 1
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
  const { storage, log } = settings
  const { requestHash, leg, account, key, placeableUntil } = order
  const venue = askedVenue(order.venue, settings)
  const placeable = now <= placeableUntil + GRACE_MS
  // Nobody can ask. It may have been placed and filled: the room it held is taken for spent in the end.
  if (key === '' || venue === undefined) return placeable ? false : endOrder(order, 'nobody to ask', true, storage)
  try {
    const said = await venue.order(account, key)
    if (!said.known)
      return placeable ? false : await endOrder(order, 'unknown', venue.neverHeardOf === 'filled', storage)
    const { word, ending } = said
    if (ending === 'filled' || ending === 'unfilled') return await endOrder(order, word, ending === 'filled', storage)
    if (order.said !== word) await storage.stores.venueOrders.note(requestHash, leg, word)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    log.warn({ requestHash, leg, error: messageOf(thrown) }, 'An order could not be asked about.')
  }
  return false
}

function askedVenue(id: string, { venue, venues = [] }: FollowerSettings): AskedVenue | undefined {
  const asked = venue === undefined ? venues : [hyperliquidAsked(venue), ...venues]
  return asked.find((one) => one.id === id)
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
    const orders = await venueOrders.ofRequest(requestHash)
    if (orders.every(({ state }) => state === 'ended'))
      await holds.settle(requestHash, orders.some((order) => order.filled === 1) ? 'posted' : 'voided')
    // Last, as everywhere: who has the log waits for no hold that another has, and who waits for the log keeps nobody from it.
    await audit.append({ kind: 'order.ended', subject: requestHash, payload: { leg, said, filled } })
    return true
  })
}
