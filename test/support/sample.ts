// How a sample of a function or command is written: its fields, what each can be changed to, and which may change without a
// change of what happens to anybody's assets.
import type { Address, Hex } from 'viem'
import { type Encoded, tokens } from './encode.ts'

export const [USDC, WETH, DAI]: readonly [Address, Address, Address] = [tokens.USDC, tokens.WETH, tokens.DAI]
export const WALLET: Address = '0x00000000000000000000000000000000000a11ce'
export const FRIEND: Address = '0xf700000000000000000000000000000000000057'
export const OTHER: Address = '0x5700000000000000000000000000000000000057'
export const ETHER = 10n ** 18n
export const SOLD = 3_000_000_000n

/** Why a field may change while the decoded action stays. */
export const REASONS = {
  fee: 'another pool of the same tokens: what is paid at most and arrives at least stays',
  limit: 'a limit of the price only makes a sale smaller, as any other limit does',
  signature: 'whose signature it is, the token or Permit2 decides: a wrong one gives nothing',
  nonce: 'a nonce decides whether a permit is accepted, not what it gives',
  blockhash: 'the block before decides whether a batch runs, not what it does',
  price: 'lowest prices of hops only make a plan fail',
  check: 'the balance that is asked for only makes a plan fail',
  late: 'a deadline beyond 2^53 seconds is none',
  weaker: 'a minimum below what another guard of the same asset demands',
  least: 'a least amount of what is paid in only makes a deposit fail',
  taken: 'of a purchase on the books only what is taken out of them is certain',
  settled: 'of a sale on the books only what is settled is paid: more of it makes a plan fail',
  flag: 'a command that cannot say that it failed reverts all the same',
} as const

/** A sample as the tests use it. */
export type Sample = Readonly<{
  name: string
  tx: Encoded
  /** The same with one field changed, by field. */
  changed: readonly Readonly<{ field: string; tx: Encoded }>[]
  /** The same with one field changed in each of its bits, where that changes nothing. */
  inert: readonly Readonly<{ field: string; reason: keyof typeof REASONS; tx: Encoded }>[]
}>

/** By field: why, and values that differ from the sample's in every byte that is let off. */
export type Inert = Readonly<Record<string, readonly [keyof typeof REASONS, ...unknown[]]>>

export function sample<F extends object>(
  name: string,
  fields: F,
  changed: Readonly<{ [K in keyof F]?: F[K] }>,
  build: (fields: F) => Encoded,
  inert: Inert = {},
): Sample {
  const withField = (field: string, value: unknown) => build({ ...fields, [field]: value })
  return {
    name,
    tx: build(fields),
    changed: Object.entries(changed).map(([field, value]) => ({ field, tx: withField(field, value) })),
    inert: Object.entries(inert).flatMap(([field, [reason, ...values]]) =>
      values.map((value) => ({ field, reason, tx: withField(field, value) })),
    ),
  }
}

export const flipped = (hex: Hex): Hex => {
  const bytes = Uint8Array.from(Buffer.from(hex.slice(2), 'hex'), (byte) => byte ^ 0xff)
  return `0x${Buffer.from(bytes).toString('hex')}`
}
export const WORD: Hex = `0x${'3c'.repeat(32)}`
export const SIGNATURE: Hex = `0x${'5a'.repeat(65)}`
