import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './tokens.json' with { type: 'json' }

/** A token of the bundled list. `stable` marks a coin that is meant to be worth one US dollar. */
export type TokenInfo = Readonly<{
  chainId: number
  address: Address
  symbol: string
  decimals: number
  stable: boolean
}>

const TokensFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  tokens: z.array(
    z.strictObject({
      chainId: ChainId,
      address: AddressSchema,
      symbol: z.string().min(1),
      decimals: z.int().min(0).max(36),
      stable: z.boolean().default(false),
      origin: z.string().optional(),
    }),
  ),
})

const { tokens } = TokensFile.parse(data)
const byAddress = new Map<string, TokenInfo>(tokens.map((t) => [`${t.chainId}:${t.address}`, t]))

/** The listed token at an address. */
export function tokenAt(chainId: number, address: Address): TokenInfo | undefined {
  return byAddress.get(`${chainId}:${address}`)
}

/** The listed token of a symbol, in any case. Nothing where the list has two of them: a symbol is no identity. */
export function tokenBySymbol(chainId: number, symbol: string): TokenInfo | undefined {
  const found = tokensOf(chainId).filter((t) => t.symbol.toLowerCase() === symbol.toLowerCase())
  return found.length === 1 ? found[0] : undefined
}

/** All listed tokens of a chain. */
export function tokensOf(chainId: number): readonly TokenInfo[] {
  return tokens.filter((t) => t.chainId === chainId)
}
