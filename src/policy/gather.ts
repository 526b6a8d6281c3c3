import { CountersignError } from '../lib/errors.ts'
import { traced } from '../lib/traced.ts'
import type { Fact, FactName, Facts } from './facts.ts'
import type { Answer, AnySource, Question } from './source.ts'

const MAX_REASON_LENGTH = 200

/**
 * Asks for the named facts, all at once, each within its source's own time limit. What throws, hangs, or answers too
 * late is `unavailable` with a short reason; a fact that no source carries is left out. Never throws.
 */
export async function gather(
  names: readonly FactName[],
  sources: readonly AnySource[],
  question: Question,
): Promise<Facts> {
  const about = question.venue?.name
  const asked = [...new Set(names)].flatMap(
    (name) => sources.find(({ fact, venue }) => fact === name && (venue === undefined || venue === about)) ?? [],
  )
  const facts = await Promise.all(asked.map((source) => factOf(source, question)))
  return facts.reduce<Facts>((all, one) => ({ ...all, ...one }), {})
}

function factOf(source: AnySource, question: Question): Promise<Facts> {
  switch (source.fact) {
    case 'tokens':
      return ask(source, question).then((tokens) => ({ tokens }))
    case 'prices':
      return ask(source, question).then((prices) => ({ prices }))
    case 'sanctions':
      return ask(source, question).then((sanctions) => ({ sanctions }))
    case 'outflow24h':
      return ask(source, question).then((outflow24h) => ({ outflow24h }))
    case 'positions':
      return ask(source, question).then((positions) => ({ positions }))
    case 'markets':
      return ask(source, question).then((markets) => ({ markets }))
    case 'margin':
      return ask(source, question).then((margin) => ({ margin }))
    case 'standing':
      return ask(source, question).then((standing) => ({ standing }))
  }
}

/** A source of any fact, as far as asking it goes. */
type Asked<value> = Readonly<{ id: string; timeoutMs: number; ask(question: Question): Promise<Answer<value>> }>

async function ask<value>(source: Asked<value>, question: Question): Promise<Fact<value>> {
  const given = new AbortController()
  const stop = Promise.withResolvers<never>()
  const late = setTimeout(() => end(new CountersignError('unavailable', lateness(source))), source.timeoutMs)
  const end = (reason: CountersignError) => {
    stop.reject(reason)
    given.abort(reason)
  }
  const leave = () => end(new CountersignError('unavailable', 'Nobody waits for the answer any more.'))
  if (question.signal.aborted) leave()
  question.signal.addEventListener('abort', leave)
  try {
    const asked = () => Promise.race([answerOf(source, { ...question, signal: given.signal }), stop.promise])
    const answer = await traced('source', { source: source.id }, asked)
    const observedAt = answer.observedAt.toISOString()
    return { status: answer.cached ? 'cached' : 'fresh', source: source.id, observedAt, value: answer.value }
  } catch (thrown) {
    const reason = reasonOf(given.signal.aborted ? given.signal.reason : thrown)
    return { status: 'unavailable', source: source.id, reason }
  } finally {
    clearTimeout(late)
    question.signal.removeEventListener('abort', leave)
  }
}

function lateness({ timeoutMs }: Asked<unknown>): string {
  return `There was no answer within ${timeoutMs} ms.`
}

/** In a function of its own, so that a source that throws before its first await is no different from one that rejects. */
async function answerOf<value>(source: Asked<value>, question: Question): Promise<Answer<value>> {
  return source.ask(question)
}

/** Only our own faults are repeated: what else is thrown may name hosts and keys. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof CountersignError)) return 'The source failed.'
  return thrown.message.replace(/\S+:\/\/\S+/g, '(address)').slice(0, MAX_REASON_LENGTH)
}
