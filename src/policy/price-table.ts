import { z } from 'zod'
import { parseDecimal } from '../lib/usd.ts'
import { wrappedNative } from '../registry/index.ts'
import type { Asset } from './decoded-action.ts'

const PRICE_DECIMALS = 8

/**
 * Prices that the operator sets, for chains without price feeds: setting `sources.prices.table`. They count for
 * `maxAgeSeconds` from `asOf` on, and not at all afterwards.
 */
export const PriceTable = z.strictObject({
  /** When the prices were true. */
  asOf: z.iso.datetime(),
  maxAgeSeconds: z.int().positive(),
  /** US dollars of one whole token, by `<chain id>:<token address in lower case, or native>`. */
  prices: z.record(
    z.string().regex(/^[1-9]\d*:(native|0x[0-9a-f]{40})$/, 'expected "<chain id>:<address in lower case | native>"'),
    z
      .string()
      .regex(
        /^\d{1,12}(\.\d{1,8})?$/,
        'expected a decimal number of US dollars with at most 8 decimals, like "3000.00"',
      )
      .refine((text) => /[1-9]/.test(text), 'must be more than 0'),
  ),
})
export type PriceTable = z.output<typeof PriceTable>

/** The price that a table sets for an asset, with eight decimals; the wrapped form of a chain's coin has the coin's. */
export function tablePrice({ prices }: PriceTable, chainId: number, asset: Asset): bigint | undefined {
  const own = prices[`${chainId}:${asset}`]
  const text = own ?? (asset === wrappedNative(chainId) ? prices[`${chainId}:native`] : undefined)
  return text === undefined ? undefined : parseDecimal(text, PRICE_DECIMALS)
}
