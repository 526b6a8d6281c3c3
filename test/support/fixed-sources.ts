import { CountersignError } from '../../src/lib/errors.ts'
import type { Fact, Facts } from '../../src/policy/facts.ts'
import type { Answer, AnySource } from '../../src/policy/source.ts'

/**
 * Sources that answer every question with these facts: as fresh or as cached as they are, or not at all. What left the
 * wallet is no source's to say: the service reads that in its own ledger.
 */
export function fixedSources({ outflow24h: _, ...facts }: Facts): readonly AnySource[] {
  return Object.entries(facts).map(
    ([fact, one]: [string, Fact<unknown>]) =>
      ({ id: one.source, fact, timeoutMs: 1_000, ask: async () => answerOf(one) }) as AnySource,
  )
}

function answerOf<value>(fact: Fact<value>): Answer<value> {
  if (fact.status === 'unavailable') throw new CountersignError('unavailable', fact.reason)
  return { value: fact.value, observedAt: new Date(fact.observedAt), cached: fact.status === 'cached' }
}
