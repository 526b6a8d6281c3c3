import {
  type AgentSettings,
  createScheduler,
  type Harness,
  type RunOutcome,
  runId,
  runOf,
  runText,
  type ScheduledSkill,
  type Scheduler,
  type Skills,
  type Switchboard,
} from '../harness/index.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/index.ts'

/** Milliseconds after which a run that was handed over and does not end counts as failed. */
const LONGEST_RUN_MS = 900_000

/** The schedules of a process: built in two steps, because the harness tells them how a run ended. */
export type Schedules = Readonly<{
  onScheduled(id: string, problem: string | undefined): Promise<void>
  start(parts: Readonly<{ harness: Harness; switchboard: Switchboard }>): void
  /** Once the switchboard has stopped. */
  stop(): Promise<void>
}>

type Parts = Readonly<{ agents: readonly AgentSettings[]; skills: Skills; storage: Storage; log: Log }>

/** Runs the skills that have a schedule, each in the chat of its owner, or where there is none for the log alone. */
export function createSchedules({ agents, skills, storage, log }: Parts): Schedules {
  const runs = storage.stores.scheduleRuns
  const waiting = new Map<string, (outcome: RunOutcome) => void>()
  let scheduler: Scheduler | undefined

  async function run(skill: ScheduledSkill, slot: number, { harness, switchboard }: Parameters<Schedules['start']>[0]) {
    const agent = agentOf(skill, agents)
    const id = runId(skill.name, slot)
    const ended = Promise.withResolvers<RunOutcome>()
    waiting.set(id, ended.resolve)
    const late = setTimeout(() => ended.resolve({ ok: false, reason: 'It did not end in time.' }), LONGEST_RUN_MS)
    try {
      const text = runText(skill, slot)
      if (!(await switchboard.prompt(agent.id, { id, text }))) {
        const message = { id, conversation: skill.name, sender: 'schedule', text, agent: agent.id, isScheduled: true }
        await harness.receive('schedule', message, async (out) => {
          if ('text' in out) log.info({ skill: skill.name, text: out.text }, 'A scheduled run says.')
        })
      }
      return await ended.promise
    } finally {
      clearTimeout(late)
      waiting.delete(id)
    }
  }

  return {
    async onScheduled(id, problem) {
      const outcome: RunOutcome = problem === undefined ? { ok: true } : { ok: false, reason: problem }
      const known = waiting.get(id)
      if (known) return known(outcome)
      // An earlier process began it, and this one took it over.
      const taken = runOf(id)
      if (taken) await runs.finish(taken.skill, taken.slot, outcome.ok ? 'done' : 'failed', problem ?? null)
    },
    start(parts) {
      const { switchboard } = parts
      const tell = async (text: string) => {
        await switchboard.tell(text).catch((thrown: unknown) => {
          log.warn({ error: messageOf(thrown) }, 'The owner could not be told.')
        })
      }
      skills.onChange((problem) => {
        if (problem) void tell(`The skill ${problem.skill} has a problem: ${problem.problem}`)
      })
      scheduler = createScheduler({
        skills,
        runs,
        now: storage.now,
        run: (skill, slot) => run(skill, slot, parts),
        isElsewhere: switchboard.isElsewhere,
        notice: tell,
        log,
      })
      scheduler.start()
    },
    async stop() {
      for (const end of waiting.values()) end({ ok: false, reason: 'The process was stopped.' })
      await scheduler?.stop()
    },
  }
}

function agentOf({ name, schedule }: ScheduledSkill, agents: readonly AgentSettings[]): AgentSettings {
  const able = agents.filter(({ skills }) => skills === undefined || skills.includes(name))
  const agent = schedule.agent === undefined ? able[0] : able.find(({ id }) => id === schedule.agent)
  if (agent) return agent
  throw new CountersignError('invalid_request', `No agent ${schedule.agent ?? ''} may use the skill ${name}.`)
}
