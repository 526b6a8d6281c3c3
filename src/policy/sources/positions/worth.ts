import type { Chains } from '../../../chain/index.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ceilDiv } from '../../../lib/integers.ts'
import { type MicroUsd, valueOf } from '../../../lib/usd.ts'
import { tokenAt } from '../../../registry/index.ts'
import { readPresent, wordsOf } from '../../contract-reads.ts'
import type { Asset } from '../../decoded-action.ts'
import type { Account, UsdPrice } from '../../facts.ts'
import type { Source } from '../../source.ts'
import { type Amounts, callWith, type RawAccount } from './account-reading.ts'

type ValuerDeps = Readonly<{ chains: Chains; now: () => Date; prices: Source<'prices'> }>

/** Values accounts of one chain in US dollars. */
type Valuer = (chainId: number, accounts: readonly RawAccount[], signal: AbortSignal) => Promise<readonly Account[]>

const GET_ASSET_PRICE: Hex = '0xb3596f07'
const DECIMALS: Hex = '0x313ce567'
const NATIVE_DECIMALS = 18
const MAX_DECIMALS = 36n
/** Hundredths of a micro-USD: eight decimals to six. */
const E8_TO_MICRO = 100n
/** Above any price. */
const MAX_PRICE = 1n << 96n

/**
 * Values what accounts hold: by the venue's own oracle where it has one, as that is what its liquidations go by, and
 * by our prices elsewhere. The venue's own sums count where they are larger. Deposits are rounded down, debts up; what
 * nobody prices is worth null, never nothing.
 *
 * @see IPriceOracleGetter of Aave v3: prices in US dollars with eight decimals
 */
export function createValuer({ chains, now, prices }: ValuerDeps): Valuer {
  async function oraclePrices(chainId: number, accounts: readonly RawAccount[], signal: AbortSignal) {
    const asked = accounts.flatMap(({ market, oracle, ...amounts }) =>
      assetsIn([amounts]).flatMap((asset) => (oracle && asset !== 'native' ? [{ market, oracle, asset }] : [])),
    )
    const calls = asked.map(({ oracle, asset }) => callWith(GET_ASSET_PRICE, oracle, asset))
    const answers = calls.length === 0 ? [] : await readPresent(chains, chainId, calls, { signal, now })
    const quotes = asked.map(({ market, asset }, i) => [keyOf(market, asset), wordsOf(answers[i], 1)?.[0]] as const)
    return new Map<string, bigint | undefined>(quotes)
  }

  async function decimalsOf(chainId: number, assets: readonly Asset[], signal: AbortSignal) {
    const unlisted = assets.flatMap((asset) => (listedDecimals(chainId, asset) === undefined ? [asset] : []))
    const tokens = unlisted.flatMap((asset) => (asset === 'native' ? [] : [asset]))
    const calls = tokens.map((to) => ({ to, data: DECIMALS }))
    const answers = calls.length === 0 ? [] : await readPresent(chains, chainId, calls, { signal, now })
    const read = new Map(tokens.map((token, i) => [token as Asset, wordsOf(answers[i], 1)?.[0]]))
    return (asset: Asset): number | undefined => {
      const answered = read.get(asset)
      return (
        listedDecimals(chainId, asset) ??
        (answered !== undefined && answered <= MAX_DECIMALS ? Number(answered) : undefined)
      )
    }
  }

  async function ownPrices(
    chainId: number,
    assets: readonly Asset[],
    signal: AbortSignal,
  ): Promise<Readonly<Partial<Record<Asset, UsdPrice | null>>>> {
    if (assets.length === 0) return {}
    return (await prices.ask({ chainId, assets, addresses: [], signal })).value
  }

  return async (chainId, accounts, signal) => {
    const unpriced = assetsIn(accounts.filter(({ oracle }) => oracle === undefined))
    const [byOracle, decimals, ours] = await Promise.all([
      oraclePrices(chainId, accounts, signal),
      decimalsOf(chainId, assetsIn(accounts), signal),
      ownPrices(chainId, unpriced, signal),
    ])
    return accounts.map((account) => {
      const worth = (amounts: Amounts, rounding: 'up' | 'down') =>
        sum(
          [...amounts].map(([asset, amount]) => {
            const answer = account.oracle ? byOracle.get(keyOf(account.market, asset)) : BigInt(ours[asset]?.usdE8 ?? 0)
            const places = decimals(asset)
            const usdE8 = priceOf(answer)
            return places === undefined || usdE8 === undefined ? undefined : valueOf(amount, places, usdE8, rounding)
          }),
        )
      return {
        protocol: account.protocol,
        market: account.market,
        supplied: textOf(account.supplied),
        borrowed: textOf(account.borrowed),
        suppliedMicroUsd: larger(worth(account.supplied, 'down'), account.totals?.suppliedE8),
        borrowedMicroUsd: larger(worth(account.borrowed, 'up'), account.totals?.borrowedE8),
      }
    })
  }
}

function keyOf(market: string, asset: Asset): string {
  return `${market}:${asset}`
}

function assetsIn(accounts: readonly Pick<RawAccount, 'supplied' | 'borrowed'>[]): readonly Asset[] {
  return [...new Set(accounts.flatMap(({ supplied, borrowed }) => [...supplied.keys(), ...borrowed.keys()]))]
}

function listedDecimals(chainId: number, asset: Asset): number | undefined {
  return asset === 'native' ? NATIVE_DECIMALS : tokenAt(chainId, asset)?.decimals
}

function priceOf(usdE8: bigint | undefined): bigint | undefined {
  return usdE8 === undefined || usdE8 <= 0n || usdE8 >= MAX_PRICE ? undefined : usdE8
}

function sum(values: readonly (MicroUsd | undefined)[]): MicroUsd | undefined {
  return values.reduce<MicroUsd | undefined>(
    (total, value) => (total === undefined || value === undefined ? undefined : total + value),
    0n,
  )
}

/** The sum of a venue itself is at least what it says of each part; a part that nobody prices makes both unknown. */
function larger(own: MicroUsd | undefined, totalE8: bigint | undefined): string | null {
  if (own === undefined) return null
  const total = totalE8 === undefined ? 0n : ceilDiv(totalE8, E8_TO_MICRO)
  return (own > total ? own : total).toString()
}

function textOf(amounts: Amounts): Readonly<Partial<Record<Asset, string>>> {
  return Object.fromEntries([...amounts].map(([asset, amount]) => [asset, amount.toString()]))
}
