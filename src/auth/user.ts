import type { Address } from '../lib/address.ts'
import type { User as UserRow } from '../storage/index.ts'

/** Whoever proved control of a wallet: on every chain by its key (`chainId` null), or on one by its contract. */
export type User = Readonly<{ id: string; address: Address; chainId: number | null }>

/** The user of a row. */
export function userOf({ id, address, chainId }: UserRow): User {
  return { id, address, chainId }
}
