/** Lanes: what is put into one runs one after the other, and no lane holds up another. */
export type Lanes = Readonly<{
  /** Puts work at the end of a lane. It must not throw. */
  put(lane: string, work: () => Promise<void>): void
  /** How many run or wait in a lane. */
  length(lane: string): number
  /** How many run, in all lanes. */
  running(): number
  /** Waits until nothing runs and nothing waits. */
  drained(): Promise<void>
}>

/** Lanes of which at most so many run at once; those that wait take turns. */
export function createLanes(mostRunning: number): Lanes {
  const lanes = new Map<string, (() => Promise<void>)[]>()
  const ready: string[] = []
  let running = 0
  let waiting: (() => void)[] = []

  function next(): void {
    while (running < mostRunning) {
      const lane = ready.shift()
      if (lane === undefined) return
      const [work] = lanes.get(lane) ?? []
      if (work === undefined) continue
      running += 1
      void work().finally(() => done(lane))
    }
  }

  function done(lane: string): void {
    running -= 1
    const queue = lanes.get(lane)
    queue?.shift()
    if (queue !== undefined && queue.length > 0) ready.push(lane)
    else lanes.delete(lane)
    next()
    if (running > 0 || lanes.size > 0) return
    const drained = waiting
    waiting = []
    for (const resolve of drained) resolve()
  }

  return {
    put(lane, work) {
      const queue = lanes.get(lane)
      if (queue) {
        queue.push(work)
        return
      }
      lanes.set(lane, [work])
      ready.push(lane)
      next()
    },
    length: (lane) => lanes.get(lane)?.length ?? 0,
    running: () => running,
    async drained() {
      if (running === 0 && lanes.size === 0) return
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
