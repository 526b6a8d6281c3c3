import { setTimeout as wait } from 'node:timers/promises'
import type { Outbound } from '../harness/index.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { ConsoleClient } from './console-client.ts'

/** A conversation as a terminal has it. */
export type Conversation = Readonly<{
  /** Sends a message, and waits until it is answered. @throws CountersignError when it cannot be sent */
  say(text: string): Promise<void>
  /** Has the running answer stopped. False when none runs, or it was asked before. */
  stop(): boolean
  /**
   * Shows what is told, until the signal.
   *
   * @throws CountersignError when the harness does not answer at first, refuses, or is lost where that is the end
   */
  follow(signal: AbortSignal): Promise<void>
}>

/** What a conversation needs of its surroundings. */
export type ConversationParts = Readonly<{
  client: ConsoleClient
  show(message: Outbound): void
  /** Called when the harness answers for the first time. */
  onOpen(): void
  /** Whether a connection that breaks is opened again, or is the end. */
  comesBack: boolean
}>

type Connection = 'new' | 'open' | 'lost'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000

/** A conversation over a client. */
export function createConversation({ client, show, onOpen, comesBack }: ConversationParts): Conversation {
  let running: PromiseWithResolvers<void> | undefined
  let stopping = false
  const cards = new Map<string, string>()

  function end(): void {
    stopping = false
    running?.resolve()
    running = undefined
  }

  return {
    async say(text) {
      running ??= Promise.withResolvers<void>()
      const { promise } = running
      try {
        await client.post(text)
      } catch (thrown) {
        end()
        throw thrown
      }
      await promise
    },
    stop() {
      if (running === undefined || stopping) return false
      stopping = true
      client.post('/stop').catch((thrown: unknown) => show({ type: 'error', text: messageOf(thrown) }))
      return true
    },
    async follow(signal) {
      let state = 'new' as Connection
      let waitMs = FIRST_WAIT_MS
      const opened = () => {
        if (state === 'new') onOpen()
        else show({ type: 'status', text: 'Connected again.' })
        state = 'open'
        waitMs = FIRST_WAIT_MS
      }
      while (true) {
        try {
          for await (const message of client.listen(opened, signal)) {
            show(onlyNew(message, cards))
            if (message.type === 'end') end()
          }
        } catch (thrown) {
          if (signal.aborted) return
          if (isFinal(thrown, state)) throw thrown
        }
        if (signal.aborted) return
        if (!comesBack) throw new CountersignError('unavailable', 'The connection was lost before all was answered.')
        if (state === 'open') show({ type: 'error', text: 'The connection is lost. Trying again.' })
        state = 'lost'
        await wait(waitMs, undefined, { signal }).catch(() => undefined)
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
      }
    },
  }
}

/** A harness that was there can come back. One that refuses will refuse again. */
function isFinal(thrown: unknown, state: Connection): boolean {
  return state === 'new' || !(thrown instanceof CountersignError) || !thrown.retryable
}

/** A card that was shown is not shown again when there is only its execution to tell. */
function onlyNew(message: Outbound, cards: Map<string, string>): Outbound {
  if (message.type !== 'verdict') return message
  const { execution, ...decision } = message.card
  const before = cards.get(decision.requestHash)
  const now = JSON.stringify(decision)
  cards.set(decision.requestHash, now)
  if (execution === null || before !== now) return message
  return { ...message, card: { ...message.card, reason: '', lines: [], checks: [] } }
}
