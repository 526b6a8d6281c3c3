import type { Storage } from '../storage/index.ts'
import type { Channel, InboundMessage, Outbound } from './channel.ts'
import { personKey } from './memory.ts'
import type { VerdictCard } from './verdict-card.ts'

/** How moments are shown to a person: each one, and what is said once below several. */
export type Clock = Readonly<{ show(ms: number): string; note: string }>

const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
/** So many in one text name their zone once, below. */
const SEVERAL = 2

/** Moments in a time zone, like `21 Nov 2026, 12:50`. */
export function clockOf(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' })
  return { show: (ms) => format.format(ms), note: timeZone }
}

type Surroundings = Readonly<{ channel: Pick<Channel, 'name' | 'showMoment'>; storage: Storage; timeZone: string }>

/**
 * How the one who wrote reads moments: as the platform shows them, else in the zone that they named, that their device
 * named, or the usual one.
 */
export async function clockFor(
  { channel, storage, timeZone }: Surroundings,
  message: Pick<InboundMessage, 'sender' | 'timeZone'>,
): Promise<Clock> {
  if (channel.showMoment) return { show: channel.showMoment, note: '' }
  const named = await storage.stores.people.timeZone(personKey(channel.name, message.sender))
  return clockOf(named ?? message.timeZone ?? timeZone)
}

/**
 * What the harness says, with its moments (`2026-11-21T11:50:00.000Z`) as its reader reads them. A model's own words, and
 * what it quotes, stay as they are.
 */
export async function inTheirTime(message: Outbound, clock: () => Promise<Clock>): Promise<Outbound> {
  if (message.type === 'end' || message.type === 'text' || !JSON.stringify(message).match(MOMENT)) return message
  const read = await clock()
  if (message.type === 'verdict') return { ...message, card: cardIn(message.card, read) }
  if (message.type === 'picture') return { ...message, title: textIn(message.title, read) }
  return { ...message, text: textIn(message.text, read) }
}

function cardIn(card: VerdictCard, clock: Clock): VerdictCard {
  const { reason, lines, checks, execution } = card
  const read = (text: string) => textIn(text, clock)
  return {
    ...card,
    reason: read(reason),
    lines: lines.map(({ label, text }) => ({ label, text: read(text) })),
    checks: checks.map((check) => ({ ...check, reason: read(check.reason) })),
    execution: execution && { ...execution, text: read(execution.text) },
  }
}

function textIn(text: string, { show, note }: Clock): string {
  // What only looks like a moment stays as it is: others' words are among what is told.
  const moments = text.match(MOMENT)?.filter((one) => Number.isFinite(Date.parse(one))) ?? []
  const near = note === '' || moments.length >= SEVERAL ? '' : ` (${note})`
  const shown = text.replaceAll(MOMENT, (one) => (moments.includes(one) ? `${show(Date.parse(one))}${near}` : one))
  return note !== '' && moments.length >= SEVERAL ? `${shown}\nTimes in ${note}.` : shown
}
