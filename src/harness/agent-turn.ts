import { CountersignError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { createMeter } from './budget.ts'
import type { Outbound } from './channel.ts'
import { fittedPast } from './compaction.ts'
import { createModels, type ProviderConfig } from './connect-provider.ts'
import type { Execution } from './gate.ts'
import type { Memory } from './memory.ts'
import type { Origin } from './origin.ts'
import { systemPrompt } from './prompt.ts'
import type { AgentSettings } from './router.ts'
import type { ProposalSettings } from './run-proposal.ts'
import { runTool } from './run-tool.ts'
import type { Skill } from './skill-file.ts'
import type { Skills } from './skills.ts'
import type { PersonMemory, Shell, SkillReader, Tool } from './tool.ts'
import type { Trading } from './trading.ts'
import { DEFAULT_LIMITS, runTurn, type TurnLimits } from './turn.ts'

/** What turns of agents are run with. */
export type AgentTurnSettings = Readonly<{
  agents: readonly AgentSettings[]
  providers: Readonly<Record<string, ProviderConfig>>
  mode: Execution['mode']
  /** Without it the agents talk, and have none of the tools that need a wallet. */
  trading: Trading | undefined
  tools: readonly Tool[]
  memory: Memory
  skills: Skills
  /** Only where the owner switched the bash tool on. */
  shell?: Shell | undefined
  log: Log
  now(): Date
  limits?: Partial<TurnLimits> | undefined
}>

/** One message for one agent. */
export type AgentMessage = Readonly<{
  agent: AgentSettings
  text: string
  /** Key of the conversation: its history, and what it may cost. */
  conversation: string
  /** Missing where nobody speaks: a schedule. Nothing of the past is told then, and nothing is remembered. */
  person: PersonMemory | undefined
  /** The only tools that may be used, where not all of the agent's. */
  onlyTools?: readonly string[] | undefined
  /** The skill whose schedule asks. */
  schedule?: string | undefined
  signal: AbortSignal
  emit(message: Outbound): Promise<void>
  /** What acting needs beside all this. */
  acting?: Partial<ProposalSettings> | undefined
}>

/** Answers messages as agents. */
export type AgentTurns = Readonly<{ answer(message: AgentMessage): Promise<void> }>

/**
 * One turn of one agent, from the text to what is remembered of it.
 *
 * @throws CountersignError `invalid_request` at once for an agent whose models, tools or budget are not as configured
 */
export function createAgentTurns(settings: AgentTurnSettings): AgentTurns {
  const models = createModels(settings.providers)
  for (const agent of settings.agents) checkAgent(agent, settings, models)
  return {
    async answer({ agent, text, conversation, person, onlyTools, schedule, signal, emit, acting }) {
      const { memory, trading, mode, log, now } = settings
      const model = models.of(agent)
      const skills = skillsOf(agent, settings.skills)
      const usable = { canUse: model.supportsToolUse, person, onlyTools, hasSkills: skills.list.length > 0 }
      const tools = toolsOf(agent, settings, usable)
      const meter = createMeter(agent.budget ?? {}, { agentId: agent.id, conversation, usage: memory.usage })
      const compaction = { conversation, agentId: agent.id, histories: memory.histories, model, meter, signal }
      const past = person === undefined ? { messages: [], shortened: false } : await fittedPast(compaction)
      if (past.shortened)
        await emit({ type: 'status', text: 'The beginning of this conversation was put away under a summary.' })
      const facts = (await person?.facts()) ?? []
      const timeZone = await person?.timeZone()
      const noted = notedOrigin(skills.reader, schedule)
      const own = { memory: person, skills: noted.reader, shell: settings.shell }
      const running = { ...acting, origin: noted.origin, tools, trading, mode, log, emit, own, now }
      const added = await runTurn(past.messages, text, {
        provider: model.provider,
        model: model.model,
        system: systemPrompt({ agent, tools, trading, mode, skills: skills.list, facts, timeZone }),
        tools,
        limits: {
          ...DEFAULT_LIMITS,
          ...settings.limits,
          ...(agent.maxTurns !== undefined && { turns: agent.maxTurns }),
        },
        signal,
        meter,
        cacheKey: conversation,
        shorten: async () => (person === undefined ? [] : (await fittedPast(compaction, true)).messages),
        emit,
        runTool: (call, stopped) => runTool(call, running, stopped),
      })
      if (person !== undefined) await memory.histories.add(conversation, agent.id, added)
    },
  }
}

type Usable = Readonly<{
  canUse: boolean
  hasSkills: boolean
  person: PersonMemory | undefined
  onlyTools: readonly string[] | undefined
}>

/** What the agent may use, of what there is. */
function toolsOf({ tools: names }: AgentSettings, settings: AgentTurnSettings, usable: Usable): readonly Tool[] {
  if (!usable.canUse) return []
  const { trading, shell } = settings
  return settings.tools.filter(({ name, kind }) => {
    if (names !== undefined && !names.includes(name)) return false
    if (usable.onlyTools !== undefined && !usable.onlyTools.includes(name)) return false
    if (kind !== 'harness') return trading !== undefined
    if (name === 'bash') return shell !== undefined
    return name === 'read_skill' ? usable.hasSkills : usable.person !== undefined
  })
}

function skillsOf(
  { skills: names }: AgentSettings,
  skills: Skills,
): Readonly<{ list: readonly Skill[]; reader: SkillReader }> {
  const list = skills.list().filter(({ name }) => names === undefined || names.includes(name))
  const known = new Set(list.map(({ name }) => name))
  return {
    list,
    reader: {
      read: async (name, file) =>
        known.has(name) ? skills.read(name, file) : { ok: false, reason: `There is no skill "${name}".` },
    },
  }
}

/** Says for whom a turn acts: the schedule that asks, else the skill that was read last in it, else the chat. */
function notedOrigin(reader: SkillReader, schedule: string | undefined) {
  let origin: Origin = schedule === undefined ? 'chat' : `schedule ${schedule}`
  const noting: SkillReader = {
    async read(name, file) {
      const read = await reader.read(name, file)
      if (read.ok && schedule === undefined) origin = `skill ${name}`
      return read
    },
  }
  return { reader: noting, origin: () => origin }
}

function checkAgent(agent: AgentSettings, { tools }: AgentTurnSettings, models: ReturnType<typeof createModels>): void {
  const unknown = agent.tools?.filter((name) => !tools.some((tool) => tool.name === name)) ?? []
  if (unknown.length > 0)
    throw wrong(
      agent,
      `tools: there is no tool ${unknown.join(', ')}. Those that there are: ${tools.map(({ name }) => name).join(', ')}`,
    )
  const { turn, chat, day } = agent.budget ?? {}
  const inUsd = [turn, chat, day].some((one) => one?.usd !== undefined)
  const { priced } = attempt(agent, () => models.of(agent))
  if (inUsd && !priced)
    throw wrong(agent, 'budget: US dollars need the price of each of its models (providers.<name>.models[].price)')
}

function attempt<T>(agent: AgentSettings, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw thrown instanceof CountersignError ? wrong(agent, thrown.message) : thrown
  }
}

function wrong({ id }: AgentSettings, what: string): CountersignError {
  return new CountersignError('invalid_request', `The agent ${id}: ${what.replace(/\.$/, '')}.`)
}
