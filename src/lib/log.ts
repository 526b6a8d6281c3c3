import { pino } from 'pino'

/** What the rest of the code may do with a log: an object of named fields, and a sentence. */
export type Log = Readonly<{
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}>

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** A JSON log on standard error; `pretty` is for people at a terminal. */
export function createLog(level: LogLevel, pretty: boolean): Log {
  const log = pretty
    ? pino({
        level,
        base: null,
        transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
      })
    : pino({ level, base: null }, pino.destination(2))
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
