import type { Message } from './provider.ts'

/** What is kept at most, in this process. */
export type SessionLimits = Readonly<{
  /** Conversations; the one that was silent longest makes room. */
  conversations: number
  /** Messages of a history, tool calls and results counted. */
  messages: number
  /** Characters of a history. */
  characters: number
  /** Messages of a conversation that wait for a turn. */
  waiting: number
}>

const LIMITS: SessionLimits = { conversations: 500, messages: 80, characters: 120_000, waiting: 5 }

/** Ids of messages that are remembered per conversation, so that one delivered twice is answered once. */
const REMEMBERED_IDS = 200

/** One conversation: its history with each agent, and its one lane. */
export type Session = Readonly<{
  /** Whether a message is new here. It is known from then on. */
  isNew(messageId: string): boolean
  history(agentId: string): readonly Message[]
  remember(agentId: string, added: readonly Message[]): void
  /** Forgets all histories. */
  clear(): void
  /** Runs a turn after those before it. `busy` when too many wait already. */
  inTurn(work: (signal: AbortSignal) => Promise<void>): Promise<'done' | 'busy'>
  /** Stops the running turn and those that wait. Whether there was one. */
  stop(): boolean
  running(): boolean
}>

/** All conversations of this process. */
export type Sessions = Readonly<{
  of(channel: string, conversation: string): Session
  count(): number
  running(): number
}>

/** Conversations in memory: gone with the process. */
export function createSessions(limits: Partial<SessionLimits> = {}): Sessions {
  const all = { ...LIMITS, ...limits }
  const sessions = new Map<string, Session>()
  return {
    count: () => sessions.size,
    running: () => [...sessions.values()].filter((session) => session.running()).length,
    of(channel, conversation) {
      const key = JSON.stringify([channel, conversation])
      const session = sessions.get(key) ?? createSession(all)
      // Taken out and put back, so that the order of the map is the order of last use.
      sessions.delete(key)
      sessions.set(key, session)
      if (sessions.size > all.conversations) forgetOne(sessions, session)
      return session
    },
  }
}

function forgetOne(sessions: Map<string, Session>, current: Session): void {
  const silent = [...sessions].find(([, one]) => one !== current && !one.running())
  if (silent) sessions.delete(silent[0])
}

function createSession(limits: SessionLimits): Session {
  const histories = new Map<string, readonly Message[]>()
  const ids = new Set<string>()
  const controllers = new Set<AbortController>()
  let lane: Promise<void> = Promise.resolve()
  return {
    isNew(messageId) {
      if (ids.has(messageId)) return false
      ids.add(messageId)
      const [oldest] = ids
      if (ids.size > REMEMBERED_IDS && oldest !== undefined) ids.delete(oldest)
      return true
    },
    history: (agentId) => histories.get(agentId) ?? [],
    remember(agentId, added) {
      histories.set(agentId, bounded([...(histories.get(agentId) ?? []), ...added], limits))
    },
    clear: () => histories.clear(),
    async inTurn(work) {
      if (controllers.size > limits.waiting) return 'busy'
      const controller = new AbortController()
      controllers.add(controller)
      const mine = lane.then(() => work(controller.signal))
      lane = mine.then(
        () => undefined,
        () => undefined,
      )
      await mine.finally(() => controllers.delete(controller))
      return 'done'
    },
    stop() {
      for (const controller of controllers) controller.abort()
      return controllers.size > 0
    },
    running: () => controllers.size > 0,
  }
}

/** The newest whole exchanges that fit. An exchange begins with a person's message, so that calls keep their results. */
function bounded(history: readonly Message[], { messages, characters }: SessionLimits): readonly Message[] {
  const starts = history.flatMap(({ role }, i) => (role === 'user' ? [i] : []))
  const fits = (start: number) =>
    history.length - start <= messages && JSON.stringify(history.slice(start)).length <= characters
  const start = starts.find(fits)
  return start === undefined ? [] : history.slice(start)
}
