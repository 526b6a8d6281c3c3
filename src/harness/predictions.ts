import type { StandingOrder } from '../chain/index.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { POLYMARKET_CHAIN, polymarketExchange } from '../registry/index.ts'
import type { ProposedTx } from '../schema/action.ts'

/** A market of predictions: its outcomes, each with its token and last price, a decimal text in US dollars. */
export type PredictionMarket = Readonly<{
  slug: string
  question: string
  outcomes: readonly Readonly<{ outcome: string; id: string; price: string }>[]
}>

/** How an outcome trades now. `tick` is the step of prices, `minSize` the least number of shares. */
export type OutcomeTerms = Readonly<{
  id: string
  outcome: string
  negRisk: boolean
  tick: string
  minSize: string
  bid: string
  ask: string
  mid: string
}>

/** Who orders are for and who signs them. */
export type PredictionAccount = Readonly<{ maker: string; signer: string; signatureType: 0 | 1 | 2 | 3 }>

/** What tools may read of the venue of predictions. */
export type Predictions = Readonly<{
  find(words: string): Promise<readonly PredictionMarket[]>
  market(slug: string): Promise<PredictionMarket | undefined>
  terms(id: string): Promise<OutcomeTerms | undefined>
  /** Refused where the harness has no key that the venue would show them to. */
  openOrders(): Promise<Result<readonly Omit<StandingOrder, 'maker'>[]>>
  account: PredictionAccount
  /** Basis points that a limit price may be from the mid price. */
  boundBps(): Promise<number>
}>

/** What is wanted of an outcome: `price` in units of 10^-6 dollars, `shares` in units of 10^-6. */
export type WantedOrder = Readonly<{
  side: 'buy' | 'sell'
  price: bigint
  shares: bigint
  orderType: 'GTC' | 'GTD' | 'FOK' | 'FAK'
  /** Unix seconds; 0 where it stands until it is cancelled. */
  expiration: number
}>

const DECIMALS = 6
const UNIT = 10n ** BigInt(DECIMALS)
/** The venue takes sizes, and dollars of orders that fill at once, in hundredths. */
const HUNDREDTH = UNIT / 100n
const NOTHING: `0x${string}` = `0x${'0'.repeat(64)}`

/** The venue as the tools see it; nothing where the wallet is of another chain. */
export function predictionsOf({
  chainId,
  reader,
}: Readonly<{ chainId: number; reader: Readonly<{ predictions?: Predictions | undefined }> }>): Result<Predictions> {
  if (chainId !== POLYMARKET_CHAIN || reader.predictions === undefined)
    return refuse(
      `Predictions are traded by a wallet of chain ${POLYMARKET_CHAIN}, and this one is of chain ${chainId}.`,
    )
  return ok(reader.predictions)
}

/** An outcome of a market, both by their names in any case. */
export async function outcomeNamed(
  predictions: Predictions,
  slug: string,
  name: string,
): Promise<Result<OutcomeTerms>> {
  const market = await predictions.market(slug.toLowerCase())
  if (market === undefined) return refuse(`The venue has no open market "${slug.slice(0, 80)}".`)
  const found = market.outcomes.find(({ outcome }) => outcome.toLowerCase() === name.toLowerCase())
  if (found === undefined)
    return refuse(`Its outcomes are ${market.outcomes.map(({ outcome }) => outcome.slice(0, 40)).join(', ')}.`)
  const terms = await predictions.terms(found.id)
  return terms === undefined ? refuse('The venue does not trade that outcome now.') : ok(terms)
}

/** Units of a decimal text, digits beyond them cut off. */
export function unitsIn(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'))
}

/** A price as the venue takes it: a purchase's limit is rounded down to the tick and a sale's up, never worse than it says. */
export function tickPrice(price: bigint, tick: string, side: 'buy' | 'sell'): Result<bigint> {
  const step = unitsIn(tick)
  const rounded = side === 'buy' ? (price / step) * step : ((price + step - 1n) / step) * step
  if (rounded < step || rounded > UNIT - step)
    return refuse(`The price must be from ${tick} to ${textOf(UNIT - step)}, in steps of ${tick}.`)
  return ok(rounded)
}

/** A size as the venue takes it: hundredths of a share, never more than was asked for. */
export function wireShares(text: string, minSize: string): Result<bigint> {
  const shares = (unitsIn(text) / HUNDREDTH) * HUNDREDTH
  return shares < unitsIn(minSize) || shares === 0n ? refuse(`The venue takes ${minSize} shares or more.`) : ok(shares)
}

/**
 * An order in the venue's own form. What fills at once names the dollars that are paid, in cents, and as many shares as
 * they buy at the limit; what may stand names the shares, and what they cost.
 */
export function predictionOrder(
  { id, negRisk, tick }: OutcomeTerms,
  wanted: WantedOrder,
  { account, now }: Readonly<{ account: PredictionAccount; now: Date }>,
): Result<ProposedTx> {
  const { side, orderType, expiration } = wanted
  const exchange = polymarketExchange(BigInt(id), negRisk)
  if (exchange === undefined) return refuse('No exchange is known that trades this outcome.')
  const { dollars, shares } = amountsOf(wanted, tick)
  if (dollars === 0n || shares === 0n) return refuse('The order is worth less than the venue counts in.')
  const [makerAmount, takerAmount] = side === 'buy' ? [dollars, shares] : [shares, dollars]
  const order = {
    salt: String(Number.parseInt(crypto.randomUUID().replaceAll('-', '').slice(0, 12), 16)),
    ...account,
    tokenId: id,
    makerAmount: makerAmount.toString(),
    takerAmount: takerAmount.toString(),
    side: side === 'buy' ? 0 : 1,
    timestamp: String(now.getTime()),
    metadata: NOTHING,
    builder: NOTHING,
  }
  return ok({ protocol: 'polymarket', chainId: POLYMARKET_CHAIN, exchange, order, orderType, expiration })
}

/** Orders to take back, by their hashes. */
export function predictionCancel(ids: readonly string[]): ProposedTx {
  return { protocol: 'polymarket', chainId: POLYMARKET_CHAIN, cancel: ids }
}

/** Units of 10^-6 as a decimal text. */
export function textOf(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '')
}

function amountsOf({ side, price, shares, orderType }: WantedOrder, tick: string) {
  const cost = (shares * price) / UNIT
  const atOnce = orderType === 'FOK' || orderType === 'FAK'
  if (side === 'sell' || !atOnce) return { dollars: cost, shares }
  const dollars = (cost / HUNDREDTH) * HUNDREDTH
  // As fine as the venue counts shares: two decimals more than its prices have.
  const [, fraction = ''] = tick.split('.')
  const step = 10n ** BigInt(DECIMALS - Math.min(DECIMALS, fraction.length + 2))
  return { dollars, shares: ((dollars * UNIT) / price / step) * step }
}
