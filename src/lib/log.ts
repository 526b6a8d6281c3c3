import { AsyncLocalStorage } from 'node:async_hooks'
import { pino } from 'pino'

/** What the rest of the code may do with a log: an object of named fields, and a sentence. */
export type Log = Readonly<{
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}>

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What may stand in a log, by name: ids, counts, codes, names that we gave, and sentences that were made for people. */
const FIELDS: ReadonlySet<string> = new Set(
  [
    'requestId operationId keyId method status durationMs code messages frames',
    'requestHash txHash leg ending said reason error message name problem why',
    'role host port mode chainId store changed channel account type lease tool',
    'skill slot missed text count venue market agent source',
  ]
    .join(' ')
    .split(' '),
)
const REDACTED = '[redacted]'

/** A field that nobody allowed is named, and not shown: what is added to a log later says nothing by accident. */
function allowed(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, FIELDS.has(name) ? value : REDACTED]))
}

const request = new AsyncLocalStorage<Readonly<{ requestId: string }>>()

/** Does the work of a request: every line of the log that comes of it, also after the answer, carries its id. */
export function inRequest<T>(requestId: string, work: () => T): T {
  return request.run({ requestId }, work)
}

/** A JSON log on standard error; `pretty` is for people at a terminal. Fields that are not allowed are redacted. */
export function createLog(level: LogLevel, pretty: boolean): Log {
  const shared = { level, base: null, formatters: { log: allowed }, mixin: () => ({ ...request.getStore() }) }
  const log = pretty
    ? pino({
        ...shared,
        transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
      })
    : pino(shared, pino.destination(2))
  // Plain functions: whoever hands on a part of a log, or a log with a part of its own, has one that works.
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/** A log that says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
