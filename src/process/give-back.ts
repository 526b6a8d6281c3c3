import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds after the start: by then the channels have opened. */
const AFTER_MS = 2_000

/**
 * Gives back what only the start has used, once: some 80 MB, which V8 keeps while nothing happens, because it collects
 * when it needs room and not when there is time.
 */
export function giveBackSoon(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (how: Readonly<Record<string, string>>) => void
    // This kind of collection gives the room for young objects back too.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, AFTER_MS).unref()
}
