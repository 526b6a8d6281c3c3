import { type Address, toAddress } from '../../lib/address.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Wallet } from '../../schema/agent.ts'
import type { Database } from '../database.ts'

/** A partner (contract section 3). What it submits belongs to `agentId`, an agent of its own. */
export type Integrator = Readonly<{ appId: string; name: string; agentId: string; createdAt: number }>

const COLUMNS = ['app_id as appId', 'name', 'agent_id as agentId', 'created_at as createdAt'] as const

/** Partners and the wallets that they may ask about. */
export function integrators({ query, dialect, atomically }: Database) {
  return {
    async create(name: string): Promise<Integrator> {
      const appId = crypto.randomUUID()
      return atomically(async (inner) => {
        const agentId = crypto.randomUUID()
        const agent = { id: agentId, name, ethereum_address: addressOf(appId), created_at: dialect.now }
        await inner.query.insertInto('agents').values(agent).execute()
        return inner.query
          .insertInto('integrators')
          .values({ app_id: appId, name, agent_id: agentId, created_at: dialect.now })
          .returning(COLUMNS)
          .executeTakeFirstOrThrow()
      })
    },

    async get(appId: string): Promise<Integrator | undefined> {
      return query.selectFrom('integrators').select(COLUMNS).where('app_id', '=', appId).executeTakeFirst()
    },

    /** Gives a partner a wallet on the chains named, beside those that it has. The same again changes nothing. */
    async addWallet(appId: string, { address, chainIds }: Wallet): Promise<void> {
      await atomically(async (inner) => {
        await inner.query
          .insertInto('wallets')
          .values({ address, created_at: dialect.now })
          .onConflict((on) => on.doNothing())
          .execute()
        await inner.query
          .insertInto('integrator_wallets')
          .values(chainIds.toSorted((a, b) => a - b).map((id) => ({ app_id: appId, address, chain_id: id })))
          .onConflict((on) => on.doNothing())
          .execute()
      })
    },

    /** Chains on which the partner may ask about a wallet, in ascending order; none where the wallet is not its. */
    async chainsOf(appId: string, address: Address): Promise<readonly number[]> {
      const rows = await query
        .selectFrom('integrator_wallets')
        .select('chain_id')
        .where('app_id', '=', appId)
        .where('address', '=', address)
        .orderBy('chain_id')
        .execute()
      return rows.map((row) => row.chain_id)
    },
  } as const
}

/** An agent has an address of its own. A partner has none: this one is made of its id, and nobody has its key. */
function addressOf(appId: string): Address {
  return toAddress(sha256(`integrator ${appId}`).slice(0, 42))
}
