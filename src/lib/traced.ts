import { tracingChannel } from 'node:diagnostics_channel'

/** A piece of work that is told to whoever traces. `fields` may be completed until it ends; secrets have no place in them. */
export type TracedWork = {
  readonly name: string
  readonly fields: Record<string, string | number | boolean>
  /** Whether it ends later than it returns. */
  readonly isAsync: boolean
  /** Who asked for it in another process: a W3C `traceparent`. */
  readonly parent?: string | undefined
}

/** Where traced work is told of. Nobody listens unless traces are switched on: then it costs next to nothing. */
export const tracedWork = tracingChannel<unknown, TracedWork>('countersign')

type Fields = TracedWork['fields']

/** Does a piece of work under a name. What it throws is thrown. */
export function traced<T>(name: string, fields: Fields, work: () => Promise<T>, parent?: string): Promise<T> {
  if (!tracedWork.hasSubscribers) return work()
  return tracedWork.tracePromise(work, { name, fields, parent, isAsync: true })
}

/** The same of work that is done when it returns. */
export function tracedAtOnce<T>(name: string, fields: Fields, work: () => T): T {
  if (!tracedWork.hasSubscribers) return work()
  return tracedWork.traceSync(work, { name, fields, isAsync: false })
}
