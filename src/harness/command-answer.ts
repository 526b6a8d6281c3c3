import type { Outbound } from './channel.ts'

/** What a command answers. */
export function say(text: string): Outbound {
  return { type: 'status', text }
}

/** Why a command did nothing. */
export function fail(text: string): Outbound {
  return { type: 'error', text }
}

/** A moment (ms since 1970): whoever is told it reads it in their own zone. */
export function timeText(moment: number): string {
  return new Date(moment).toISOString()
}
