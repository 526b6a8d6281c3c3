// A harness that answers as a test says, for what stands between channels and harness.
import type { Harness, Incoming, Send } from '../../src/harness/index.ts'

export type Answering = (message: Incoming, send: Send) => Promise<void>

/** Says back what it is told, unless the test says otherwise. */
export function scriptedHarness(answer: Answering = echo): Harness & Readonly<{ received: Incoming[] }> {
  const received: Incoming[] = []
  return {
    received,
    async receive(_, message, send) {
      received.push(message)
      await answer(message, send)
    },
    stopTurns: () => undefined,
    reload: () => undefined,
    status: () => ({
      mode: 'direct',
      wallet: null,
      chainId: null,
      agents: [],
      conversations: 0,
      running: 0,
      skills: [],
      problems: [],
    }),
  }
}

const echo: Answering = async ({ text }, send) => send({ type: 'text', text: `You said: ${text}` })
