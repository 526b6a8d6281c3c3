import { type RawBuilder, sql } from 'kysely'
import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hash.ts'
import { type MicroUsd, toDollars } from '../../lib/usd.ts'
import type { Database } from '../database.ts'
import { inForceNow } from '../in-force.ts'
import type { HoldState } from '../tables.ts'

/** Outflow that an approval may still cause. Past `expiresAt` (ms of the database's clock) it no longer counts. */
export type NewHold = Readonly<{ requestHash: Hex; wallet: Address; microUsd: MicroUsd; expiresAt: number }>

/** What a decision for a wallet rests on: the time (ms), the version of its policy, what counts of its outflow (micro-USD). */
export type Standing = Readonly<{ now: number; policyVersion: number | null; outflow: MicroUsd }>

/** Holds that one transaction expires: those of others wait no longer for it. */
const EXPIRED_AT_ONCE = 500

const MINUTE_MS = 60_000
const MINUTES_KEPT = 2 * 24 * 60

/** The greatest amount that both databases keep and add exactly. */
const GREATEST = 2n ** 63n - 1n

/**
 * The ledger of what leaves a wallet: held, then posted, voided or expired, and exactly one of them wins.
 * It never exceeds a cap when, in one transaction, the wallet is locked first, then the outflow read, then the hold taken.
 */
export function holds(database: Database) {
  const { query, dialect, atomically } = database
  const inForce = inForceNow(database)
  return {
    /** @throws CountersignError conflict when the request has a hold already or is unknown, invalid_request for an amount out of range */
    take: (hold: NewHold): Promise<void> => takeAll(database, [hold]),

    /** Takes several, or none. @throws CountersignError as for one */
    takeAll: (list: readonly NewHold[]): Promise<void> => takeAll(database, list),

    /** Whether this call ended the hold: of several at once, one does. */
    settle: (requestHash: Hex, to: Exclude<HoldState, 'held'>): Promise<boolean> =>
      atomically((inner) => settle(inner, requestHash, to)),

    /**
     * Lets a hold stand until it is settled, because its transaction is signed and may be mined at any time.
     * False when it ended or ran out before: its room may be another's by now, so the transaction must not be signed.
     */
    async keep(requestHash: Hex): Promise<boolean> {
      return atomically(async (inner) => {
        // Under the wallet's lock: whoever reads the ledger meanwhile sees the hold run out, or kept, never in between.
        await inner.query
          .selectFrom('wallets')
          .select('address')
          .where('address', '=', (e) => e.selectFrom('holds').select('wallet').where('request_hash', '=', requestHash))
          .$if(dialect.locksRows, (select) => select.forUpdate())
          .execute()
        const kept = await inner.query
          .updateTable('holds')
          .set({ expires_at: null })
          .where('request_hash', '=', requestHash)
          .where('state', '=', 'held')
          .where(inForce)
          .returning('request_hash')
          .executeTakeFirst()
        return kept !== undefined
      })
    },

    /** Micro-USD that are held, or were posted at `since` (ms) or later: not longer ago than what is kept by the minute. */
    async outflowSince(wallet: Address, since: number): Promise<MicroUsd> {
      const { total } = await query
        .selectNoFrom(outflow(database, wallet, sql<number>`cast(${since} as bigint)`).as('total'))
        .executeTakeFirstOrThrow()
      return BigInt(total)
    },

    /**
     * Waits until no other transaction has the wallet, has it until this one ends, and reads what a decision for it rests
     * on: the time (ms), the version of its policy, and the micro-USD that are held or were posted in the window before
     * (ms). The lock is a statement of its own: what one statement locks and sums, it sums as it was before it waited.
     *
     * @throws CountersignError wallet_not_registered for a wallet that nobody has
     */
    standing: (wallet: Address, windowMs: number): Promise<Standing> => standing(database, wallet, windowMs),

    /** Forgets the minutes of the day before yesterday and earlier. Returns how many. */
    async forgetMinutes(): Promise<number> {
      const forgotten = await query
        .deleteFrom('outflow_minutes')
        .where('minute', '<', sql<number>`${dialect.asOf} / ${sql.lit(MINUTE_MS)} - ${sql.lit(MINUTES_KEPT)}`)
        .executeTakeFirst()
      return Number(forgotten.numDeletedRows)
    },

    /** How many holds there are, and how many US dollars they hold, for people. */
    inForce: (): Promise<Readonly<{ count: number; usd: number }>> => total(database, inForce),

    /** Expires what ran out by `now` (ms of the database's clock), and says which requests that were. */
    expireDue: (now: number): Promise<readonly Hex[]> => expireDue(database, now),
  } as const
}

async function standing(database: Database, wallet: Address, windowMs: number): Promise<Standing> {
  const { query, dialect, ahead } = database
  const own = query.selectFrom('wallets').where('address', '=', wallet)
  if (dialect.locksRows) await ahead(own.select('address').forUpdate())
  const { registered, ...found } = await query
    .selectNoFrom((e) => [
      dialect.now.as('now'),
      own.select((w) => w.fn.countAll<number>().as('count')).as('registered'),
      e
        .selectFrom('policies')
        .select((p) => p.fn.max('version').as('version'))
        .where('wallet_address', '=', wallet)
        .as('policyVersion'),
      outflow(database, wallet, sql<number>`(${dialect.asOf} - ${sql.lit(windowMs)})`).as('outflow'),
    ])
    .executeTakeFirstOrThrow()
  if (Number(registered) === 0) throw new CountersignError('wallet_not_registered', 'The wallet is not registered.')
  return { ...found, outflow: BigInt(found.outflow) }
}

/**
 * What is held; what was posted in the minute that the window begins in; what was posted by the minute since. Each by its
 * own end of one index: neither a long history nor a busy day is read row by row.
 */
function outflow(database: Database, wallet: Address, since: RawBuilder<number>): RawBuilder<string> {
  const whole = sql<number>`(${since} + ${sql.lit(MINUTE_MS - 1)}) / ${sql.lit(MINUTE_MS)}`
  return sql<string>`cast(
    (select coalesce(sum(micro_usd), 0) from holds where wallet = ${wallet} and state = 'held' and ${inForceNow(database)})
    + (select coalesce(sum(micro_usd), 0) from holds where wallet = ${wallet} and state = 'posted'
      and posted_at >= ${since} and posted_at < ${whole} * ${sql.lit(MINUTE_MS)})
    + (select coalesce(sum(micro_usd), 0) from outflow_minutes where wallet = ${wallet} and minute >= ${whole})
    as text)`
}

async function settle(database: Database, requestHash: Hex, to: Exclude<HoldState, 'held'>): Promise<boolean> {
  const { query, dialect } = database
  const settled = await query
    .updateTable('holds')
    .set({ state: to, ...(to === 'posted' && { posted_at: dialect.now }) })
    .where('request_hash', '=', requestHash)
    .where('state', '=', 'held')
    .returning('request_hash')
    .executeTakeFirst()
  if (settled !== undefined && to === 'posted') await countPosted(database, requestHash)
  return settled !== undefined
}

/** Counts a hold that was posted just now to its minute: several at once wait for each other's row of that minute alone. */
async function countPosted({ query, ahead }: Database, requestHash: Hex): Promise<void> {
  await ahead(
    query
      .insertInto('outflow_minutes')
      .columns(['wallet', 'minute', 'micro_usd'])
      .expression((e) =>
        e
          .selectFrom('holds')
          .select(['wallet', sql<number>`posted_at / ${sql.lit(MINUTE_MS)}`.as('minute'), 'micro_usd'])
          .where('request_hash', '=', requestHash),
      )
      .onConflict((on) =>
        on.columns(['wallet', 'minute']).doUpdateSet((e) => ({
          micro_usd: e('outflow_minutes.micro_usd', '+', e.ref('excluded.micro_usd')),
        })),
      ),
  )
}

async function takeAll({ query, dialect, ahead }: Database, list: readonly NewHold[]): Promise<void> {
  if (list.length === 0) return
  if (list.some(({ microUsd }) => microUsd < 0n || microUsd > GREATEST))
    throw new CountersignError('invalid_request', 'A hold is of 0 to 2^63 - 1 micro-USD.')
  await ahead(
    query.insertInto('holds').values(
      list.map(({ requestHash, wallet, microUsd, expiresAt }) => ({
        request_hash: requestHash,
        wallet,
        micro_usd: microUsd,
        state: 'held' as const,
        expires_at: expiresAt,
        created_at: dialect.now,
      })),
    ),
  )
}

async function expireDue({ query, dialect }: Database, now: number): Promise<readonly Hex[]> {
  const due = query
    .selectFrom('holds')
    .select('request_hash')
    .where('state', '=', 'held')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(EXPIRED_AT_ONCE)
    // What another process is at is its to end.
    .$if(dialect.locksRows, (select) => select.forUpdate().skipLocked())
  const expired = await query
    .updateTable('holds')
    .set({ state: 'expired' })
    .where('request_hash', 'in', due)
    .where('state', '=', 'held')
    .where('expires_at', '<=', now)
    .returning('request_hash')
    .execute()
  return expired.map((row) => row.request_hash)
}

async function total(
  { query }: Database,
  inForce: RawBuilder<boolean>,
): Promise<Readonly<{ count: number; usd: number }>> {
  const row = await query
    .selectFrom('holds')
    .select((e) => [
      e.fn.countAll<number>().as('count'),
      sql<string>`cast(coalesce(sum(micro_usd), 0) as text)`.as('total'),
    ])
    .where('state', '=', 'held')
    .where(inForce)
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), usd: toDollars(BigInt(row.total)) }
}
