import { z } from 'zod'
import { toAddress } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'

/** Schemas of what nodes answer. Only the fields that are used are read: nodes differ in the rest. */

const Bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase() as Hex)
const Word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex)
const Account = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(toAddress)
const Whole = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt)
const Small = Whole.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number)

export const BytesAnswer = Bytes
export const QuantityAnswer = Whole
export const SmallAnswer = Small

export const BlockAnswer = z.object({ number: Whole, timestamp: Small, baseFeePerGas: Whole.optional() })

export const FeeHistoryAnswer = z.object({
  baseFeePerGas: z.array(Whole).min(1),
  reward: z.array(z.array(Whole)).nullish(),
})

export const ReceiptAnswer = z
  .object({
    transactionHash: Word,
    blockNumber: Whole,
    blockHash: Word,
    status: z.enum(['0x0', '0x1']),
    from: Account,
    gasUsed: Whole,
  })
  .nullable()

export const TransactionAnswer = z
  .object({ hash: Word, from: Account, nonce: Small, blockNumber: Whole.nullish() })
  .nullable()

const LogAnswer = z.object({ address: Account, topics: z.array(Word).max(4), data: Bytes })
export type LogAnswer = z.output<typeof LogAnswer>

/** A success without its logs would hide what it moves. */
const SimulatedCall = z.discriminatedUnion('status', [
  z.object({ status: z.literal('0x1'), gasUsed: Whole, returnData: Bytes, logs: z.array(LogAnswer) }),
  z.object({
    status: z.literal('0x0'),
    returnData: Bytes,
    error: z.object({ data: Bytes.nullish() }).nullish(),
  }),
])
export type SimulatedCall = z.output<typeof SimulatedCall>

/** One block with one call. */
export const SimulationAnswer = z.tuple([z.object({ calls: z.tuple([SimulatedCall]) })])

/** One block with calls that run after each other. */
export const SequenceAnswer = z.tuple([z.object({ calls: z.array(SimulatedCall) })])
