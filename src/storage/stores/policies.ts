import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Policy } from '../../schema/policy.ts'
import type { Database } from '../database.ts'

/** One version of a wallet's policy (contract section 3). `createdBy` says who wrote it. */
export type PolicyVersion = Readonly<{
  walletAddress: Address
  version: number
  policy: Policy
  createdAt: number
  createdBy: string
}>

/** A policy to write. With `ifVersion` only on top of that version; 0 is the absence of any. */
export type NewPolicy = Pick<PolicyVersion, 'walletAddress' | 'policy' | 'createdBy'> & Readonly<{ ifVersion?: number }>

const COLUMNS = [
  'wallet_address as walletAddress',
  'version',
  'policy',
  'created_at as createdAt',
  'created_by as createdBy',
] as const

/** The policies of wallets, every version of them. */
export function policies(database: Database) {
  const { dialect, atomically } = database
  const newestOf = (from: Database, walletAddress: Address) =>
    from.query
      .selectFrom('policies')
      .select(COLUMNS)
      .where('wallet_address', '=', walletAddress)
      .orderBy('version', 'desc')
  return {
    async current(walletAddress: Address): Promise<PolicyVersion | undefined> {
      const row = await newestOf(database, walletAddress).limit(1).executeTakeFirst()
      return row && toVersion(row)
    },

    /**
     * Appends a version: one more than the current, however many write at once.
     *
     * @throws CountersignError precondition_failed when the current version is not `ifVersion`
     */
    async write({ walletAddress, policy, createdBy, ifVersion }: NewPolicy): Promise<PolicyVersion> {
      return atomically(async (inner) => {
        await dialect.lock(inner.query, `policy of ${walletAddress}`)
        const current = await newestOf(inner, walletAddress).limit(1).executeTakeFirst()
        const version = current?.version ?? 0
        if (ifVersion !== undefined && ifVersion !== version) {
          throw new CountersignError('precondition_failed', `The current version of the policy is ${version}.`)
        }
        const row = await inner.query
          .insertInto('policies')
          .values({
            wallet_address: walletAddress,
            version: version + 1,
            policy: JSON.stringify(policy),
            created_at: dialect.now,
            created_by: createdBy,
          })
          .returning(COLUMNS)
          .executeTakeFirstOrThrow()
        return toVersion(row)
      })
    },

    /** Newest first. */
    async versions(walletAddress: Address): Promise<readonly PolicyVersion[]> {
      const rows = await newestOf(database, walletAddress).execute()
      return rows.map(toVersion)
    },
  } as const
}

function toVersion(row: Omit<PolicyVersion, 'policy'> & Readonly<{ policy: string }>): PolicyVersion {
  return { ...row, policy: JSON.parse(row.policy) as Policy }
}
