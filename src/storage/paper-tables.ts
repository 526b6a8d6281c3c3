import type { Generated } from 'kysely'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { MicroUsd } from '../lib/usd.ts'

/** Tables of paper portfolios. No decision reads them. */
export type PaperTables = {
  /** At most one that is open (`closed_at` null) a wallet, chain and mode. Paper exists in dry runs alone. */
  paper_portfolios: {
    seq: Generated<number>
    wallet: Address
    chain_id: number
    mode: 'dry-run'
    opening: string
    opened_at: number
    closed_at: number | null
  }
  /** Amounts are decimal texts of integers of any size, below zero too. */
  paper_holdings: {
    portfolio: number
    place: string
    asset: string
    symbol: string
    decimals: number
    amount: string
  }
  paper_grants: { portfolio: number; asset: string; spender: string; amount: string; expires_at: number | null }
  paper_fills: {
    seq: Generated<number>
    request_hash: Hex
    portfolio: number
    origin: string
    description: string
    flows: string
    fee_micro_usd: MicroUsd
    gas_micro_usd: MicroUsd
    filled_at: number
  }
  /** `day` is YYYY-MM-DD in UTC. */
  paper_days: {
    portfolio: number
    day: string
    first_micro_usd: string
    last_micro_usd: string
    marked_at: number
  }
}
