import type { OutboxRow, Storage } from '../storage/index.ts'
import type { Outbound } from './channel.ts'
import { sentText } from './execution-text.ts'
import { bodyOf, buttonsOf } from './outbox.ts'
import type { CardExecution, VerdictCard } from './verdict-card.ts'

/**
 * Whether an attempt at an answer may have executed something: an approved card is written down before anything is
 * executed on it. Such an answer is not made again.
 */
export function wasActedOn(earlier: readonly OutboxRow[]): boolean {
  return cardsOf(earlier).some(({ outcome }) => outcome === 'approved')
}

type Surroundings = Readonly<{ storage: Storage; emit(message: Outbound): Promise<void> }>

/** Tells what became of an answer that a restart interrupted, from the journal: nothing is done again. */
export async function answerInterrupted(earlier: readonly OutboxRow[], { storage, emit }: Surroundings): Promise<void> {
  const cards = cardsOf(earlier)
  // In their places, so that each card takes its own again.
  for (const row of earlier) {
    const body = bodyOf(row)
    if (body.type === 'verdict') {
      const buttons = buttonsOf(row)
      // What waits for a person waits still.
      const execution = body.card.execution ?? (buttons.length > 0 ? null : await journaled(body.card, storage))
      await emit({ type: 'verdict', card: { ...body.card, execution }, buttons })
    } else if (body.type === 'text') await emit({ type: 'text', text: body.text })
    else await emit(body)
  }
  const count = cards.length === 1 ? 'What was decided stands' : 'What was decided in each step stands'
  await emit({
    type: 'status',
    text: `I was interrupted by a restart while I answered. ${count} above, with what became of it; nothing is done again by itself.`,
  })
}

function cardsOf(rows: readonly OutboxRow[]): readonly VerdictCard[] {
  return rows.map(bodyOf).flatMap((body) => (body.type === 'verdict' ? [body.card] : []))
}

async function journaled({ requestHash, outcome }: VerdictCard, storage: Storage): Promise<CardExecution | null> {
  if (outcome !== 'approved') return null
  const execution = await storage.stores.executions.byRequestHash(requestHash as `0x${string}`)
  return execution ? sentText(execution) : { mode: 'direct', ok: false, text: 'Not executed.', txHash: null }
}
