import { ok, refuse } from '../lib/result.ts'
import type { Stores } from '../storage/index.ts'
import type { UsageStore } from './budget.ts'
import { createHistories, type Histories } from './history.ts'
import type { PersonMemory } from './tool.ts'

/** What a harness remembers, over restarts where its store is durable. None of it is ever an input of a verdict. */
export type Memory = Readonly<{
  histories: Histories
  usage: UsageStore
  /** The runs of scheduled skills. */
  runs: Pick<Stores['scheduleRuns'], 'recent'>
  /** A person is a sender of a channel, by the platform's own id. */
  ofPerson(channel: string, sender: string): PersonMemory
  /** Forgets conversations, runs and counts that are older than so many days. Facts stay until their person deletes them. */
  forgetOlderThan(days: number): Promise<void>
}>

/** The stores that a memory is kept in. */
export type MemoryStores = Pick<Stores, 'histories' | 'facts' | 'people' | 'modelUsage' | 'scheduleRuns'>

const MOST_FACTS = 50
const LONGEST_FACT = 300
const DAY_MS = 86_400_000

/** A memory in stores. `now` is the stores' own clock. */
export function createMemory(stores: MemoryStores, now: () => Promise<number>): Memory {
  const { facts, people } = stores
  return {
    histories: createHistories(stores.histories),
    usage: stores.modelUsage,
    runs: stores.scheduleRuns,
    ofPerson(channel, sender) {
      const person = personKey(channel, sender)
      return {
        facts: () => facts.of(person),
        async remember(text) {
          const fact = plain(text)
          if (fact === '') return refuse('There is nothing to remember.')
          if (fact.length > LONGEST_FACT) return refuse(`A fact has at most ${LONGEST_FACT} characters.`)
          const kept = await facts.add(person, fact, MOST_FACTS)
          return kept ? ok(fact) : refuse(`${MOST_FACTS} facts are remembered already: some must be forgotten first.`)
        },
        forget: (seq) => facts.remove(person, seq),
        forgetAll: () => facts.removeAll(person),
        timeZone: () => people.timeZone(person),
        async setTimeZone(name) {
          if (name === undefined) return people.forgetTimeZone(person)
          await people.setTimeZone(person, name)
        },
      }
    },
    async forgetOlderThan(days) {
      const moment = (await now()) - days * DAY_MS
      await stores.histories.forgetBefore(moment)
      await stores.scheduleRuns.forgetBefore(moment)
      await stores.modelUsage.forgetBefore(moment)
    },
  }
}

/** What a person is kept by. */
export function personKey(channel: string, sender: string): string {
  return JSON.stringify([channel, sender])
}

/** One line without control characters. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}
