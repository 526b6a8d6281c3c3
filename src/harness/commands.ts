import { checksumAddress } from '../lib/address.ts'
import { chainOf } from '../registry/index.ts'
import type { InboundMessage, Outbound } from './channel.ts'
import { fail, say } from './command-answer.ts'
import type { Confirmations, Place } from './confirmation.ts'
import type { Memory } from './memory.ts'
import { MEMORY_COMMANDS } from './memory-commands.ts'
import { OWNER_COMMANDS } from './owner-commands.ts'
import type { OwnerDesk } from './owner-desk.ts'
import type { Paper } from './paper.ts'
import { PAPER_COMMANDS } from './paper-commands.ts'
import type { AgentSettings } from './router.ts'
import type { Session } from './session.ts'
import type { Skills } from './skills.ts'
import type { HarnessStatus } from './status.ts'
import type { PersonMemory, Reader } from './tool.ts'
import { verdictCard } from './verdict-card.ts'

/** What a command works with. */
export type CommandContext = Readonly<{
  channel: string
  message: InboundMessage
  session: Session
  status: HarnessStatus
  reader: Reader | undefined
  /** The paper portfolio, in a dry run that keeps one. */
  paper: Paper | undefined
  messageId: string
  place: Place
  /** The agent that answers here. */
  agent: AgentSettings
  desk: OwnerDesk | undefined
  confirmations: Confirmations | undefined
  /** What is remembered of the person. */
  memory: PersonMemory
  forgetConversation(): Promise<void>
  skills: Skills
  runs: Memory['runs']
  emit(message: Outbound): Promise<void>
}>

/** A command, and what it is for in a few words. */
export type Command = Readonly<{
  help: string
  /** Others than owners are refused. */
  forOwners?: true
  /** Its answer; nothing where it gave its own. */
  run(context: CommandContext, argument: string): Promise<Outbound | undefined>
}>

/** A message that is for the harness itself: no model sees it, and it waits for no turn. */
export type CommandCall = Readonly<{ name: string; argument: string }>

const CALL = /^\/([a-z]+)(?:@\S+)?(?:\s+([\s\S]*))?$/i

/** The command in a text, if it is one. */
export function commandIn(text: string): CommandCall | undefined {
  const [, name, argument = ''] = CALL.exec(text.trim()) ?? []
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: argument.trim() }
}

/** Answers a command; an unknown one with those that there are. */
export async function runCommand({ name, argument }: CommandCall, context: CommandContext): Promise<void> {
  const known = name === 'start' ? 'help' : name
  const command = Object.hasOwn(COMMANDS, known) ? COMMANDS[known] : undefined
  if (!command) return context.emit(fail(`There is no command /${name}. /help lists those that there are.`))
  if (command.forOwners && !context.place.isOwner) return context.emit(fail(`Only an owner may use /${known}.`))
  const answer = await command.run(context, argument)
  if (answer !== undefined) await context.emit(answer)
}

/** All commands with what they are for, as platforms list them. */
export function commandMenu(): readonly Readonly<{ name: string; help: string }>[] {
  return Object.entries(COMMANDS).map(([name, { help }]) => ({ name, help }))
}

const COMMANDS: Readonly<Record<string, Command>> = {
  help: {
    help: 'what I understand',
    run: async () =>
      say(
        Object.entries(COMMANDS)
          .map(([name, command]) => `/${name}: ${command.help}`)
          .join('\n'),
      ),
  },
  new: {
    help: 'forget this conversation and begin anew',
    async run({ session, forgetConversation }) {
      session.stop()
      // After the stopped turn has written what it did, so that nothing of it comes back.
      const done = await session.inTurn(forgetConversation)
      return done === 'done' ? say('A new conversation.') : { type: 'error', text: 'Too much is waiting: try again.' }
    },
  },
  stop: {
    help: 'stop the answer that is being made; what was sent to the chain stays sent',
    run: async ({ session }) => say(session.stop() ? 'Stopping.' : 'Nothing is running.'),
  },
  status: { help: 'mode, wallet, chain and models', run: async ({ status }) => say(statusText(status)) },
  whoami: {
    help: 'who you are to me',
    run: async ({ channel, message }) =>
      say(`You are ${message.sender} on ${channel}, in conversation ${message.conversation}.`),
  },
  verdict: {
    help: 'the latest verdict with all its checks, or the one of a requestHash',
    async run({ reader, status }, argument) {
      if (!reader || !status.wallet) return say('No wallet is configured, so nothing is decided here.')
      const past = await reader.verdict(argument === '' ? undefined : argument)
      if (!past.ok) return { type: 'error', text: past.reason }
      const { requestHash, description, verdict } = past.value
      return { type: 'verdict', card: verdictCard({ requestHash, title: description, verdict, wallet: status.wallet }) }
    },
  },
  ...OWNER_COMMANDS,
  ...MEMORY_COMMANDS,
  ...PAPER_COMMANDS,
}

function statusText({ mode, wallet, chainId, agents, running, skills, problems }: HarnessStatus): string {
  const where = chainId === null ? 'no chain' : `${chainOf(chainId)?.name ?? 'chain'} (${chainId})`
  const speaking = agents.map(({ id, provider, model }) => `${id}: ${provider ?? 'offline'}${model ? ` ${model}` : ''}`)
  return [
    `Mode: ${mode}${mode === 'dry-run' ? ' (nothing is ever sent)' : ''}`,
    `Wallet: ${wallet === null ? 'none' : checksumAddress(wallet)} on ${where}`,
    `Agents: ${speaking.join('; ')}`,
    `Turns running: ${running}`,
    `Skills: ${skills.join(', ') || 'none'}`,
    ...problems.map(({ skill, problem }) => `Problem with the skill ${skill}: ${problem}`),
  ].join('\n')
}
