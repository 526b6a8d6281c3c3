import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import type { Approval } from '../policy/index.ts'
import type { PaperFill, PaperOwner, Stores } from '../storage/index.ts'
import type { PaperAccount, PaperBooks, PaperSettings } from './paper-books.ts'
import { openingOf } from './paper-opening.ts'
import { settle } from './paper-settling.ts'
import { dayOf, pricesOf, type Statement, statementOf, worthOf } from './paper-statement.ts'
import { refusalOf } from './preflight.ts'

/** The paper portfolio of a dry run. */
export type Paper = Readonly<{
  /** Fills an approved action, once for each requestHash. What it says is for people. A refusal changed nothing. */
  fill(approval: Approval): Promise<Result<string>>
  /** Nothing before the first fill, unless it begins with balances of its own. */
  account(): Promise<PaperAccount | undefined>
  /** What it is worth, and who made what of it. */
  statement(): Promise<Statement | undefined>
  isFilled(requestHash: string): Promise<boolean>
  /** What was filled in the portfolio of now, oldest first. */
  fills(): Promise<readonly PaperFill[]>
  /** Notes for the day what it is worth now. */
  mark(): Promise<void>
  /** Ends it: the next fill begins another. False where there was none. */
  reset(by: string): Promise<boolean>
}>

/**
 * The paper portfolio of a wallet. It is fed by approvals alone, and no decision reads it; what it fills counts against the
 * limits of the policy as an execution would.
 *
 * @throws CountersignError invalid_request in direct mode: there is no paper beside real money
 */
export function createPaper(settings: PaperSettings): Paper {
  const { storage, owner, mode, reader, balances } = settings
  if (mode !== 'dry-run' || owner.mode !== 'dry-run')
    throw new CountersignError('invalid_request', 'A paper portfolio exists in dry-run alone.')
  const read = (stores: Stores) => accountOf(stores, owner)
  const open: PaperBooks['open'] = async ({ paper }, opening, worth) => {
    const portfolio = await paper.open(owner, opening)
    await paper.mark(portfolio.seq, dayOf(portfolio.openedAt), worth)
    return { portfolio, held: opening, granted: [] }
  }
  const begin = async () => {
    const opening = await openingOf({ ...settings, chainId: owner.chainId })
    const worth = worthOf(opening, await pricesOf(opening, reader))
    return storage.transaction(async (stores) => {
      await stores.wallets.lock(owner.wallet)
      return (await read(stores)) ?? open(stores, opening, worth)
    })
  }
  const account = async () => (await read(storage.stores)) ?? (balances && (await begin()))
  const mark = async ({ portfolio, held }: PaperAccount) => {
    const worth = worthOf(held, await pricesOf(held, reader))
    await storage.stores.paper.mark(portfolio.seq, dayOf(await storage.now()), worth)
  }
  return {
    account,
    async fill(approval) {
      const books = { ...settings, chainId: owner.chainId, account, read, open }
      const filled = await settle(approval, books).catch(refusalOf)
      const now = filled.ok ? await read(storage.stores) : undefined
      // What it is worth is told again and again: a price that is not there now holds up nothing.
      if (now !== undefined) await mark(now).catch(() => undefined)
      return filled
    },
    isFilled: async (requestHash) => (await storage.stores.paper.fillOf(requestHash as Hex)) !== undefined,
    async fills() {
      const now = await storage.stores.paper.current(owner)
      return now === undefined ? [] : storage.stores.paper.fills(now.seq)
    },
    async statement() {
      const now = await account()
      if (now === undefined) return undefined
      await mark(now)
      const { portfolio, held } = now
      const { paper } = storage.stores
      const [fills, days] = await Promise.all([paper.fills(portfolio.seq), paper.days(portfolio.seq)])
      return statementOf({ ...now, fills, days }, await pricesOf([...held, ...portfolio.opening], reader))
    },
    async mark() {
      const now = await read(storage.stores)
      if (now !== undefined) await mark(now)
    },
    reset: (by) =>
      storage.transaction(async ({ wallets, paper, audit }) => {
        await wallets.lock(owner.wallet)
        const closed = await paper.close(owner)
        if (closed) await audit.append({ kind: 'paper-reset', subject: owner.wallet, payload: { by } })
        return closed
      }),
  }
}

async function accountOf({ paper }: Stores, owner: PaperOwner): Promise<PaperAccount | undefined> {
  const portfolio = await paper.current(owner)
  if (portfolio === undefined) return undefined
  return { portfolio, held: await paper.holdings(portfolio.seq), granted: await paper.grants(portfolio.seq) }
}
