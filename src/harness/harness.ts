import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { type AgentTurnSettings, type AgentTurns, createAgentTurns } from './agent-turn.ts'
import type { InboundMessage, Outbound } from './channel.ts'
import { commandIn, runCommand } from './commands.ts'
import type { Confirmations, Place } from './confirmation.ts'
import type { OwnerDesk } from './owner-desk.ts'
import { type AgentSettings, route } from './router.ts'
import { runOf, toolsOfRun } from './scheduled-run.ts'
import { createSessions, type Session, type SessionLimits, type Sessions } from './session.ts'
import type { HarnessStatus } from './status.ts'

/** What a harness is built from. */
export type HarnessSettings = AgentTurnSettings &
  Readonly<{
    agents: readonly [AgentSettings, ...AgentSettings[]]
    sessions?: Partial<SessionLimits> | undefined
    /** Asks people. Without it nobody can confirm, and what needs it is not executed. */
    confirmations?: Confirmations | undefined
    desk?: OwnerDesk | undefined
    /** Hears how a message of a schedule was answered: its id, and what went wrong, if anything. */
    onScheduled?: ((id: string, problem: string | undefined) => Promise<void>) | undefined
  }>

/** A message with what the core knows of it: its account, the agent that answers there, and who the sender is. */
export type Incoming = InboundMessage &
  Readonly<{
    account?: string | undefined
    agent?: string | undefined
    isOwner?: boolean
    /** It was not written by a person: a schedule asks. */
    isScheduled?: boolean
    /** An earlier process began to answer it. */
    isAgain?: boolean
  }>

/** Sends to the conversation that a message came from. */
export type Send = (message: Outbound) => Promise<void>

/** The harness: messages go in, answers and verdicts come out. */
export type Harness = Readonly<{
  /** Answers a message. Ends with the turn, and never throws: what went wrong is said in the conversation. */
  receive(channel: string, message: Incoming, send: Send): Promise<void>
  /** Stops all turns, as /stop does. */
  stopTurns(): void
  status(): HarnessStatus
  /**
   * Goes on with other agents and models, from the next message on.
   *
   * @throws CountersignError `invalid_request` where they are not right; nothing has changed then
   */
  reload(next: Pick<HarnessSettings, 'agents' | 'providers'>): void
}>

/** Longest message of a person, in characters. */
const LONGEST_MESSAGE = 16_000

/** What of a harness can change while it runs. */
type Staff = Readonly<{ agents: HarnessSettings['agents']; turns: AgentTurns }>

/**
 * Builds the harness.
 *
 * @throws CountersignError `invalid_request` for an agent whose models, tools or budget are not as configured
 */
export function createHarness(settings: HarnessSettings): Harness {
  const { log } = settings
  const sessions = createSessions(settings.sessions)
  let staff: Staff = { agents: settings.agents, turns: createAgentTurns(settings) }
  const status = () => statusOf(settings, staff, sessions)
  return {
    status,
    stopTurns: sessions.stop,
    reload({ agents, providers }) {
      staff = { agents, turns: createAgentTurns({ ...settings, agents, providers }) }
    },
    async receive(channel, message, send) {
      const session = sessions.of(channel, message.conversation)
      if (!session.isNew(message.id)) return
      const said = heardErrors(safely(send, log))
      const { emit } = said
      try {
        await respond({ settings, staff, status, channel, session, message, emit })
      } catch (thrown) {
        log.error({ channel, error: messageOf(thrown) }, 'A message could not be answered.')
        await emit({
          type: 'error',
          text: thrown instanceof CountersignError ? thrown.message : 'The message could not be answered.',
        })
      }
      if (message.isScheduled) await settings.onScheduled?.(message.id, said.first())
      // A command in the middle of a turn leaves the end to that turn.
      if (!session.running()) await emit({ type: 'end' })
    },
  }
}

function statusOf({ mode, trading, skills }: HarnessSettings, { agents }: Staff, sessions: Sessions): HarnessStatus {
  return {
    mode,
    wallet: trading?.wallet ?? null,
    chainId: trading?.chainId ?? null,
    agents: agents.map(({ id, name, provider, model }) => ({
      id,
      name,
      provider: provider ?? null,
      model: model ?? null,
    })),
    conversations: sessions.count(),
    running: sessions.running(),
    skills: skills.list().map(({ name }) => name),
    problems: skills.problems(),
  }
}

/** A message in its conversation, and who answers it. */
type Received = Readonly<{
  settings: HarnessSettings
  staff: Staff
  status(): HarnessStatus
  channel: string
  session: Session
  message: Incoming
  emit: Send
}>

/** A button, a command, or words for an agent. */
async function respond(received: Received): Promise<void> {
  const { settings, staff, status, channel, session, message, emit } = received
  const { memory, skills, trading, desk, confirmations } = settings
  const place = placeOf(channel, message)
  const refused = problemOf(message)
  const command = commandIn(message.text)
  if (message.button !== undefined)
    return (
      confirmations?.press(message.button.id, message.id, place, emit) ??
      emit({ type: 'status', text: 'This button is no longer known.' })
    )
  if (refused !== undefined) return emit({ type: 'error', text: refused })
  if (command)
    return runCommand(command, {
      channel,
      message,
      session,
      status: status(),
      reader: trading?.reader,
      paper: trading?.paper,
      messageId: message.id,
      place,
      agent: route(staff.agents, message).agent,
      desk,
      confirmations,
      memory: memory.ofPerson(channel, message.sender),
      forgetConversation: () => memory.histories.clear(session.key),
      skills,
      runs: memory.runs,
      emit,
    })
  if ((await session.inTurn((signal) => answer(received, signal))) === 'busy')
    await emit({ type: 'error', text: 'Too many messages are waiting: write again when I have answered.' })
}

/** One turn of the agent that a message is for. */
async function answer({ settings, staff, channel, session, message, emit }: Received, signal: AbortSignal) {
  const { memory, skills, mode, confirmations } = settings
  // A schedule speaks for nobody: it is told nothing of the past, and nothing of it is remembered.
  const person = message.isScheduled ? undefined : memory.ofPerson(channel, message.sender)
  const routed = route(staff.agents, message)
  const confirm = routed.agent.confirm ?? 'always'
  const questions = confirmations?.forTurn(placeOf(channel, message), confirm)
  const acting = {
    askExecution: questions?.execution ?? (mode === 'direct' && confirm !== 'never' ? async () => [] : undefined),
    askReview: questions?.review,
  }
  const onlyTools = message.isScheduled ? toolsOfRun(message.id, skills) : undefined
  const run = message.isScheduled ? runOf(message.id) : undefined
  const schedule = run?.skill
  await staff.turns.answer({ ...routed, conversation: session.key, person, onlyTools, schedule, emit, signal, acting })
}

function placeOf(channel: string, { account = 'main', conversation, sender, isOwner = false }: Incoming): Place {
  return { channel, account, conversation, person: sender, isOwner }
}

function problemOf({ text }: InboundMessage): string | undefined {
  if (text.trim() === '') return 'The message is empty.'
  return text.length > LONGEST_MESSAGE ? `The message is longer than ${LONGEST_MESSAGE} characters.` : undefined
}

/** Hands on what is sent, and remembers the first error of it. */
function heardErrors(send: Send): Readonly<{ emit: Send; first(): string | undefined }> {
  let first: string | undefined
  return {
    first: () => first,
    async emit(message) {
      if (message.type === 'error') first ??= message.text
      await send(message)
    },
  }
}

/** A chat that cannot be reached is said in the log, and stops nothing. */
function safely(send: Send, log: Log): Send {
  return async (message) => {
    try {
      await send(message)
    } catch (thrown) {
      log.warn({ type: message.type, error: messageOf(thrown) }, 'A message could not be sent.')
    }
  }
}
