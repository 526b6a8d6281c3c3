import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Wallet } from '../../schema/agent.ts'
import type { Database } from '../database.ts'

/** Which agent acts for which wallet on which chains. */
export function wallets(database: Database) {
  const { query, dialect } = database
  return {
    /**
     * Gives an agent a wallet on the chains named, beside those that it has. The same again changes nothing.
     *
     * @throws CountersignError conflict when another agent has the wallet on one of the chains, or the agent is unknown
     */
    register: (wallet: Wallet & Readonly<{ agentId: string }>): Promise<void> => register(database, wallet),

    /** Id of the agent that the wallet is registered to on the chain. */
    async ownerOf(address: Address, chainId: number): Promise<string | undefined> {
      const owner = await query
        .selectFrom('wallet_chains')
        .select('agent_id')
        .where('address', '=', address)
        .where('chain_id', '=', chainId)
        .executeTakeFirst()
      return owner?.agent_id
    },

    async isRegistered(address: Address): Promise<boolean> {
      const row = await query.selectFrom('wallets').select('address').where('address', '=', address).executeTakeFirst()
      return row !== undefined
    },

    /** Every chain that a wallet is registered on, and the agent there. */
    async ownersOf(address: Address): Promise<readonly Readonly<{ agentId: string; chainId: number }>[]> {
      return query
        .selectFrom('wallet_chains')
        .select(['agent_id as agentId', 'chain_id as chainId'])
        .where('address', '=', address)
        .execute()
    },

    /** Makes the row that a policy of the wallet is written under, where there is none. */
    async ensure(address: Address): Promise<void> {
      await query
        .insertInto('wallets')
        .values({ address, created_at: dialect.now })
        .onConflict((on) => on.doNothing())
        .execute()
    },

    /** By address, each with its chains in ascending order. */
    async ofAgent(agentId: string): Promise<readonly Wallet[]> {
      const rows = await query
        .selectFrom('wallet_chains')
        .select(['address', 'chain_id'])
        .where('agent_id', '=', agentId)
        .orderBy('address')
        .orderBy('chain_id')
        .execute()
      const byAddress = Map.groupBy(rows, (row) => row.address)
      return [...byAddress].map(([address, own]) => ({ address, chainIds: own.map((row) => row.chain_id) }))
    },

    /**
     * Waits until no other transaction has the wallet, and has it until this one ends. It is the first statement of
     * whatever reads the wallet's ledger in order to write to it.
     *
     * @throws CountersignError wallet_not_registered for a wallet that nobody has, internal outside a transaction
     */
    async lock(address: Address): Promise<void> {
      if (!query.isTransaction) throw new CountersignError('internal', 'A wallet is locked inside a transaction only.')
      const wallet = await query
        .selectFrom('wallets')
        .select('address')
        .where('address', '=', address)
        .$if(dialect.locksRows, (select) => select.forUpdate())
        .executeTakeFirst()
      if (wallet === undefined) throw new CountersignError('wallet_not_registered', 'The wallet is not registered.')
    },
  } as const
}

async function register(
  { dialect, atomically }: Database,
  { address, chainIds, agentId }: Wallet & Readonly<{ agentId: string }>,
): Promise<void> {
  // In one order, so that two registrations cannot wait for each other.
  const rows = chainIds.toSorted((a, b) => a - b).map((id) => ({ address, chain_id: id, agent_id: agentId }))
  await atomically(async (inner) => {
    const wallet = { address, created_at: dialect.now }
    await inner.query
      .insertInto('wallets')
      .values(wallet)
      .onConflict((on) => on.doNothing())
      .execute()
    await inner.query
      .insertInto('wallet_chains')
      .values(rows)
      .onConflict((on) => on.doNothing())
      .execute()
    const taken = await inner.query
      .selectFrom('wallet_chains')
      .select('chain_id')
      .where('address', '=', address)
      .where('chain_id', 'in', chainIds)
      .where('agent_id', '!=', agentId)
      .orderBy('chain_id')
      .executeTakeFirst()
    if (taken !== undefined) {
      const message = `The wallet is registered to another agent on chain ${taken.chain_id}.`
      throw new CountersignError('conflict', message)
    }
  })
}
