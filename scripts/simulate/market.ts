import type { Quote, Reader } from '../../src/harness/index.ts'
import { isAddress, toAddress } from '../../src/lib/address.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { ok, refuse } from '../../src/lib/result.ts'
import { type AnySource, sanctions, tokenIdentity } from '../../src/policy/index.ts'
import { chainOf, type TokenInfo, tokenAt, tokenBySymbol, wrappedNative } from '../../src/registry/index.ts'
import type { Settings } from './settings.ts'

type Coin = Readonly<{ address: 'native'; symbol: string; decimals: number }>
type Token = TokenInfo | Coin

/** What tools read of the market, and what the policy is told of it: both from the recorded prices. */
export type Market = Readonly<{
  sources: readonly AnySource[]
  reader: Omit<Reader, 'verdict' | 'history' | 'limits'>
}>

const FULL_BPS = 10_000n
const DOLLAR_E8 = 100_000_000n
/** The bundled list is of another time than the prices: here it only has to be there. */
const ANY_AGE_DAYS = 36_500

/** A market over recorded prices. A stablecoin that they do not name is worth one dollar. */
export function marketOf(chainId: number, { prices, balances, feeBps, gasPrice }: Settings, now: () => Date): Market {
  const coin: Coin = { address: 'native', symbol: chainOf(chainId)?.native ?? 'ETH', decimals: 18 }
  const named = (name: string): Token | undefined => {
    if (name.toLowerCase() === 'native' || name.toLowerCase() === coin.symbol.toLowerCase()) return coin
    return isAddress(name) ? tokenAt(chainId, toAddress(name)) : tokenBySymbol(chainId, name)
  }
  for (const [word, symbols] of [
    ['prices', prices.symbols],
    ['balance', Object.keys(balances)],
  ] as const)
    for (const symbol of symbols)
      if (named(symbol) === undefined)
        throw new CountersignError('invalid_request', `--${word}: ${symbol} is no listed token of chain ${chainId}.`)
  const priceOf = (token: Token): bigint | undefined => {
    const isCoin = token.address === 'native' || token.address === wrappedNative(chainId)
    const symbols = isCoin ? [coin.symbol, token.symbol] : [token.symbol]
    const column = symbols.find((symbol) => prices.symbols.includes(symbol))
    if (column !== undefined) return prices.at(column, now().getTime())
    return 'stable' in token && token.stable ? DOLLAR_E8 : undefined
  }
  return {
    sources: sourcesOf(now, (asset) => {
      const token = named(asset)
      return token && priceOf(token)
    }),
    reader: {
      token: async (name) => {
        const token = named(name)
        return token ? ok(token) : refuse(`No token "${name.slice(0, 64)}" is listed on chain ${chainId}.`)
      },
      balances: async () => [],
      balance: async () => 0n,
      approvals: async () => [],
      deposits: async () => [],
      fees: async () => ({ base: gasPrice, tip: 0n }),
      allowance: async () => 0n,
      permit2Allowance: async () => ({ amount: 0n, expiresAt: 0 }),
      usdPrice: async (token) => {
        const price = priceOf(token)
        return price === undefined ? undefined : Number(price) / 1e8
      },
      async quote(sell, buy, amount, side) {
        const [from, to] = [priceOf(sell), priceOf(buy)]
        if (from === undefined || to === undefined) return refuse('No price is recorded for this pair at this time.')
        return ok(quoteOf({ ...sell, price: from }, { ...buy, price: to }, amount, side, BigInt(feeBps)))
      },
    },
  }
}

type Priced = Readonly<{ decimals: number; price: bigint }>

/** What a swap gives at the recorded prices less the fee, rounded against who swaps. */
function quoteOf(sell: Priced, buy: Priced, amount: bigint, side: 'exact-in' | 'exact-out', feeBps: bigint): Quote {
  const [of, by] = [sell.price * 10n ** BigInt(buy.decimals), buy.price * 10n ** BigInt(sell.decimals)]
  const shared = { pool: 'v3', fee: Number(feeBps) * 100 } as const
  const keeps = FULL_BPS - feeBps
  if (side === 'exact-in') return { ...shared, amountIn: amount, amountOut: (amount * of * keeps) / (by * FULL_BPS) }
  return { ...shared, amountIn: (amount * by * FULL_BPS + of * keeps - 1n) / (of * keeps), amountOut: amount }
}

/** The policy's own sources: bundled identities and lists, and the recorded prices. */
function sourcesOf(now: () => Date, priceOf: (asset: string) => bigint | undefined): readonly AnySource[] {
  const chains = { of: () => undefined }
  return [
    tokenIdentity({ chains, now }),
    sanctions({ chains, now: () => new Date(), maxAgeDays: ANY_AGE_DAYS }),
    {
      id: 'recorded prices',
      fact: 'prices',
      timeoutMs: 1_000,
      async ask({ assets }) {
        const updatedAt = now().toISOString()
        const read = assets.map((asset) => {
          const usdE8 = priceOf(asset)
          return [asset, usdE8 === undefined ? null : { usdE8: String(usdE8), source: 'recorded', updatedAt }] as const
        })
        return { value: Object.fromEntries(read), observedAt: now() }
      },
    },
  ]
}
