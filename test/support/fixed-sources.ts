import { CountersignError } from '../../src/lib/errors.ts'
import type { Fact, Facts } from '../../src/policy/facts.ts'
import type { Answer, AnySource } from '../../src/policy/source.ts'

/** Sources that answer every question with these facts: as fresh or as cached as they are, or not at all. */
export function fixedSources({ tokens, prices, sanctions }: Facts): readonly AnySource[] {
  const sources: AnySource[] = []
  if (tokens) sources.push({ id: tokens.source, fact: 'tokens', timeoutMs: 1_000, ask: async () => answerOf(tokens) })
  if (prices) sources.push({ id: prices.source, fact: 'prices', timeoutMs: 1_000, ask: async () => answerOf(prices) })
  if (sanctions)
    sources.push({ id: sanctions.source, fact: 'sanctions', timeoutMs: 1_000, ask: async () => answerOf(sanctions) })
  return sources
}

function answerOf<value>(fact: Fact<value>): Answer<value> {
  if (fact.status === 'unavailable') throw new CountersignError('unavailable', fact.reason)
  return { value: fact.value, observedAt: new Date(fact.observedAt), cached: fact.status === 'cached' }
}
