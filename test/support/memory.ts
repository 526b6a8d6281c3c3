import { createMemory, type Memory } from '../../src/harness/memory.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'

/** A real memory in a database of its own, in this process. */
export async function freshMemory(): Promise<Memory & Readonly<{ storage: Storage }>> {
  const storage = await openStorage({ url: undefined })
  return { ...createMemory(storage.stores, storage.now), storage }
}

/** The same, opened when it is first used. */
export function lazyMemory(): Memory {
  const opened = freshMemory()
  return {
    histories: {
      read: async (...args) => (await opened).histories.read(...args),
      add: async (...args) => (await opened).histories.add(...args),
      summarise: async (...args) => (await opened).histories.summarise(...args),
      clear: async (...args) => (await opened).histories.clear(...args),
    },
    usage: {
      add: async (...args) => (await opened).usage.add(...args),
      today: async (...args) => (await opened).usage.today(...args),
    },
    runs: { recent: async (...args) => (await opened).runs.recent(...args) },
    ofPerson(...who) {
      const person = opened.then((memory) => memory.ofPerson(...who))
      return {
        facts: async () => (await person).facts(),
        remember: async (fact) => (await person).remember(fact),
        forget: async (seq) => (await person).forget(seq),
        forgetAll: async () => (await person).forgetAll(),
        timeZone: async () => (await person).timeZone(),
        setTimeZone: async (name) => (await person).setTimeZone(name),
      }
    },
    forgetOlderThan: async (days) => (await opened).forgetOlderThan(days),
  }
}
