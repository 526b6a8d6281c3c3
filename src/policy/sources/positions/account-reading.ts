import type { ChainCall } from '../../../chain/index.ts'
import { type Address, toAddress } from '../../../lib/address.ts'
import { CountersignError } from '../../../lib/errors.ts'
import type { Hex } from '../../../lib/hash.ts'
import type { Result } from '../../../lib/result.ts'
import { wordsOf } from '../../contract-reads.ts'
import type { Asset } from '../../decoded-action.ts'

/** An account as a venue keeps it, not yet valued. */
export type RawAccount = Readonly<{
  protocol: string
  market: string
  supplied: Amounts
  borrowed: Amounts
  /** Contract that prices the venue's assets, where it has one of its own. */
  oracle?: Address
  /** What the venue itself says they are worth, in US dollars with eight decimals. */
  totals?: Readonly<{ suppliedE8: bigint; borrowedE8: bigint }>
}>

/** Amounts by asset; what is nothing is left out. */
export type Amounts = ReadonlyMap<Asset, bigint>

/** What is asked about one account, and how the answers are read. Null where the venue does not exist on this chain. */
export type AccountReading = Readonly<{
  calls: readonly ChainCall[]
  /** @throws CountersignError unavailable where an answer is missing */
  read(answers: readonly Result<Hex>[]): RawAccount | null
}>

/** A call with an address as its only argument. */
export function callWith(selector: Hex, to: Address, address: Address): ChainCall {
  return { to, data: `${selector}${address.slice(2).padStart(64, '0')}` }
}

/** The words of an answer; null where no contract is, which keeps nothing for anybody. */
export function wordsOrNothing(answer: Result<Hex> | undefined, count: number, of: string): readonly bigint[] | null {
  if (answer?.ok && answer.value === '0x') return null
  const words = wordsOf(answer, count)
  if (words === undefined) throw new CountersignError('unavailable', `The account at ${of} could not be read.`)
  return words
}

/** The address in a word of an answer, if it is one. */
export function addressIn(word: bigint | undefined): Address | undefined {
  if (word === undefined || word === 0n || word >> 160n !== 0n) return undefined
  return toAddress(`0x${word.toString(16).padStart(40, '0')}`)
}
