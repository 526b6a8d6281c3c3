// Where the pairs of the corpus play: a wallet on Ethereum, its tokens with their prices, and a few others.

import { addresses } from '../../../scripts/local-chain/addresses.ts'
import type { Address } from '../../../src/lib/address.ts'
import { tokenBySymbol } from '../../../src/registry/index.ts'

export const NOW = new Date('2026-11-21T12:00:00.000Z')
export const NOW_SECONDS = BigInt(NOW.getTime() / 1000)
export const WALLET: Address = '0x5ca1ab1e00000000000000000000000000000a11'
/** On every list of sanctioned addresses. */
export const SANCTIONED: Address = '0x00000000000000000000000000000000005a4c7d'
/** Says that it is USDC, and is not. */
export const IMPOSTOR: Address = '0xbadc0ffee0ddf00dbadc0ffee0ddf00dbadc0ffe'
export const PERMIT2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'
export const { uniswap } = addresses

/** A token of the corpus; `native` is the chain's own coin. Price in US dollars. */
export type CorpusToken = Readonly<{ symbol: string; address: Address | 'native'; decimals: number; price: number }>

function listed(symbol: string, price: number): CorpusToken {
  const token = tokenBySymbol(1, symbol)
  if (token === undefined) throw new Error(`${symbol} is in no list`)
  return { symbol, address: token.address, decimals: token.decimals, price }
}

export const ETH: CorpusToken = { symbol: 'ETH', address: 'native', decimals: 18, price: 3_000 }
export const WETH = listed('WETH', 3_000)
export const TOKENS: readonly [CorpusToken, ...CorpusToken[]] = [
  listed('USDC', 1),
  listed('USDT', 1),
  listed('DAI', 1),
  WETH,
  listed('WBTC', 90_000),
  listed('LINK', 15),
  listed('UNI', 8),
  listed('AAVE', 150),
  listed('wstETH', 3_600),
  listed('CRV', 0.5),
]

/** What Aave's core market takes. */
export const RESERVES: readonly [CorpusToken, ...CorpusToken[]] = [listed('USDC', 1), listed('DAI', 1), WETH]
