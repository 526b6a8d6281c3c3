/** Work that takes many items at once, and gives each its result, in their order. */
export type Batch<item, result> = (items: readonly item[]) => Promise<readonly result[]>

type Waiting<item, result> = Readonly<{
  item: item
  resolve(result: result): void
  reject(reason: unknown): void
}>

/**
 * What comes while a batch is under way goes into the next one, which begins when it ends: one at a time of each lane,
 * none waits for company. A batch that fails fails all that is in it.
 *
 * @param max most items of one batch
 */
export function batching<item, result>(work: Batch<item, result>, max: number) {
  const lanes = new Map<string, Waiting<item, result>[]>()

  async function run(lane: string, waiting: Waiting<item, result>[]): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, max)
      try {
        const results = await work(batch.map(({ item }) => item))
        for (const [i, { resolve, reject }] of batch.entries()) {
          const [result] = results.slice(i, i + 1)
          if (result === undefined) reject(new TypeError('A batch gave fewer results than it had items.'))
          else resolve(result)
        }
      } catch (reason) {
        for (const { reject } of batch) reject(reason)
      }
    }
    lanes.delete(lane)
  }

  return (item: item, lane = ''): Promise<result> =>
    new Promise((resolve, reject) => {
      const waiting = lanes.get(lane)
      if (waiting !== undefined) {
        waiting.push({ item, resolve, reject })
        return
      }
      const first = [{ item, resolve, reject }]
      lanes.set(lane, first)
      // Not at once: what is asked for in the same turn of the event loop goes together.
      queueMicrotask(() => void run(lane, first))
    })
}

/**
 * Reads that several ask for at once are made once. Whoever asks while one is under way shares the next, which begins
 * when it ends: nobody is told what was true before they asked.
 */
export function sharing<result>(read: (key: string) => Promise<result>): (key: string) => Promise<result> {
  const readOnce = batching<string, Readonly<{ found: result }>>(async (keys) => {
    const [key] = keys
    if (key === undefined) return []
    const found = await read(key)
    return keys.map(() => ({ found }))
  }, Infinity)
  return async (key) => (await readOnce(key, key)).found
}
