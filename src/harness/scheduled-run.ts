import type { ScheduledSkill } from './scheduler.ts'
import type { Skills } from './skills.ts'

/** Longest instructions that stand in the message itself; longer ones are read with read_skill. */
const LONGEST_BODY = 12_000

const ID = /^schedule ([a-z0-9-]{1,64}) (\d{1,16})$/

/** The id of the message that asks for a run. One a slot, so that it is taken once. */
export function runId(skill: string, slot: number): string {
  return `schedule ${skill} ${slot}`
}

/** What a message of a schedule runs. */
export function runOf(id: string): Readonly<{ skill: string; slot: number }> | undefined {
  const [, skill, slot] = ID.exec(id) ?? []
  return skill === undefined ? undefined : { skill, slot: Number(slot) }
}

/** What an agent is asked for a slot of a skill. */
export function runText({ name, body, schedule }: ScheduledSkill, slot: number): string {
  const instructions =
    body.length <= LONGEST_BODY ? `Its instructions:\n\n${body}` : 'Read its instructions with read_skill first.'
  return [
    `This is the scheduled run of your skill ${name} for ${new Date(slot).toISOString()} (${schedule.cron}, ${schedule.timeZone}).`,
    'Nobody is there to answer questions. Do exactly what the skill says, once; where something is unclear or missing, do nothing and say what.',
    instructions,
  ].join('\n')
}

/** The tools that a skill keeps to in its scheduled runs, where it names any that it can name. */
export function toolsOfRun(id: string, skills: Skills): readonly string[] | undefined {
  const run = runOf(id)
  const allowed = skills.list().find(({ name }) => name === run?.skill)?.allowedTools
  return allowed && [...allowed, 'read_skill']
}
