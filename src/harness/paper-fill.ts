import type { Address } from '../lib/address.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { formatDecimal, type MicroUsd, parseDecimal, valueOf } from '../lib/usd.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { PaperAmount, PaperGrant } from '../storage/index.ts'
import { type Ledger, ledgerOf } from './paper-ledger.ts'
import type { Quote } from './tool.ts'

/** Where money lies that the wallet itself has. */
export const WALLET_PLACE = 'wallet'
/** Where perpetuals are kept, in units of their market with so many decimals, and dollars. */
export const PERPS_PLACE = 'hyperliquid'
export const SIZE_DECIMALS = 8
export const DOLLARS = { asset: 'USD', symbol: 'USD', decimals: 6 } as const

/** What a taker pays of an order's worth, in hundredths of a basis point: Hyperliquid's docs, "Fees", perps, base tier. */
const TAKER_FEE = 450n
const MILLION = 1_000_000n

/** A token as far as it is written down. */
export type PaperToken = Readonly<{ symbol: string; decimals: number }>

/** A market of perpetuals: its symbol, its mark price as a decimal text, and the most leverage. */
export type PaperMarket = Readonly<{ symbol: string; mark: string; maxLeverage: number }>

/** Everything that a fill depends on. Prices in US dollars with eight decimals; gas in wei. */
export type FillFacts = Readonly<{
  wallet: Address
  legs: readonly DecodedLeg[]
  /** The contract that is called; nothing for an order. */
  target: string | undefined
  /** Where Permit2 is on the chain. */
  permit2: string | undefined
  gas: bigint
  tokens: ReadonlyMap<string, PaperToken>
  /** What the market gives now, by the number of the leg. */
  quotes: ReadonlyMap<number, Quote>
  markets: ReadonlyMap<string, PaperMarket>
  prices: ReadonlyMap<string, bigint>
  held: readonly PaperAmount[]
  granted: readonly PaperGrant[]
}>

/** What a fill does: what it moves on balance, which rights it leaves, and what the venues keep of it. */
export type Filled = Readonly<{
  flows: readonly PaperAmount[]
  grants: readonly PaperGrant[]
  feeMicroUsd: MicroUsd
  gasMicroUsd: MicroUsd
}>

/**
 * Fills an approved action on paper: swaps at the quote within their limits, orders at the mark, all else by its bytes. A
 * refusal says why it could not have happened. Pure.
 */
export function fillOf(facts: FillFacts): Result<Filled> {
  const { legs, gas, prices, tokens, held } = facts
  const ledger = ledgerOf(held, tokens, PERPS_PLACE)
  let fee = 0n
  for (const [i, leg] of legs.entries()) {
    const paid = leg.order ? orderOf(leg, leg.order, facts, ledger) : movesOf(leg, facts.quotes.get(i), facts, ledger)
    if (!paid.ok) return paid
    fee += paid.value
  }
  ledger.move(WALLET_PLACE, 'native', -gas)
  const short = ledger.short()
  if (short !== undefined) return refuse(shortText(short, ledger, held))
  const price = prices.get('native')
  const gasMicroUsd = price === undefined ? 0n : valueOf(gas, 18, price, 'up')
  return ok({ flows: ledger.flows(), grants: grantsOf(facts, ledger), feeMicroUsd: fee, gasMicroUsd })
}

/** What leaves, arrives and lies elsewhere by a leg. Gives the venue's fee. */
function movesOf(
  leg: DecodedLeg,
  quote: Quote | undefined,
  { wallet, prices, tokens, markets }: FillFacts,
  ledger: Ledger,
): Result<MicroUsd> {
  const margin = BigInt(leg.margin ?? 0)
  const own = (flow: Readonly<{ party: string }>) => flow.party.toLowerCase() === wallet
  const spends = margin < 0n ? [] : leg.spends.filter(own)
  if (leg.protocol === PERPS_PLACE && margin === 0n && spends.length > 0)
    return refuse("The venue's spot balances are not kept on paper.")
  const swap = leg.kind === 'swap' ? quote : undefined
  const bounds = swap ? withinBounds(leg, swap) : ok(true)
  if (!bounds.ok) return bounds
  const changed = (leg.positions ?? []).filter(own).map((position) => changeOf(position, ledger))
  const [moved] = changed
  for (const { asset, amount, bound } of spends) {
    const most = BigInt(amount)
    // No more is paid back than is owed, and an exact output takes what the quote takes.
    const taken = leg.kind === 'repay' ? least(most, moved ?? most) : bound === 'max' ? (swap?.amountIn ?? most) : most
    ledger.move(WALLET_PLACE, asset, -taken)
  }
  for (const { asset, amount, bound } of margin > 0n ? [] : leg.receives.filter(own)) {
    const least_ = BigInt(amount)
    const given =
      leg.kind === 'withdraw' && least_ === 0n ? (moved ?? 0n) : bound === 'min' ? (swap?.amountOut ?? least_) : least_
    ledger.move(WALLET_PLACE, asset, given)
  }
  if (margin !== 0n) ledger.move(PERPS_PLACE, DOLLARS.asset, margin, DOLLARS)
  if (margin < 0n && !isCarried(ledger, markets)) return refuse('The margin on paper does not bear what is taken out.')
  return ok(swap ? feeOf(leg, swap, { prices, tokens }) : 0n)
}

/** The quote must keep what the chain would enforce. */
function withinBounds({ spends, receives }: DecodedLeg, { amountIn, amountOut }: Quote): Result<true> {
  const least_ = receives.find(({ bound }) => bound === 'min')
  if (least_ && amountOut < BigInt(least_.amount)) return refuse('The quote has fallen below the minimum output.')
  const most = spends.find(({ bound }) => bound === 'max')
  return most && amountIn > BigInt(most.amount) ? refuse('The quote has risen above the most that is paid.') : ok(true)
}

function feeOf(
  { spends }: DecodedLeg,
  { fee, amountIn }: Quote,
  { prices, tokens }: Pick<FillFacts, 'prices' | 'tokens'>,
) {
  const [sold] = spends
  const price = sold && prices.get(sold.asset)
  const token = sold && tokens.get(sold.asset)
  return price === undefined || !token ? 0n : valueOf((amountIn * BigInt(fee)) / MILLION, token.decimals, price, 'up')
}

type Position = NonNullable<DecodedLeg['positions']>[number]

/** Changes what lies or is owed at a venue; how much that came to. */
function changeOf({ market, marketId, side, change, asset, amount }: Position, ledger: Ledger): bigint {
  const where = marketId ? `${market} ${marketId}` : market
  const place = side === 'supply' ? where : `debt ${where}`
  if (change === 'increase') {
    const more = BigInt(amount ?? 0)
    ledger.move(place, asset, more)
    return more
  }
  const there = ledger.at(place, asset)
  const less = amount === null || side === 'debt' ? least(BigInt(amount ?? there), there) : BigInt(amount)
  ledger.move(place, asset, -less)
  return less
}

/** An order that would be filled at once is, at the mark. Gives the venue's fee. */
function orderOf(
  leg: DecodedLeg,
  order: NonNullable<DecodedLeg['order']>,
  { markets }: FillFacts,
  ledger: Ledger,
): Result<MicroUsd> {
  const market = markets.get(order.market)
  if (leg.protocol !== PERPS_PLACE || !market) return refuse('Orders for this market are not filled on paper.')
  const { symbol } = market
  const mark = parseDecimal(market.mark, 8)
  const limit = order.price === null ? undefined : parseDecimal(order.price, 8)
  const crosses = limit === undefined || (order.side === 'buy' ? limit >= mark : limit <= mark)
  if (order.trigger !== null || !crosses)
    return refuse(
      `The order would wait: the mark of ${symbol} is ${market.mark}. Orders that wait are not kept on paper.`,
    )
  if (order.timeInForce === 'Alo')
    return refuse('The venue would refuse an order that only adds and is filled at once.')
  const open = ledger.at(PERPS_PLACE, symbol)
  const wanted = parseDecimal(order.size, SIZE_DECIMALS) * (order.side === 'buy' ? 1n : -1n)
  const against = open !== 0n && open > 0n !== wanted > 0n
  if (order.reduceOnly && !against) return refuse(`There is no position of ${symbol} on paper that it would shrink.`)
  const size = order.reduceOnly && magnitude(wanted) > magnitude(open) ? -open : wanted
  const worth = valueOf(magnitude(size), SIZE_DECIMALS, mark, 'up')
  const fee = (worth * TAKER_FEE + MILLION - 1n) / MILLION
  ledger.move(PERPS_PLACE, symbol, size, { symbol, decimals: SIZE_DECIMALS })
  ledger.move(PERPS_PLACE, DOLLARS.asset, (size > 0n ? -worth : worth) - fee, DOLLARS)
  const grows = magnitude(open + size) > magnitude(open)
  return grows && !isCarried(ledger, markets) ? refuse('The margin on paper does not bear this position.') : ok(fee)
}

/** Whether the account bears its positions at the most leverage that all of them allow. */
function isCarried(ledger: Ledger, markets: FillFacts['markets']): boolean {
  let [equity, open, leverage] = [ledger.at(PERPS_PLACE, DOLLARS.asset), 0n, 50n]
  for (const { symbol, mark, maxLeverage } of markets.values()) {
    const size = ledger.at(PERPS_PLACE, symbol)
    if (size === 0n) continue
    const worth = valueOf(magnitude(size), SIZE_DECIMALS, parseDecimal(mark, 8), 'up')
    equity += size > 0n ? worth : -worth
    open += worth
    leverage = least(leverage, BigInt(maxLeverage))
  }
  return equity * leverage >= open
}

/** Rights that are given now, less what this action takes by those that were there. */
function grantsOf({ wallet, legs, target, permit2, granted }: FillFacts, ledger: Ledger): readonly PaperGrant[] {
  const after = new Map<string, PaperGrant>()
  const keyOf = ({ asset, spender }: Pick<PaperGrant, 'asset' | 'spender'>) => `${asset} ${spender}`
  for (const { protocol, grants } of legs)
    for (const { asset, owner, spender, amount, expiresAt } of grants) {
      if (owner.toLowerCase() !== wallet) continue
      const grant = {
        asset,
        spender: protocol === 'permit2' ? `permit2 ${spender}` : spender,
        amount: BigInt(amount),
        expiresAt,
      }
      after.set(keyOf(grant), grant)
    }
  const through = granted.filter(
    ({ spender }) => target !== undefined && (spender === target || spender === `permit2 ${target}`),
  )
  for (const { asset, amount } of ledger.flows()) {
    if (amount >= 0n) continue
    const used = through.filter((grant) => grant.asset === asset)
    const viaPermit2 = used.some(({ spender }) => spender.startsWith('permit2 '))
    const base = viaPermit2 ? granted.filter((one) => one.asset === asset && one.spender === permit2) : []
    for (const grant of [...used, ...base])
      if (grant.amount < ENDLESS) after.set(keyOf(grant), { ...grant, amount: most(0n, grant.amount + amount) })
  }
  return [...after.values()]
}

/** At and above this a right means "all there ever is", and tokens do not count it down. */
const ENDLESS = 1n << 159n

function shortText(
  { place, asset }: Readonly<{ place: string; asset: string }>,
  ledger: Ledger,
  held: readonly PaperAmount[],
) {
  const { symbol, decimals } = ledger.tokenOf(place, asset)
  const had = held.find((one) => one.place === place && one.asset === asset)?.amount ?? 0n
  const needed = had - ledger.at(place, asset)
  const where = place === WALLET_PLACE ? '' : ' there'
  return `On paper there is ${formatDecimal(had, decimals)} ${symbol}${where}, and this takes ${formatDecimal(needed, decimals)}${asset === 'native' ? ', gas included' : ''}.`
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
