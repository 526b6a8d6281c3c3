import { createHyperliquid, createOrderFeed, type Hyperliquid, type OrderFeed } from '../chain/index.ts'
import type { Config } from '../config.ts'
import { followDue, followKeys, type OrderVenue } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/index.ts'
import { sharedBudget } from './venue-budget.ts'

/** The venue at the configured address, within a budget that all processes of the database share. */
export function hyperliquidOf({ sources }: Pick<Config, 'sources'>, storage: Storage): Hyperliquid {
  const { hyperliquid } = sources
  const spend = sharedBudget(storage, 'hyperliquid', hyperliquid.weightPerMinute)
  return createHyperliquid({ ...hyperliquid, now: () => Date.now(), spend })
}

type Parts = Readonly<{
  storage: Storage
  venue: Hyperliquid
  venues: readonly OrderVenue[]
  config: Pick<Config, 'sources'>
  log: Log
  /** In place of the venue's own feed. */
  feed?: ((heard: (keys: readonly string[]) => void) => OrderFeed) | undefined
}>

/** Follows open orders. `follow` is a round of asking; between rounds the venue's hints have single orders asked about. */
export type OrderFollowing = Readonly<{ follow(): Promise<number>; stop(): Promise<void> }>

const HYPERLIQUID = 'hyperliquid'
/** Accounts whose orders the venue tells of. */
const MOST_ACCOUNTS = 10
/** Keys that wait for a look; what is told beyond them the next round asks about. */
const MOST_KEYS = 5_000
/** Between two looks at orders that hints were heard of: a burst of hints is one question an order. */
const PAUSE_MS = 500

/**
 * Follows by asking, and by a feed where it can: whoever's orders are told of is asked about rarely, and at once when
 * something was told. What was told is asked for all the same, so that nothing rests on it.
 */
export function followOrdersOf({ storage, venue, venues, config, log, feed }: Parts): OrderFollowing {
  const settings = { storage, venue, venues, log }
  const keys = new Set<string>()
  let looking: Promise<void> | undefined
  let stopped = false
  const heard = (changed: readonly string[]) => {
    for (const key of changed) if (keys.size < MOST_KEYS) keys.add(key)
    looking ??= look().finally(() => {
      looking = undefined
    })
  }
  const orders = feed?.(heard) ?? createOrderFeed({ url: config.sources.hyperliquid.url, heard })

  async function look(): Promise<void> {
    while (keys.size > 0 && !stopped) {
      const asked = [...keys]
      keys.clear()
      try {
        await followKeys(HYPERLIQUID, asked, settings)
      } catch (thrown) {
        log.warn({ error: messageOf(thrown) }, 'A hint about an order could not be followed; the next round asks.')
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
    }
  }

  return {
    async follow() {
      const accounts = await storage.stores.venueOrders.openAccounts(HYPERLIQUID, MOST_ACCOUNTS)
      orders.watch(accounts)
      const told = accounts.filter((account) => orders.covers(account))
      return followDue({ ...settings, ...(told.length > 0 && { toldOf: { venue: HYPERLIQUID, accounts: told } }) })
    },
    async stop() {
      stopped = true
      orders.stop()
      await looking
    },
  }
}
