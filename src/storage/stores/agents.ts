import type { ExpressionBuilder } from 'kysely'
import type { Address } from '../../lib/address.ts'
import type { Database } from '../database.ts'
import { type Page, type PageRequest, pageOf, startOf } from '../page.ts'
import type { Tables } from '../tables.ts'

/** An agent (contract section 3). Its wallets are in the wallets store. */
export type Agent = Readonly<{ id: string; name: string; ethereumAddress: Address; createdAt: number }>

const COLUMNS = ['id', 'name', 'ethereum_address as ethereumAddress', 'created_at as createdAt'] as const

/** The agent that a partner's submissions belong to is nobody's to see. */
const isListed = (e: ExpressionBuilder<Tables, 'agents'>) =>
  e.not(
    e.exists(e.selectFrom('integrators').select('integrators.seq').whereRef('integrators.agent_id', '=', 'agents.id')),
  )

/** Who submits actions. */
export function agents({ query, dialect }: Database) {
  return {
    /** @throws CountersignError conflict when another agent has the address */
    async create(agent: Pick<Agent, 'name' | 'ethereumAddress'>): Promise<Agent> {
      return query
        .insertInto('agents')
        .values({
          id: crypto.randomUUID(),
          name: agent.name,
          ethereum_address: agent.ethereumAddress,
          created_at: dialect.now,
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
    },

    /** The agent of an address: made where there is none, by whichever of several at once comes first. */
    async ensure({ name, ethereumAddress }: Pick<Agent, 'name' | 'ethereumAddress'>): Promise<Agent> {
      await query
        .insertInto('agents')
        .values({ id: crypto.randomUUID(), name, ethereum_address: ethereumAddress, created_at: dialect.now })
        .onConflict((on) => on.doNothing())
        .execute()
      return query
        .selectFrom('agents')
        .select(COLUMNS)
        .where('ethereum_address', '=', ethereumAddress)
        .executeTakeFirstOrThrow()
    },

    async get(id: string): Promise<Agent | undefined> {
      return query.selectFrom('agents').select(COLUMNS).where('id', '=', id).executeTakeFirst()
    },

    async byEthereumAddress(address: Address): Promise<Agent | undefined> {
      return query
        .selectFrom('agents')
        .select(COLUMNS)
        .where('ethereum_address', '=', address)
        .where(isListed)
        .executeTakeFirst()
    },

    /** Newest first. */
    async list(page: PageRequest): Promise<Page<Agent>> {
      const rows = await query
        .selectFrom('agents')
        .select([...COLUMNS, 'seq'])
        .where('seq', '<', startOf(page))
        .where(isListed)
        .orderBy('seq', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOf(rows, page, ({ seq: _, ...agent }) => agent)
    },
  } as const
}
