import type { Hex } from '../lib/hash.ts'
import type { MicroUsd } from '../lib/usd.ts'
import type { PaperAmount, PaperGrant, PaperOwner, PaperPortfolio, Storage, Stores } from '../storage/index.ts'
import type { Reader } from './tool.ts'

/** What a portfolio holds now and which rights it has given. */
export type PaperAccount = Readonly<{
  portfolio: PaperPortfolio
  held: readonly PaperAmount[]
  granted: readonly PaperGrant[]
}>

/** What a paper portfolio is built from. */
export type PaperSettings = Readonly<{
  storage: Storage
  owner: PaperOwner
  /** The execution mode of the process. */
  mode: 'dry-run' | 'direct'
  /** Reads the real world: quotes, prices, and what the wallet really has. */
  reader: Reader
  /** The key that receipts of approvals are signed with. */
  publicKey: Hex
  /** What it begins with, as decimal texts by symbol, in place of what the wallet has. */
  balances?: Readonly<Record<string, string>> | undefined
  /** US dollars in the margin account of perpetuals, in place of what is in it. */
  margin?: string | undefined
}>

/** What settling works with. */
export type PaperBooks = Omit<PaperSettings, 'mode'> &
  Readonly<{
    chainId: number
    account(): Promise<PaperAccount | undefined>
    /** The same within a transaction. */
    read(stores: Stores): Promise<PaperAccount | undefined>
    open(stores: Stores, opening: readonly PaperAmount[], worth: MicroUsd): Promise<PaperAccount>
  }>
