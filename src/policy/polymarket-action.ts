import { z } from 'zod'
import { toAddress } from '../lib/address.ts'
import { firstFieldError } from '../lib/field-errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { POLYMARKET_CHAIN } from '../registry/index.ts'
import type { VenueAction } from '../schema/action.ts'

/** Venue identifier of Polymarket. */
export const POLYMARKET = 'polymarket'

/** A number in its one form, so that an order cannot be written in two ways. */
function digits(bits: number) {
  return z
    .string()
    .max(78)
    .regex(/^(0|[1-9]\d*)$/, 'expected a whole number in decimal digits, as text')
    .transform((text) => BigInt(text))
    .refine((value) => value < 1n << BigInt(bits), `expected a uint${bits}`)
}

const Lower = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/, 'expected an address in lower case')
  .transform(toAddress)
const Bytes32 = z
  .templateLiteral(['0x', z.string()])
  .refine((text) => /^0x[0-9a-f]{64}$/.test(text), 'expected 32 bytes in lower case')

/** The order as it is signed. Source: Polymarket's ctf-exchange-v2, `Order`. The venue takes the salt as a JSON number. */
const Order = z.strictObject({
  salt: digits(53),
  maker: Lower,
  signer: Lower,
  tokenId: digits(256),
  makerAmount: digits(128),
  takerAmount: digits(128),
  side: z.literal([0, 1]),
  signatureType: z.literal([0, 1, 2, 3]),
  timestamp: digits(53),
  metadata: Bytes32,
  builder: Bytes32,
})

/** A signed order: whole numbers as they are hashed, `timestamp` in ms. */
export type PolymarketOrder = z.output<typeof Order>

const About = {
  protocol: z.literal(POLYMARKET),
  chainId: z.literal(POLYMARKET_CHAIN, `Polymarket is known on chain ${POLYMARKET_CHAIN} only`),
}

/** The order and what the venue takes beside it, which no signature covers and the verdict does. */
const Ordered = z.strictObject({
  ...About,
  /** The exchange that the signature is for: each has markets of its own. */
  exchange: Lower,
  order: Order,
  orderType: z.enum(['GTC', 'GTD', 'FOK', 'FAK']),
  /** Unix second at which the venue takes a GTD order back; 0 for all others. */
  expiration: z.int().nonnegative(),
})

/** Orders to take back, by their hashes. The venue asks for no signature of it but its API key's. */
const Cancelled = z.strictObject({ ...About, cancel: z.array(Bytes32).min(1).max(100) })

/** What can be asked of the venue. */
export type PolymarketRequest =
  | Readonly<{ kind: 'order' } & z.output<typeof Ordered>>
  | Readonly<{ kind: 'cancel' } & z.output<typeof Cancelled>>

/** Reads an action of the venue strictly: members that are not known, missing or written otherwise are refused. */
export function readPolymarket(action: VenueAction): Result<PolymarketRequest> {
  if ('cancel' in action) {
    const cancelled = Cancelled.safeParse(action)
    return cancelled.success ? ok({ kind: 'cancel', ...cancelled.data }) : refuse(firstFieldError(cancelled.error))
  }
  const ordered = Ordered.safeParse(action)
  return ordered.success ? ok({ kind: 'order', ...ordered.data }) : refuse(firstFieldError(ordered.error))
}
