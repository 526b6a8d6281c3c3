import { ok, type Result, refuse } from '../lib/result.ts'
import { formatDecimal, groupThousands } from '../lib/usd.ts'
import type { Approval } from '../policy/index.ts'
import { contractOf } from '../registry/index.ts'
import { isEvmTx } from '../schema/action.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { PaperAmount, StoredTransaction } from '../storage/index.ts'
import { gasOf } from './gas-estimate.ts'
import { originName } from './origin.ts'
import type { PaperBooks } from './paper-books.ts'
import { type Filled, type FillFacts, fillOf, PERPS_PLACE, WALLET_PLACE } from './paper-fill.ts'
import { openingOf } from './paper-opening.ts'
import { pricesOf, worthOf } from './paper-statement.ts'
import { marketsWith } from './perps.ts'
import { admitAction } from './preflight.ts'
import type { Quote, Reader } from './tool.ts'

/** What is read of the world before a fill. What is held is read in the transaction that fills. */
type World = Omit<FillFacts, 'held' | 'granted'>

/**
 * Fills an approval on paper, in one database transaction under the wallet's lock: the books, the hold, which is posted as
 * by an execution, and the approval, which is used up. What was filled before is said again.
 */
export async function settle(approval: Approval, books: PaperBooks): Promise<Result<string>> {
  const { storage, owner, publicKey, reader } = books
  const { stores } = storage
  const { requestHash } = approval
  const before = await stores.paper.fillOf(requestHash)
  if (before) return ok(filledText(before.flows))
  const transaction = await stores.transactions.byRequestHash(requestHash)
  const verdict = await stores.verdicts.byRequestHash(requestHash)
  const now = await storage.now()
  const admitted = admitAction(approval, { transaction, verdict, now }, { wallet: owner.wallet, publicKey })
  if (!admitted.ok) return admitted
  const { legs, transaction: stored } = admitted.value
  const { proposedTx } = stored
  if (!isEvmTx(proposedTx) && proposedTx.protocol !== PERPS_PLACE)
    return ok(
      `Decided; nothing was signed or sent. Actions of ${proposedTx.protocol} without a transaction are not kept on paper.`,
    )
  if (stored.chainId !== owner.chainId) return refuse(`Paper is kept for chain ${owner.chainId}.`)
  const known = (await books.account())?.held
  const opening = known ?? (await openingOf(books))
  const world = await worldOf({ legs, stored, held: opening }, books)
  const worth = known === undefined ? worthOf(opening, await pricesOf(opening, reader)) : 0n

  return storage.transaction(async (inner) => {
    await inner.wallets.lock(owner.wallet)
    const again = await inner.paper.fillOf(requestHash)
    if (again) return ok(filledText(again.flows))
    const account = (await books.read(inner)) ?? (await books.open(inner, opening, worth))
    const filled = fillOf({ ...world, held: account.held, granted: account.granted })
    if (!filled.ok) return filled
    const inTime = (admitted.value.verdict.approvedUntil ?? 0) > (await storage.now())
    // Used up: neither another fill nor a signature can have it. Where another process decides, the hold is that one's.
    if (!inTime || !(await inner.transactions.move(requestHash, ['APPROVED'], 'EXPIRED')))
      return refuse('The approval has expired.')
    await inner.holds.settle(requestHash, 'posted')
    const { portfolio, held } = account
    for (const flow of filled.value.flows) await inner.paper.hold(portfolio.seq, movedBy(flow, held))
    for (const grant of filled.value.grants) await inner.paper.grant(portfolio.seq, grant)
    const { flows, feeMicroUsd, gasMicroUsd } = filled.value
    const origin = originName(stored.metadata)
    const fill = { requestHash, origin, description: stored.description, flows, feeMicroUsd, gasMicroUsd }
    await inner.paper.record(portfolio.seq, fill)
    await inner.audit.append({
      kind: 'paper-fill',
      subject: requestHash,
      payload: { origin, flows: textsOf(filled.value) },
    })
    return ok(filledText(flows))
  })
}

function movedBy(flow: PaperAmount, held: readonly PaperAmount[]): PaperAmount {
  const before = held.find(({ place, asset }) => place === flow.place && asset === flow.asset)
  return { ...flow, amount: (before?.amount ?? 0n) + flow.amount }
}

type Known = Readonly<{ legs: readonly DecodedLeg[]; stored: StoredTransaction; held: readonly PaperAmount[] }>

/** Quotes, prices, marks and gas of now. */
async function worldOf({ legs, stored, held }: Known, { reader, owner }: PaperBooks): Promise<World> {
  const { wallet, chainId } = owner
  const { proposedTx } = stored
  const onChain = isEvmTx(proposedTx)
  const assets = [...new Set(['native', ...legs.flatMap(assetsOf)])]
  const atVenue = legs.some(({ order, margin }) => order !== undefined || margin !== undefined)
  const open = held.flatMap(({ place, symbol }) => (place === PERPS_PLACE ? [symbol] : []))
  const symbols = [...open, ...legs.flatMap(({ order }) => order?.symbol ?? [])]
  const [tokens, quotes, fees, listed] = await Promise.all([
    Promise.all(assets.map(async (asset) => [asset, await reader.token(asset)] as const)),
    Promise.all(legs.map(async (leg, i) => [i, await quoteOf(leg, wallet, reader)] as const)),
    onChain ? reader.fees() : undefined,
    atVenue && reader.perps ? marketsWith(symbols, reader.perps) : [],
  ])
  const priced = await pricesOf(
    assets.map((asset) => ({ place: WALLET_PLACE, asset, symbol: '', decimals: 0, amount: 0n })),
    reader,
  )
  return {
    wallet,
    legs,
    target: onChain ? proposedTx.to.toLowerCase() : undefined,
    permit2: contractOf(chainId, 'permit2'),
    gas: fees === undefined ? 0n : gasOf(legs) * (fees.base + fees.tip),
    tokens: new Map([
      ...held.map(({ asset, symbol, decimals }) => [asset, { symbol, decimals }] as const),
      ...tokens.flatMap(([asset, token]) => (token.ok ? [[asset, token.value] as const] : [])),
    ]),
    quotes: new Map(quotes.flatMap(([i, quote]) => (quote === undefined ? [] : [[i, quote] as const]))),
    markets: new Map(listed.map((market) => [String(market.id), market])),
    prices: new Map(
      assets.flatMap((asset) => {
        const price = priced({ place: WALLET_PLACE, asset })
        return price === undefined ? [] : [[asset, price] as const]
      }),
    ),
  }
}

function assetsOf({ spends, receives, positions = [] }: DecodedLeg): readonly string[] {
  return [...spends, ...receives, ...positions].map(({ asset }) => asset)
}

/** What the market gives for a swap of one token for another; nothing for what is no such thing, or has no quote. */
async function quoteOf(leg: DecodedLeg, wallet: string, reader: Reader): Promise<Quote | undefined> {
  const [spend, ...others] = leg.spends
  const [receive, ...more] = leg.receives
  if (leg.kind !== 'swap' || !spend || !receive || others.length + more.length > 0) return undefined
  if (spend.party.toLowerCase() !== wallet) return undefined
  const [sell, buy] = await Promise.all([reader.token(spend.asset), reader.token(receive.asset)])
  if (!sell.ok || !buy.ok) return undefined
  const exactOut = spend.bound === 'max' && receive.bound === 'exact'
  const amount = BigInt(exactOut ? receive.amount : spend.amount)
  const quote = await reader.quote(sell.value, buy.value, amount, exactOut ? 'exact-out' : 'exact-in')
  return quote.ok ? quote.value : undefined
}

/** What moved, for people: `-25 USDC, +0.0099 WETH`. */
function filledText(flows: readonly PaperAmount[]): string {
  const moved = flows.map(({ place, symbol, decimals, amount }) => {
    const text = groupThousands(formatDecimal(amount < 0n ? -amount : amount, decimals))
    const where = place === WALLET_PLACE ? '' : place.startsWith('debt ') ? ' owed' : ' at the venue'
    return `${amount < 0n ? '-' : '+'}${text} ${symbol}${where}`
  })
  return `Filled on paper: ${moved.join(', ') || 'nothing moved'}. Nothing was sent.`
}

function textsOf({ flows }: Filled): readonly Readonly<Record<string, string>>[] {
  return flows.map(({ place, asset, amount }) => ({ place, asset, amount: String(amount) }))
}
