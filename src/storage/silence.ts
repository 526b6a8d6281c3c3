/** Sees that a server takes questions and gives no answers, long before each question's own time is up. */
export type SilenceWatch = Readonly<{
  /** Whether it is silent: whoever asks now need not wait. */
  isSilent(): boolean
  /** Counts a question as asked until it is answered. An answer is the server's word, unless it is given on this side. */
  until<T>(answer: Promise<T>, given?: 'on this side'): Promise<T>
  stop(): void
}>

type Watched = Readonly<{
  /** Asks the server something that it answers at once, on a connection of its own. */
  probe(withinMs: number): Promise<unknown>
  /** Ends whatever waits for an answer. */
  cutOff(): void
}>

/** How often it is looked, in ms. */
const LOOK_EVERY_MS = 100
/** A question that is older, in ms, makes the server suspect: it may wait for a lock, or for ever. */
const SUSPECT_MS = 300
/** Within this time, in ms, a server that is there answers the probe. In sum less than the 2 s of specification 7.1. */
const PROBE_MS = 800

/**
 * Watches a server. One that neither answers the probe nor anything else meanwhile is silent: what waits is cut off, and
 * what comes is refused at once, until a probe is answered again.
 */
export function watchSilence({ probe, cutOff }: Watched): SilenceWatch {
  const asked = new Map<object, number>()
  const state = { silent: false, probing: false, probedAt: 0, heardAt: 0 }
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const [oldest] = asked.values()
    const from = performance.now()
    if (oldest === undefined && !state.silent) return rest()
    const suspect = state.silent || (oldest !== undefined && from - Math.max(oldest, state.probedAt) > SUSPECT_MS)
    if (state.probing || !suspect) return
    state.probing = true
    const answered = await probe(PROBE_MS).then(
      () => true,
      () => false,
    )
    state.probing = false
    state.probedAt = performance.now()
    state.silent = !answered && state.heardAt < from
    if (state.silent) cutOff()
  }
  function rest(): void {
    clearInterval(timer)
    timer = undefined
  }
  return {
    isSilent: () => state.silent,
    async until(answer, given) {
      const question = {}
      asked.set(question, performance.now())
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref()
      try {
        const value = await answer
        if (given === undefined) state.heardAt = performance.now()
        return value
      } finally {
        asked.delete(question)
      }
    },
    stop: rest,
  }
}
