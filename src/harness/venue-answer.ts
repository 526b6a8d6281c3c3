import type { ExchangeAnswer } from '../chain/index.ts'

/** What a venue made of an action: refused as a whole, or taken, but for the legs that are named. */
export type Fate =
  | Readonly<{ taken: true; legs: readonly Readonly<{ leg: number; reason: string }>[] }>
  | Readonly<{ taken: false; reason: string }>

const LONGEST_REASON = 200

/** Reads an answer of `/exchange`. An action all of whose orders were refused was refused. */
export function fatesOf(answer: ExchangeAnswer): Fate {
  if (answer.status === 'err') return { taken: false, reason: plain(answer.response) }
  const statuses = answer.response.data?.statuses ?? []
  const legs = statuses.flatMap((status, leg) =>
    typeof status === 'object' && typeof status['error'] === 'string' ? [{ leg, reason: plain(status['error']) }] : [],
  )
  const [first] = legs
  if (first !== undefined && legs.length === statuses.length) return { taken: false, reason: first.reason }
  return { taken: true, legs }
}

/** A venue's words are shown to people and models: one line of plain characters. */
function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_REASON)
}
