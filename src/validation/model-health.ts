import type { Model } from './inspection.ts'

const ASKED_WITHIN_MS = 3_000

/** How long an answer is taken for true. Anybody may ask how the validator is, and each question to a model is paid for. */
const KNOWN_FOR_MS = 30_000

/** Whether a model answers, by a clock in milliseconds: asked at most once in 30 s, however many want to know. */
export function modelHealth(model: Model, now: () => number = performance.now.bind(performance)) {
  let known: Readonly<{ reachable: Promise<boolean>; until: number }> | undefined
  return (): Promise<boolean> => {
    if (known === undefined || now() >= known.until) {
      const signal = AbortSignal.timeout(ASKED_WITHIN_MS)
      const reachable = model.ask({ system: 'Answer with the word ok.', user: 'ok?', signal }).then(
        () => true,
        () => false,
      )
      known = { reachable, until: now() + KNOWN_FOR_MS }
    }
    return known.reachable
  }
}
