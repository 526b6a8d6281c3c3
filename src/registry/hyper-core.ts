import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema } from '../schema/primitives.ts'
import data from './hyper-core.json' with { type: 'json' }

/** A token of HyperCore, and the asset of HyperEVM (chain 999) that it is one for one. */
export type CoreToken = Readonly<{
  name: string
  /** HyperCore's number of it. */
  index: number
  /** As signed actions name it: `USDC:0x6d1e…`. */
  tokenId: string
  /** Decimals of its smallest unit on HyperCore. */
  weiDecimals: number
  asset: Address | 'native'
  assetDecimals: number
}>

const Asset = z.union([z.literal('native'), AddressSchema])
const { tokens, bridges } = z
  .strictObject({
    asOf: z.iso.date(),
    source: z.string(),
    tokens: z.array(
      z.strictObject({
        name: z.string(),
        index: z.int().nonnegative(),
        tokenId: z.string().regex(/^0x[0-9a-f]{32}$/),
        weiDecimals: z.int().positive(),
        asset: Asset,
        assetDecimals: z.int().positive(),
      }),
    ),
    bridges: z.array(z.strictObject({ address: AddressSchema, asset: Asset })),
  })
  .parse(data)

/** HyperEVM. */
export const HYPER_EVM = 999

/** A token of HyperCore by its number, or by its name in signed actions. */
export function coreToken(key: number | string): CoreToken | undefined {
  return tokens.find(({ index, name, tokenId }) => index === key || `${name}:${tokenId}` === key)
}

/** What margin is in. */
export const CORE_USDC: CoreToken = tokens.find(({ index }) => index === 0) ?? raise()

function raise(): never {
  throw new Error('hyper-core.json has no token 0.')
}

/** The asset that arrives on HyperCore when it is sent to this system address. */
export function coreBridge(address: Address): Address | 'native' | undefined {
  return bridges.find((bridge) => bridge.address === address)?.asset
}

/** Whether an address is one of the system's own: 0x2222…, 0x3333…, or 0x20 with a token's number behind zeros. */
export function isCoreSystemAddress(address: Address): boolean {
  return /^0x(2{40}|3{40}|20{23}[0-9a-f]{16})$/.test(address)
}
