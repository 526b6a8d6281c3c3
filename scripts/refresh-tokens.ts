// Regenerates src/registry/tokens.json from a token list: node scripts/refresh-tokens.ts [path of the list's JSON].
// Without a path it reads an installed @uniswap/default-token-list. Tokens with an `origin` are not from a list: they stay.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { Address } from '../src/schema/primitives.ts'

const LIST_PACKAGE = '@uniswap/default-token-list'
const TARGET = new URL('../src/registry/tokens.json', import.meta.url)

/** What is taken of a list: the symbols that people trade on each chain, as the list writes them. */
const PICKED: Readonly<Record<number, string>> = {
  1: `WETH USDC USDT DAI USDS PYUSD FRAX LUSD USD1 RLUSD EURC WBTC cbBTC tBTC cbETH LINK UNI AAVE ARB CRV CVX LDO MKR
    COMP SNX ENS GRT ENA ETHFI EIGEN ONDO PENDLE PEPE SHIB MORPHO PAXG XAUT`,
  8453: `WETH USDC USDbC DAI EURC cbBTC tBTC cbETH AERO UNI VIRTUAL ZORA DEGEN MORPHO BNKR TOSHI KAITO ZRO COMP WELL
    CLANKER cbXRP`,
  42161: `WETH USDC USDC.e USDT0 DAI USDS PYUSD FRAX LUSD USD1 EURC WBTC cbBTC tBTC cbETH ARB LINK UNI AAVE GMX PENDLE
    LDO CRV CVX BAL COMP GRT MAGIC SUSHI ZRO ETHFI EIGEN PEPE`,
  137: `WMATIC WETH USDC USDC.e USDT DAI WBTC LINK UNI AAVE CRV BAL COMP GRT SNX MANA YFI ZRO XAUt0 AUSD`,
  11155111: 'WETH UNI',
}

/** Symbols of coins that are meant to be worth one US dollar. */
const STABLE = new Set(
  'USDC USDC.e USDbC USDT USDT0 USD₮0 DAI USDS PYUSD FRAX LUSD USD1 RLUSD USDe GHO AUSD pUSD'.split(' '),
)

const List = z.object({
  timestamp: z.iso.datetime(),
  version: z.object({ major: z.int(), minor: z.int(), patch: z.int() }),
  tokens: z.array(z.looseObject({ chainId: z.int(), symbol: z.string() })),
})

const Token = z.object({
  chainId: z.int(),
  address: Address,
  symbol: z.string().min(1),
  decimals: z.int().min(0).max(36),
  origin: z.string().optional(),
})
type Token = z.output<typeof Token>
const Current = z.object({ tokens: z.array(Token) })

/** The text of tokens.json: what is picked of a list, beside the tokens of the present file that have an origin of their own. */
export function renderTokens(list: unknown, current: unknown): string {
  const { timestamp, version, tokens } = List.parse(list)
  const kept = Current.parse(current).tokens.filter((token) => token.origin !== undefined)
  const own = new Set(kept.map(placeOf))
  const picked = tokens
    .filter(({ chainId, symbol }) => PICKED[chainId]?.split(/\s+/).includes(symbol))
    .map(({ chainId, address, symbol, decimals }) => Token.parse({ chainId, address, symbol, decimals }))
    .filter((token) => !own.has(placeOf(token)))
  const source = `npm ${LIST_PACKAGE} ${version.major}.${version.minor}.${version.patch}; the origin of any other is with it`
  const lines = [...picked, ...kept].sort(byChainAndSymbol).map((token) => `    ${lineOf(token)}`)
  return `{\n  "asOf": "${timestamp.slice(0, 10)}",\n  "source": ${JSON.stringify(source)},\n  "tokens": [\n${lines.join(',\n')}\n  ]\n}\n`
}

function lineOf({ chainId, address, symbol, decimals, origin }: Token): string {
  const token = {
    chainId,
    address,
    symbol,
    decimals,
    ...(STABLE.has(symbol) && { stable: true }),
    ...(origin && { origin }),
  }
  const members = Object.entries(token).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
  return `{ ${members.join(', ')} }`
}

function placeOf({ chainId, address }: Token): string {
  return `${chainId}:${address}`
}

function byChainAndSymbol(a: Token, b: Token): number {
  return (
    a.chainId - b.chainId || compare(a.symbol.toLowerCase(), b.symbol.toLowerCase()) || compare(a.address, b.address)
  )
}

/** By code units, so that the order is the same in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function readJson(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

if (import.meta.main) {
  const path = process.argv[2] ?? createRequire(import.meta.url).resolve(LIST_PACKAGE)
  writeFileSync(TARGET, renderTokens(readJson(path), readJson(TARGET)))
  console.log(`wrote ${TARGET.pathname}`)
}
