import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { InboundMessage, Outbound } from './channel.ts'
import { commandIn, runCommand } from './commands.ts'
import { createModels, type ProviderConfig } from './connect-provider.ts'
import type { Execution } from './gate.ts'
import { systemPrompt } from './prompt.ts'
import { type AgentSettings, route } from './router.ts'
import { runTool } from './run-tool.ts'
import { createSessions, type Session, type SessionLimits } from './session.ts'
import type { HarnessStatus } from './status.ts'
import type { Tool } from './tool.ts'
import type { Trading } from './trading.ts'
import { DEFAULT_LIMITS, runTurn, type TurnLimits } from './turn.ts'

/** What a harness is built from. */
export type HarnessSettings = Readonly<{
  agents: readonly [AgentSettings, ...AgentSettings[]]
  providers: Readonly<Record<string, ProviderConfig>>
  mode: Execution['mode']
  /** Without it the agents talk and have no tools. */
  trading: Trading | undefined
  tools: readonly Tool[]
  log: Log
  now(): Date
  limits?: Partial<TurnLimits> | undefined
  sessions?: Partial<SessionLimits> | undefined
}>

/** Sends to the conversation that a message came from. */
export type Send = (message: Outbound) => Promise<void>

/** The harness: messages go in, answers and verdicts come out. */
export type Harness = Readonly<{
  /** Answers a message. Ends with the turn, and never throws: what went wrong is said in the conversation. */
  receive(channel: string, message: InboundMessage, send: Send): Promise<void>
  status(): HarnessStatus
}>

/** Longest message of a person, in characters. */
const LONGEST_MESSAGE = 16_000

/** Builds the harness. It keeps conversations in memory. */
export function createHarness(settings: HarnessSettings): Harness {
  const { agents, mode, trading, log } = settings
  const sessions = createSessions(settings.sessions)
  const models = createModels(settings.providers)
  const status = (): HarnessStatus => ({
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
  })

  /** One turn of one agent, from the person's text to what is remembered of it. */
  async function answer(session: Session, message: InboundMessage, emit: Send, signal: AbortSignal): Promise<void> {
    const { agent, text } = route(agents, message)
    const { provider, model, supportsToolUse } = await models.of(agent)
    const tools = supportsToolUse && trading ? allowedTools(agent, settings.tools) : []
    const added = await runTurn(session.history(agent.id), text, {
      provider,
      model,
      system: systemPrompt({ agent, tools, trading, mode }),
      tools,
      limits: { ...DEFAULT_LIMITS, ...settings.limits, ...(agent.maxTurns !== undefined && { turns: agent.maxTurns }) },
      signal,
      emit,
      runTool: (call, stopped) => runTool(call, { tools, trading, mode, log, emit, now: settings.now }, stopped),
    })
    session.remember(agent.id, added)
  }

  return {
    status,
    async receive(channel, message, send) {
      const session = sessions.of(channel, message.conversation)
      if (!session.isNew(message.id)) return
      const emit = safely(send, log)
      try {
        const refused = problemOf(message)
        const command = commandIn(message.text)
        if (refused !== undefined) await emit({ type: 'error', text: refused })
        else if (command)
          await runCommand(command, { channel, message, session, status: status(), reader: trading?.reader, emit })
        else if ((await session.inTurn((signal) => answer(session, message, emit, signal))) === 'busy')
          await emit({ type: 'error', text: 'Too many messages are waiting: write again when I have answered.' })
      } catch (thrown) {
        log.error({ channel, error: messageOf(thrown) }, 'A message could not be answered.')
        await emit({
          type: 'error',
          text: thrown instanceof CountersignError ? thrown.message : 'The message could not be answered.',
        })
      }
      // A command in the middle of a turn leaves the end to that turn.
      if (!session.running()) await emit({ type: 'end' })
    },
  }
}

function allowedTools({ tools: names }: AgentSettings, tools: readonly Tool[]): readonly Tool[] {
  return names === undefined ? tools : tools.filter(({ name }) => names.includes(name))
}

function problemOf({ text }: InboundMessage): string | undefined {
  if (text.trim() === '') return 'The message is empty.'
  return text.length > LONGEST_MESSAGE ? `The message is longer than ${LONGEST_MESSAGE} characters.` : undefined
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
