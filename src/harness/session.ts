/** What is kept at most, in this process. */
export type SessionLimits = Readonly<{
  /** Conversations; the one that was silent longest makes room. */
  conversations: number
  /** Messages of a conversation that wait for a turn. */
  waiting: number
}>

const LIMITS: SessionLimits = { conversations: 500, waiting: 5 }

/** Ids of messages that are remembered per conversation, so that one delivered twice is answered once. */
const REMEMBERED_IDS = 200

/** One conversation: its one lane. What was said in it is kept by its key. */
export type Session = Readonly<{
  key: string
  /** Whether a message is new here. It is known from then on. */
  isNew(messageId: string): boolean
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
  /** Stops all turns. */
  stop(): void
}>

/** The lanes of conversations, in this process. */
export function createSessions(limits: Partial<SessionLimits> = {}): Sessions {
  const all = { ...LIMITS, ...limits }
  const sessions = new Map<string, Session>()
  return {
    count: () => sessions.size,
    running: () => [...sessions.values()].filter((session) => session.running()).length,
    stop() {
      for (const session of sessions.values()) session.stop()
    },
    of(channel, conversation) {
      const key = JSON.stringify([channel, conversation])
      const session = sessions.get(key) ?? createSession(key, all)
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

function createSession(key: string, limits: SessionLimits): Session {
  const ids = new Set<string>()
  const controllers = new Set<AbortController>()
  let lane: Promise<void> = Promise.resolve()
  return {
    key,
    isNew(messageId) {
      if (ids.has(messageId)) return false
      ids.add(messageId)
      const [oldest] = ids
      if (ids.size > REMEMBERED_IDS && oldest !== undefined) ids.delete(oldest)
      return true
    },
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
