import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Database } from '../database.ts'

/**
 * Who proved control of a wallet. A key's own signature proves it on every chain (`chainId` null); a contract's answer
 * proves it on the chain that was asked, where the same address may be somebody else's elsewhere.
 */
export type User = Readonly<{ id: string; address: Address; chainId: number | null; createdAt: number }>

const COLUMNS = ['id', 'address', 'chain_id as chainId', 'created_at as createdAt'] as const
const EVERY_CHAIN = 0

/** People, by the wallet that they signed in with. */
export function users({ query, dialect }: Database) {
  const find = async (address: Address, chainId: number | null): Promise<User | undefined> => {
    const row = await query
      .selectFrom('users')
      .select(COLUMNS)
      .where('address', '=', address)
      .where('chain_id', '=', chainId ?? EVERY_CHAIN)
      .executeTakeFirst()
    return row && toUser(row)
  }
  return {
    /** The user of a proof, where there was one before. */
    find,

    async get(id: string): Promise<User | undefined> {
      const row = await query.selectFrom('users').select(COLUMNS).where('id', '=', id).executeTakeFirst()
      return row && toUser(row)
    },

    /** The user of a proof: made when seen for the first time, by whichever of several at once comes first. */
    async of(address: Address, chainId: number | null): Promise<User> {
      await query
        .insertInto('users')
        .values({ id: crypto.randomUUID(), address, chain_id: chainId ?? EVERY_CHAIN, created_at: dialect.now })
        .onConflict((on) => on.doNothing())
        .execute()
      const user = await find(address, chainId)
      if (user === undefined) throw new CountersignError('internal', 'A user is gone that was there.')
      return user
    },
  } as const
}

function toUser({ chainId, ...row }: Omit<User, 'chainId'> & Readonly<{ chainId: number }>): User {
  return { ...row, chainId: chainId === EVERY_CHAIN ? null : chainId }
}
