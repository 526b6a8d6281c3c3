import { sql } from 'kysely'
import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { MicroUsd } from '../../lib/usd.ts'
import type { Database } from '../database.ts'

/** Whose paper portfolio: one that is open for each. */
export type PaperOwner = Readonly<{ wallet: Address; chainId: number; mode: 'dry-run' }>

/**
 * An amount on paper in the asset's smallest unit; less than zero for what was sold or flows out. `place` is `wallet`, or
 * where else it lies: a venue, `<market>` for a deposit, `debt <market>` for what is owed there.
 */
export type PaperAmount = Readonly<{ place: string; asset: string; symbol: string; decimals: number; amount: bigint }>

/** A right on paper: `spender` is who may take, behind `permit2 ` where it takes through that. `expiresAt` in Unix seconds. */
export type PaperGrant = Readonly<{ asset: string; spender: string; amount: bigint; expiresAt: number | null }>

/** A paper portfolio, and what it began with. */
export type PaperPortfolio = Readonly<{ seq: number; openedAt: number; opening: readonly PaperAmount[] }>

/** An action that was filled on paper: by whom it was proposed, and what it moved. Costs in micro-USD. */
export type NewPaperFill = Readonly<{
  requestHash: Hex
  origin: string
  description: string
  flows: readonly PaperAmount[]
  feeMicroUsd: MicroUsd
  gasMicroUsd: MicroUsd
}>
export type PaperFill = NewPaperFill & Readonly<{ filledAt: number }>

/** What a portfolio was worth when a day (YYYY-MM-DD, UTC) was first and last looked at, in micro-USD. */
export type PaperDay = Readonly<{ day: string; first: MicroUsd; last: MicroUsd }>

/** Paper portfolios. Who fills does so in one transaction, under the wallet's lock. */
export function paper({ query, dialect }: Database) {
  return {
    /** The one that is open. */
    async current({ wallet, chainId, mode }: PaperOwner): Promise<PaperPortfolio | undefined> {
      const row = await query
        .selectFrom('paper_portfolios')
        .select(['seq', 'opened_at as openedAt', 'opening'])
        .where('wallet', '=', wallet)
        .where('chain_id', '=', chainId)
        .where('mode', '=', mode)
        .where('closed_at', 'is', null)
        .executeTakeFirst()
      return row && { ...row, opening: read(row.opening) }
    },

    async open({ wallet, chainId, mode }: PaperOwner, opening: readonly PaperAmount[]): Promise<PaperPortfolio> {
      const row = await query
        .insertInto('paper_portfolios')
        .values({ wallet, chain_id: chainId, mode, opening: written(opening), opened_at: dialect.now })
        .returning(['seq', 'opened_at as openedAt'])
        .executeTakeFirstOrThrow()
      for (const { place, asset, symbol, decimals, amount } of opening)
        await query
          .insertInto('paper_holdings')
          .values({ portfolio: row.seq, place, asset, symbol, decimals, amount: String(amount) })
          .execute()
      return { ...row, opening }
    },

    /** Whether one was open. Its fills stay, so that none of them can be filled again. */
    async close({ wallet, chainId, mode }: PaperOwner): Promise<boolean> {
      const closed = await query
        .updateTable('paper_portfolios')
        .set({ closed_at: dialect.now })
        .where('wallet', '=', wallet)
        .where('chain_id', '=', chainId)
        .where('mode', '=', mode)
        .where('closed_at', 'is', null)
        .returning('seq')
        .executeTakeFirst()
      return closed !== undefined
    },

    ...accounts(query),
    ...records(query, dialect),
  } as const
}

function accounts(query: Database['query']) {
  return {
    async holdings(portfolio: number): Promise<readonly PaperAmount[]> {
      const rows = await query
        .selectFrom('paper_holdings')
        .select(['place', 'asset', 'symbol', 'decimals', 'amount'])
        .where('portfolio', '=', portfolio)
        .orderBy('place')
        .orderBy('asset')
        .execute()
      return rows.map((row) => ({ ...row, decimals: Number(row.decimals), amount: BigInt(row.amount) }))
    },

    async hold(portfolio: number, { place, asset, symbol, decimals, amount }: PaperAmount): Promise<void> {
      await query
        .insertInto('paper_holdings')
        .values({ portfolio, place, asset, symbol, decimals, amount: String(amount) })
        .onConflict((on) => on.columns(['portfolio', 'place', 'asset']).doUpdateSet({ amount: String(amount) }))
        .execute()
    },

    async grants(portfolio: number): Promise<readonly PaperGrant[]> {
      const rows = await query
        .selectFrom('paper_grants')
        .select(['asset', 'spender', 'amount', 'expires_at as expiresAt'])
        .where('portfolio', '=', portfolio)
        .execute()
      return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }))
    },

    async grant(portfolio: number, { asset, spender, amount, expiresAt }: PaperGrant): Promise<void> {
      const set = { amount: String(amount), expires_at: expiresAt }
      await query
        .insertInto('paper_grants')
        .values({ portfolio, asset, spender, ...set })
        .onConflict((on) => on.columns(['portfolio', 'asset', 'spender']).doUpdateSet(set))
        .execute()
    },
  } as const
}

const FILL = [
  'request_hash as requestHash',
  'origin',
  'description',
  'flows',
  // As texts: an 8-byte integer does not fit a JavaScript number.
  sql<string>`cast(fee_micro_usd as text)`.as('feeMicroUsd'),
  sql<string>`cast(gas_micro_usd as text)`.as('gasMicroUsd'),
  'filled_at as filledAt',
] as const

function records(query: Database['query'], dialect: Database['dialect']) {
  return {
    /** @throws CountersignError conflict where the request was filled before, in whichever portfolio */
    async record(portfolio: number, fill: NewPaperFill): Promise<void> {
      await query
        .insertInto('paper_fills')
        .values({
          portfolio,
          request_hash: fill.requestHash,
          origin: fill.origin,
          description: fill.description,
          flows: written(fill.flows),
          fee_micro_usd: fill.feeMicroUsd,
          gas_micro_usd: fill.gasMicroUsd,
          filled_at: dialect.now,
        })
        .execute()
    },

    async fillOf(requestHash: Hex): Promise<PaperFill | undefined> {
      const row = await query
        .selectFrom('paper_fills')
        .select(FILL)
        .where('request_hash', '=', requestHash)
        .executeTakeFirst()
      return row && toFill(row)
    },

    /** Oldest first. */
    async fills(portfolio: number): Promise<readonly PaperFill[]> {
      const rows = await query
        .selectFrom('paper_fills')
        .select(FILL)
        .where('portfolio', '=', portfolio)
        .orderBy('seq')
        .execute()
      return rows.map(toFill)
    },

    /** Notes what a portfolio is worth on a day. */
    async mark(portfolio: number, day: string, worth: MicroUsd): Promise<void> {
      const last = { last_micro_usd: String(worth), marked_at: dialect.now }
      await query
        .insertInto('paper_days')
        .values({ portfolio, day, first_micro_usd: String(worth), ...last })
        .onConflict((on) => on.columns(['portfolio', 'day']).doUpdateSet(last))
        .execute()
    },

    /** Oldest first. */
    async days(portfolio: number): Promise<readonly PaperDay[]> {
      const rows = await query
        .selectFrom('paper_days')
        .select(['day', 'first_micro_usd as first', 'last_micro_usd as last'])
        .where('portfolio', '=', portfolio)
        .orderBy('day')
        .execute()
      return rows.map(({ day, first, last }) => ({ day, first: BigInt(first), last: BigInt(last) }))
    },
  } as const
}

type FillRow = Readonly<{
  requestHash: Hex
  origin: string
  description: string
  flows: string
  feeMicroUsd: string
  gasMicroUsd: string
  filledAt: number
}>

function toFill(row: FillRow): PaperFill {
  return {
    ...row,
    flows: read(row.flows),
    feeMicroUsd: BigInt(row.feeMicroUsd),
    gasMicroUsd: BigInt(row.gasMicroUsd),
  }
}

/** Amounts are written as decimal texts: JSON has no integers of their size. */
function written(amounts: readonly PaperAmount[]): string {
  return JSON.stringify(amounts.map((one) => ({ ...one, amount: String(one.amount) })))
}

function read(text: string): readonly PaperAmount[] {
  const list = JSON.parse(text) as readonly (Omit<PaperAmount, 'amount'> & Readonly<{ amount: string }>)[]
  return list.map((one) => ({ ...one, amount: BigInt(one.amount) }))
}
