import { defineEffectNode } from '../../node.ts'

/** Seconds that may pass between the making of a transaction and its reading. */
const LEEWAY = 60

/** The deadline has not passed, and is no later than the one that was asked for. */
export const deadlineConsistency = defineEffectNode({
  id: 'intent_alignment.deadline_consistency',
  critical: true,
  run({ deadline, until }, { intent, surroundings }) {
    const now = Math.floor(surroundings.now().getTime() / 1000)
    if (deadline !== null && deadline <= now)
      return { fail: `Its deadline, ${momentText(deadline)}, has passed.`, details: { deadline, now } }
    if (intent.deadline === null)
      return deadline === null
        ? { skip: 'Neither the request nor the transaction sets a deadline.' }
        : { pass: `It ends at ${momentText(deadline)}.`, details: { deadline } }
    const meant = 'by' in intent.deadline ? intent.deadline.by : now + intent.deadline.within
    const details = { deadline: until, intended: meant }
    if (meant <= now) return { fail: `The deadline that was asked for, ${momentText(meant)}, has passed.`, details }
    if (until === null) return { fail: 'A deadline was asked for, and the transaction has none.', details }
    if (until > meant + LEEWAY)
      return { fail: `It was to end by ${momentText(meant)}, and ends at ${momentText(until)}.`, details }
    return { pass: `It ends at ${momentText(until)}, in time.`, details }
  },
})

function momentText(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'the end of time' : date.toISOString()
}
