import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** What processes tell each other: that something they may wait for has changed. Never what it is: that is read. */
export type Notices = Readonly<{
  /** Tells that these have changed. What is lost on the way costs a waiting client some time, and nothing else. */
  notify(topics: readonly string[]): void
  /** Until one tells that it has changed, and no longer than given (ms). */
  heard(topic: string, withinMs: number): Promise<void>
  close(): Promise<void>
}>

/** Longest text of one notice, in characters: PostgreSQL takes less than 8,000 bytes. */
const MAX_TEXT = 7_000

/** Notices over a database; without a `listen` of its dialect they stay in the process. */
export function createNotices(query: Kysely<Tables>, { notices }: Dialect): Notices {
  const waiting = new Map<string, Set<() => void>>()
  const wake = (topics: readonly string[]) => {
    for (const topic of topics) for (const resolve of waiting.get(topic) ?? []) resolve()
  }
  let listening: Readonly<{ close(): Promise<void> }> | undefined
  return {
    notify(topics) {
      wake(topics)
      if (notices === undefined) return
      for (const text of texts(topics)) void notices.send(query, text).catch(() => undefined)
    },
    async heard(topic, withinMs) {
      // From the first that waits on: most processes never do.
      listening ??= notices?.listen((text) => wake(text.split(' ')))
      const woken = Promise.withResolvers<void>()
      const others = waiting.get(topic) ?? new Set()
      waiting.set(topic, others.add(woken.resolve))
      const timer = new AbortController()
      await Promise.race([woken.promise, sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined)])
      timer.abort()
      others.delete(woken.resolve)
      if (others.size === 0) waiting.delete(topic)
    },
    async close() {
      await listening?.close()
    },
  }
}

function texts(topics: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (const topic of topics) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + topic.length < MAX_TEXT) lines[lines.length - 1] = `${last} ${topic}`
    else lines.push(topic)
  }
  return lines
}
