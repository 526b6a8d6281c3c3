import type { IncomingMessage } from 'node:http'
import { CountersignError } from '../lib/errors.ts'
import { isTooDeep, MAX_DEPTH, repeated, unkeepable } from './json-text.ts'
import { invalid } from './validate.ts'

/** Largest request body in bytes (contract section 2). */
export const MAX_BODY_BYTES = 65_536

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** A request's JSON body, undefined where it has none, and its bytes. */
export type Body = Readonly<{ value: unknown; bytes: Uint8Array }>

const NONE: Body = { value: undefined, bytes: new Uint8Array() }

/**
 * Reads a request's JSON body, of at most so many bytes.
 *
 * @throws CountersignError `payload_too_large`, `unsupported_media_type` or `invalid_request`
 */
export async function readBody(request: IncomingMessage, most = MAX_BODY_BYTES): Promise<Body> {
  const { headers } = request
  const length = Number(headers['content-length'] ?? 0)
  if (length === 0 && headers['transfer-encoding'] === undefined) return NONE
  if (length > most) throw tooLarge(most)
  if (headers['content-encoding'] !== undefined)
    throw new CountersignError('unsupported_media_type', 'The body must not be compressed: leave Content-Encoding out.')
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new CountersignError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.')
  const bytes = await collect(request, most)
  return bytes.length === 0 ? NONE : { value: parse(bytes), bytes }
}

async function collect(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The socket stays open when reading stops early, so that the answer can be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > most) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new CountersignError('invalid_request', 'The body ended before it was complete.', { cause: error })
  }
  if (size <= most) return Buffer.concat(chunks)
  request.resume()
  throw tooLarge(most)
}

function parse(bytes: Buffer): unknown {
  const text = textOf(bytes)
  if (isTooDeep(text)) throw invalid([{ path: 'body', message: `must not be nested deeper than ${MAX_DEPTH} levels` }])
  const value = valueOf(text)
  const wrong = [...unkeepable(value, ''), ...repeated(text)]
  if (wrong.length > 0) throw invalid(wrong)
  return value
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw invalid([{ path: 'body', message: 'must be UTF-8' }], { cause: error })
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid([{ path: 'body', message: 'must be JSON' }], { cause: error })
  }
}

function tooLarge(most: number): CountersignError {
  return new CountersignError('payload_too_large', `The body must not be larger than ${most} bytes.`)
}
