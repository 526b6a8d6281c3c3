import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Dialect } from './dialect.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { receipts } from './migrations/0002-receipts.ts'
import { integrators } from './migrations/0003-integrators.ts'
import { scale } from './migrations/0004-scale.ts'
import { identity } from './migrations/0005-identity.ts'
import { chat } from './migrations/0006-chat.ts'
import { venueOrders } from './migrations/0007-venue-orders.ts'
import { memory } from './migrations/0008-memory.ts'
import { outflowMinutes } from './migrations/0011-outflow-minutes.ts'
import { venueBudgets } from './migrations/0013-venue-budgets.ts'
import { people } from './migrations/0014-people.ts'
import { paper } from './migrations/0015-paper.ts'
import { indexes } from './migrations/0016-indexes.ts'
import type { Tables } from './tables.ts'

/** In the order in which they run. A migration that was released is never changed: what it lacks is a new one. */
const MIGRATIONS = {
  '0001-first-tables': firstTables,
  '0002-receipts': receipts,
  '0003-integrators': integrators,
  '0004-scale': scale,
  '0005-identity': identity,
  '0006-chat': chat,
  '0007-venue-orders': venueOrders,
  '0008-memory': memory,
  '0011-outflow-minutes': outflowMinutes,
  '0013-venue-budgets': venueBudgets,
  '0014-people': people,
  '0015-paper': paper,
  '0016-indexes': indexes,
} as const

/**
 * Brings a database up to date. Processes that start together wait for each other.
 *
 * @throws CountersignError unavailable where the database is not reached, or was made by a newer version
 */
export async function migrate(query: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const known = Object.entries(MIGRATIONS).map(([name, migration]) => [name, migration(dialect)] as const)
  const migrator = new Migrator({ db: query, provider: { getMigrations: async () => Object.fromEntries(known) } })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  if (error instanceof CountersignError) throw error
  const cause = new Error(messageOf(error))
  throw new CountersignError('unavailable', 'The database could not be brought up to date with this version.', {
    cause,
  })
}
