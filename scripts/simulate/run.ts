import {
  nextSlots,
  type Outbound,
  runId,
  runText,
  type ScheduledSkill,
  type Skills,
  type Statement,
  type VerdictCard,
} from '../../src/harness/index.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { MicroUsd } from '../../src/lib/usd.ts'
import type { Settings } from './settings.ts'
import type { World } from './world.ts'

/** What one run came to: every action that was proposed, as it was left, and what the agent said in the end. */
export type Run = Readonly<{ slot: number; cards: readonly VerdictCard[]; said: string; problem: string | undefined }>

/** What it was worth at the end of a day, and what the opening holdings alone would have been. */
export type Sample = Readonly<{ day: string; worth: MicroUsd; hold: MicroUsd }>

/** A simulation that has ended. */
export type Outcome = Readonly<{
  schedule: Readonly<{ cron: string; timeZone: string; isOwn: boolean }>
  runs: readonly Run[]
  samples: readonly Sample[]
  end: Statement
}>

const DAY_MS = 86_400_000
const EACH_DAY = '0 9 * * *'

/** Lets the days go by: each run at its slot, and what all is worth at the end of each day. */
export async function simulate(world: World, settings: Settings): Promise<Outcome> {
  const { moveTo, paper, policy } = world
  const { skill, isOwn } = scheduled(world.skills, settings)
  const runs: Run[] = []
  const samples: Sample[] = []
  for (let day = settings.from; day < settings.to; day += DAY_MS) {
    moveTo(day)
    await paper.statement()
    for (const slot of slotsOf(skill, day)) {
      moveTo(slot)
      await policy.expireApprovals()
      runs.push(await runAt(world, skill, slot))
    }
    moveTo(day + DAY_MS - 1)
    const { worth, hold } = await statementOf(world)
    samples.push({ day: new Date(day).toISOString().slice(0, 10), worth, hold })
  }
  const { cron, timeZone } = skill.schedule
  return { schedule: { cron, timeZone, isOwn }, runs, samples, end: await statementOf(world) }
}

async function statementOf({ paper }: World): Promise<Statement> {
  const statement = await paper.statement()
  if (statement === undefined) throw new CountersignError('internal', 'The simulated portfolio is gone.')
  return statement
}

function slotsOf({ schedule }: ScheduledSkill, day: number): readonly number[] {
  const slots: number[] = []
  for (let after = day - 1; ; ) {
    const [slot] = nextSlots(schedule, after, 1)
    if (slot === undefined || slot >= day + DAY_MS) return slots
    slots.push(slot)
    after = slot
  }
}

function scheduled(skills: Skills, { skill: name, schedule: cron, timeZone = 'UTC' }: Settings) {
  const skill = skills.list().find((one) => one.name === name)
  if (skill === undefined) {
    const names = skills.list().map((one) => one.name)
    throw new CountersignError('invalid_request', `--skill: there is no ${name}. There are: ${names.join(', ')}.`)
  }
  const rest = { catchUp: false, jitterSeconds: 0, agent: undefined }
  const other = { cron: cron ?? EACH_DAY, timeZone, ...rest }
  const isOwn = cron === undefined && skill.schedule !== undefined
  const schedule = isOwn && skill.schedule ? skill.schedule : other
  try {
    nextSlots(schedule, Date.now(), 1)
  } catch {
    throw new CountersignError(
      'invalid_request',
      '--schedule: expected a cron expression of five fields and a time zone that there is.',
    )
  }
  return { skill: { ...skill, schedule }, isOwn }
}

/** One run, as a schedule brings it about. */
async function runAt({ harness }: World, skill: ScheduledSkill, slot: number): Promise<Run> {
  const cards = new Map<string, VerdictCard>()
  const [said, problems]: [string[], string[]] = [[], []]
  const hear = async (out: Outbound) => {
    if (out.type === 'verdict') cards.set(out.card.requestHash, out.card)
    if (out.type === 'text') said.push(out.text)
    if (out.type === 'error') problems.push(out.text)
  }
  const id = runId(skill.name, slot)
  const message = { id, conversation: skill.name, sender: 'schedule', text: runText(skill, slot), isScheduled: true }
  await harness.receive('schedule', message, hear)
  return { slot, cards: [...cards.values()], said: said.join(''), problem: problems[0] }
}
