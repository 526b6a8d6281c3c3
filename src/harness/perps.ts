import { ok, type Result, refuse } from '../lib/result.ts'
import { HYPER_EVM } from '../registry/index.ts'
import type { ProposedTx } from '../schema/action.ts'

/** A market of perpetuals. The mark price is a decimal text in US dollars. */
export type PerpMarket = Readonly<{
  id: number
  symbol: string
  sizeDecimals: number
  mark: string
  maxLeverage: number
}>

/** What the wallet has at the venue. Amounts are decimal texts in US dollars or in units of the market. */
export type PerpAccount = Readonly<{
  equity: string
  withdrawable: string
  positions: readonly Readonly<{
    symbol: string
    size: string
    entry: string | null
    mark: string | null
    profit: string
    leverage: number
    liquidation: string | null
  }>[]
  orders: readonly Readonly<{
    symbol: string
    side: 'buy' | 'sell'
    size: string
    price: string
    cloid: string | null
  }>[]
}>

/** What tools may read of the venue of perpetuals. */
export type Perps = Readonly<{
  /** Those of the venue, and of a builder's dex where one is named. */
  markets(dex?: string): Promise<readonly PerpMarket[]>
  account(): Promise<PerpAccount>
  /** Basis points that the policy allows between the mark price and a limit price. */
  boundBps(): Promise<number>
}>

/** The venue's rule for prices. Source: Hyperliquid's docs, "Tick and lot size". */
const SIGNIFICANT = 5
const PRICE_DECIMALS = 6

/** The venue as the tools see it; nothing where the wallet is of another chain. */
export function perpsOf({
  chainId,
  reader,
}: Readonly<{ chainId: number; reader: Readonly<{ perps?: Perps | undefined }> }>): Result<Perps> {
  if (chainId !== HYPER_EVM || reader.perps === undefined)
    return refuse(`Perpetuals are traded by a wallet of chain ${HYPER_EVM}, and this one is of chain ${chainId}.`)
  return ok(reader.perps)
}

/** A market by its symbol, in any case. Those of builders' dexes are called `dex:SYMBOL`. */
export async function perpMarket(perps: Perps, symbol: string): Promise<Result<PerpMarket>> {
  const [dex] = symbol.includes(':') ? symbol.toLowerCase().split(':') : []
  const found = (await perps.markets(dex)).find((market) => market.symbol.toLowerCase() === symbol.toLowerCase())
  return found ? ok(found) : refuse(`The venue has no market "${symbol.slice(0, 32)}".`)
}

/** The venue's markets, with those of the builders' dexes that any of the symbols is of. */
export async function marketsWith(
  symbols: readonly string[],
  perps: Pick<Perps, 'markets'>,
): Promise<readonly PerpMarket[]> {
  const dexes = [...new Set(symbols.flatMap((symbol) => (symbol.includes(':') ? symbol.split(':').slice(0, 1) : [])))]
  const listed = await Promise.all(dexes.length === 0 ? [perps.markets()] : dexes.map((dex) => perps.markets(dex)))
  return listed.flat()
}

/** How long the venue may take an action that the tools build: what was never placed holds no room after that. */
const PLACEABLE_MS = 180_000

/** An order, a cancel or a setting, which the venue takes for three minutes. */
export function orderAction(action: object, { now }: Readonly<{ now(): Date }>): ProposedTx {
  const nonce = now().getTime()
  return { protocol: 'hyperliquid', chainId: HYPER_EVM, action, nonce, expiresAfter: nonce + PLACEABLE_MS }
}

/** An action of the account itself, with the moment as its nonce. */
export function venueAction(action: object, { now }: Readonly<{ now(): Date }>): ProposedTx {
  return { protocol: 'hyperliquid', chainId: HYPER_EVM, action, nonce: now().getTime() }
}

/** A decimal text as the venue takes sizes: not finer than the market, and never more than was asked for. */
export function wireSize(text: string, { sizeDecimals, symbol }: PerpMarket): Result<string> {
  if (!/^\d{1,15}(\.\d{1,18})?$/.test(text)) return refuse('The size must be a decimal number, like "0.01".')
  const [whole = '0', fraction = ''] = text.split('.')
  const size = normal(`${whole}.${fraction.slice(0, sizeDecimals)}`)
  return size === '0' ? refuse(`${text} ${symbol} is less than the smallest size, ${10 ** -sizeDecimals}.`) : ok(size)
}

/**
 * A price as the venue takes it: five significant digits, and not finer than the market allows; whole numbers always. A
 * purchase's limit is rounded down and a sale's up, so that it is never worse than it says.
 */
export function wirePrice(price: number, { sizeDecimals }: PerpMarket, side: 'buy' | 'sell'): string {
  const whole = Math.floor(Math.log10(price)) + 1
  const decimals = Math.max(0, Math.min(PRICE_DECIMALS - sizeDecimals, SIGNIFICANT - whole))
  const scale = 10 ** decimals
  const scaled = Number((price * scale).toPrecision(14))
  const rounded = side === 'buy' ? Math.floor(scaled) : Math.ceil(scaled)
  return normal((rounded / scale).toFixed(decimals))
}

function normal(text: string): string {
  const trimmed = text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text
  return trimmed.replace(/^0+(?=\d)/, '')
}
