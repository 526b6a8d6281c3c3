import type { MicroUsd } from '../lib/usd.ts'

/** Sums what counts at a moment, where each amount counts for a time of its own. Moments in ms, asked for in their order. */
export type RollingWindow = Readonly<{
  add(microUsd: MicroUsd, until: number): void
  /** All that counts at `now`: what ends at that moment counts no more. */
  total(now: number): MicroUsd
}>

type Entry = Readonly<{ microUsd: MicroUsd; until: number }>

/** A window in memory: a heap by the end of each amount, so that a day of a busy wallet costs no more than a quiet one. */
export function rollingWindow(): RollingWindow {
  const heap: Entry[] = []
  let sum = 0n

  return {
    add(microUsd, until) {
      sum += microUsd
      heap.push({ microUsd, until })
      siftUp(heap)
    },
    total(now) {
      for (let first = heap[0]; first !== undefined && first.until <= now; first = heap[0]) {
        sum -= first.microUsd
        removeFirst(heap)
      }
      return sum
    },
  }
}

function siftUp(heap: Entry[]): void {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1
    if (!swapIfLater(heap, parent, at)) return
    at = parent
  }
}

function removeFirst(heap: Entry[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  heap[0] = last
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2]
    const child = (heap[right]?.until ?? Infinity) < (heap[left]?.until ?? Infinity) ? right : left
    if (!swapIfLater(heap, at, child)) return
    at = child
  }
}

/** Puts the earlier of a parent and its child first. Whether they changed places. */
function swapIfLater(heap: Entry[], parent: number, child: number): boolean {
  const [above, below] = [heap[parent], heap[child]]
  if (above === undefined || below === undefined || above.until <= below.until) return false
  heap[parent] = below
  heap[child] = above
  return true
}
