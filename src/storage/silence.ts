/** Sees that a server takes questions and gives no answers, long before each question's own time is up. */
export type SilenceWatch = Readonly<{
  /** Whether it is silent: whoever asks now need not wait. */
  isSilent(): boolean
  /** Counts a question as asked until it is answered. An answer is the server's word, unless it is given on this side. */
  until<T>(answer: Promise<T>, given?: 'on this side'): Promise<T>
  stop(): void
}>

type Watched = Readonly<{
  /** Asks the server something that it answers at once, on a connection of its own, until told that it is late. */
  probe(late: AbortSignal): Promise<unknown>
  /** Ends whatever waits for an answer. */
  cutOff(): void
}>

/** How often it is looked, in ms. Time is counted in looks: a process that stood still has not waited for anybody. */
const LOOK_EVERY_MS = 100
/** A question that is older, in looks, makes the server suspect: it may wait for a lock, or for ever. */
const SUSPECT_LOOKS = 4
/** Within this time, in looks, a server that is there answers the probe. In sum less than the 2 s of specification 7.1. */
const PROBE_LOOKS = 8

/**
 * Watches a server. One that neither answers the probe nor anything else meanwhile is silent: what waits is cut off, and
 * what comes is refused at once, until a probe is answered again.
 */
export function watchSilence({ probe, cutOff }: Watched): SilenceWatch {
  const asked = new Map<object, number>()
  const state = { silent: false, looks: 0, probedAt: 0, answers: 0 }
  let probing: AbortController | undefined
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    state.looks += 1
    if (probing) {
      if (state.looks - state.probedAt >= PROBE_LOOKS) probing.abort()
      return
    }
    const [oldest] = asked.values()
    if (oldest === undefined && !state.silent) return rest()
    const isSuspect = oldest !== undefined && state.looks - Math.max(oldest, state.probedAt) >= SUSPECT_LOOKS
    if (state.silent || isSuspect) void ask()
  }
  async function ask(): Promise<void> {
    const { answers } = state
    probing = new AbortController()
    state.probedAt = state.looks
    const answered = await probe(probing.signal).then(
      () => true,
      () => false,
    )
    probing = undefined
    state.probedAt = state.looks
    state.silent = !answered && state.answers === answers
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
      asked.set(question, state.looks)
      timer ??= setInterval(look, LOOK_EVERY_MS).unref()
      try {
        const value = await answer
        if (given === undefined) state.answers += 1
        return value
      } finally {
        asked.delete(question)
      }
    },
    stop() {
      rest()
      probing?.abort()
    },
  }
}
