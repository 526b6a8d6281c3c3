import { z } from 'zod'
import { firstFieldError } from '../lib/field-errors.ts'
import { keccak256 } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'

const NO_DOCUMENT = `0x${'0'.repeat(64)}`
const EMPTY_DOCUMENT = '{}'

const Word = z.string().max(256)

/**
 * What a document of CoW Protocol may say without changing what the order does. Everything else can: hooks run calls before
 * and after the trade, a partner's fee is taken out of it, a flash loan or a wrapper settles it in another way.
 * Source: CoW Protocol's app-data schemas, version 1.
 */
const AppData = z.strictObject({
  version: Word.optional(),
  appCode: Word.optional(),
  environment: Word.optional(),
  metadata: z
    .strictObject({
      orderClass: z.strictObject({ orderClass: z.enum(['market', 'limit', 'liquidity', 'twap']) }).optional(),
      quote: z
        .strictObject({
          slippageBips: z.union([z.int(), z.string().regex(/^\d+$/)]),
          smartSlippage: z.boolean().optional(),
          version: Word.optional(),
        })
        .optional(),
      referrer: z
        .strictObject({ address: Word.optional(), code: Word.optional(), version: Word.optional() })
        .optional(),
      utm: z.record(Word, Word).optional(),
      widget: z.strictObject({ appCode: Word, environment: Word.optional(), version: Word.optional() }).optional(),
    })
    .optional(),
})

/**
 * Whether what the signed hash stands for changes nothing of the order. The document is needed to say so: a hash alone hides
 * hooks. It must be in the one form that `JSON.stringify` gives, so that nobody reads it in another way.
 */
export function readAppData(hash: string, document: string | undefined): Result<undefined> {
  if (document === undefined) {
    if (hash === NO_DOCUMENT || hash === keccak256(Buffer.from(EMPTY_DOCUMENT))) return ok(undefined)
    return refuse('"appData" must be given beside the message: the document that message.appData is the hash of')
  }
  if (keccak256(Buffer.from(document)) !== hash) return refuse('"appData" is not the document that was hashed')
  const parsed = AppData.safeParse(jsonOf(document))
  if (!parsed.success) return refuse(firstFieldError(parsed.error, 'appData'))
  if (JSON.stringify(jsonOf(document)) !== document) return refuse('"appData" is not written in its one form')
  return ok(undefined)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
