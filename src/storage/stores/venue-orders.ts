import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { Database } from '../database.ts'
import type { VenueActionState } from '../tables.ts'

/** An action that was signed for a venue, to journal before it is sent. `body` is what is sent, to the byte. */
export type NewVenueAction = Readonly<{
  requestHash: Hex
  venue: string
  signer: Address
  nonce: number
  body: string
}>

/** A signed action and how far it got. */
export type StoredVenueAction = NewVenueAction & Readonly<{ state: VenueActionState; error: string | null }>

/** An order to follow until the venue says that it ended. `key` is its maker's id or the venue's number. */
export type NewVenueOrder = Readonly<{
  requestHash: Hex
  leg: number
  venue: string
  account: Address
  key: string
  /** Until when the venue would still take it, in ms: a later answer that there is none is an ending. */
  placeableUntil: number
}>

/** How a followed order stands. `said` is the venue's own word for it. */
export type StoredVenueOrder = NewVenueOrder & Readonly<{ state: 'open' | 'ended'; filled: 0 | 1; said: string | null }>

const ACTION = ['request_hash as requestHash', 'venue', 'signer', 'nonce', 'body', 'state', 'error'] as const
const ORDER = [
  'request_hash as requestHash',
  'leg',
  'venue',
  'account',
  'key',
  'placeable_until as placeableUntil',
  'state',
  'filled',
  'said',
] as const

/** What one hint of a venue can be about. */
const MOST_BY_KEYS = 100

/** The journal of what was signed for venues, and the orders that hold room until they end. */
export function venueOrders(database: Database) {
  return { ...journal(database), ...followed(database), ...open(database) } as const
}

function journal({ query, dialect }: Database) {
  return {
    /** @throws CountersignError conflict when the request was signed already, or the nonce is another's */
    async insertAction(action: NewVenueAction): Promise<StoredVenueAction> {
      const { requestHash, ...rest } = action
      return query
        .insertInto('venue_actions')
        .values({
          ...rest,
          request_hash: requestHash,
          state: 'signed',
          created_at: dialect.now,
          updated_at: dialect.now,
        })
        .returning(ACTION)
        .executeTakeFirstOrThrow()
    },

    async action(requestHash: Hex): Promise<StoredVenueAction | undefined> {
      return query.selectFrom('venue_actions').select(ACTION).where('request_hash', '=', requestHash).executeTakeFirst()
    },

    /** Signed ones of which nobody knows yet what the venue made of them, oldest first. */
    async unsettledActions(): Promise<readonly StoredVenueAction[]> {
      return query
        .selectFrom('venue_actions')
        .select(ACTION)
        .where('state', 'in', ['signed', 'sent'])
        .orderBy('created_at')
        .limit(100)
        .execute()
    },

    /** Whether this call advanced it: of several at once, one does. */
    async advance(
      requestHash: Hex,
      from: readonly VenueActionState[],
      to: VenueActionState,
      error: string | null = null,
    ): Promise<boolean> {
      const advanced = await query
        .updateTable('venue_actions')
        .set({ state: to, error, updated_at: dialect.now })
        .where('request_hash', '=', requestHash)
        .where('state', 'in', from)
        .returning('request_hash')
        .executeTakeFirst()
      return advanced !== undefined
    },
  } as const
}

function followed({ query, dialect }: Database) {
  return {
    /** Begins to follow an order; one that is followed already stays as it is. */
    async follow(order: NewVenueOrder): Promise<void> {
      const { requestHash, placeableUntil, ...rest } = order
      await query
        .insertInto('venue_orders')
        .values({
          ...rest,
          request_hash: requestHash,
          placeable_until: placeableUntil,
          state: 'open',
          filled: 0,
          said: null,
          asked_at: 0,
        })
        .onConflict((on) => on.columns(['request_hash', 'leg']).doNothing())
        .execute()
    },

    async ofRequest(requestHash: Hex): Promise<readonly StoredVenueOrder[]> {
      return query
        .selectFrom('venue_orders')
        .select(ORDER)
        .where('request_hash', '=', requestHash)
        .orderBy('leg')
        .execute()
    },

    /**
     * Open orders that nobody asked about since `before` (ms), longest ago first. They count as asked about from now on, so
     * that of several processes one asks. A venue's orders of the accounts in `passOver` are left alone.
     */
    async takeDue(
      before: number,
      limit: number,
      passOver?: Readonly<{ venue: string; accounts: readonly Address[] }>,
    ): Promise<readonly StoredVenueOrder[]> {
      const due = await query
        .selectFrom('venue_orders')
        .select(['request_hash', 'leg'])
        .where('state', '=', 'open')
        .where('asked_at', '<', before)
        .where((e) =>
          passOver === undefined
            ? e.lit(true)
            : e.or([e('venue', '<>', passOver.venue), e('account', 'not in', passOver.accounts)]),
        )
        .orderBy('asked_at')
        .limit(limit)
        .execute()
      const taken: StoredVenueOrder[] = []
      for (const { request_hash, leg } of due) {
        const row = await query
          .updateTable('venue_orders')
          .set({ asked_at: dialect.now })
          .where('request_hash', '=', request_hash)
          .where('leg', '=', leg)
          .where('state', '=', 'open')
          .where('asked_at', '<', before)
          .returning(ORDER)
          .executeTakeFirst()
        if (row !== undefined) taken.push(row)
      }
      return taken
    },

    /** Ends an order by the venue's word. Whether this call did. */
    async end(requestHash: Hex, leg: number, said: string, filled: boolean): Promise<boolean> {
      const ended = await query
        .updateTable('venue_orders')
        .set({ state: 'ended', said, filled: filled ? 1 : 0 })
        .where('request_hash', '=', requestHash)
        .where('leg', '=', leg)
        .where('state', '=', 'open')
        .returning('leg')
        .executeTakeFirst()
      return ended !== undefined
    },

    /** Keeps what the venue says of an order that goes on. */
    async note(requestHash: Hex, leg: number, said: string): Promise<void> {
      await query
        .updateTable('venue_orders')
        .set({ said })
        .where('request_hash', '=', requestHash)
        .where('leg', '=', leg)
        .execute()
    },
  } as const
}

function open({ query }: Database) {
  return {
    /** Accounts with open orders at a venue that can be asked about, those asked about longest ago first. */
    async openAccounts(venue: string, limit: number): Promise<readonly Address[]> {
      const rows = await query
        .selectFrom('venue_orders')
        .select('account')
        .where('state', '=', 'open')
        .where('venue', '=', venue)
        .where('key', '!=', '')
        .groupBy('account')
        .orderBy((e) => e.fn.min('asked_at'))
        .limit(limit)
        .execute()
      return rows.map(({ account }) => account)
    },

    /** Open orders of a venue by their keys. */
    async openByKeys(venue: string, keys: readonly string[]): Promise<readonly StoredVenueOrder[]> {
      if (keys.length === 0) return []
      return query
        .selectFrom('venue_orders')
        .select(ORDER)
        .where('state', '=', 'open')
        .where('venue', '=', venue)
        .where('key', 'in', keys)
        .limit(MOST_BY_KEYS)
        .execute()
    },
  } as const
}
