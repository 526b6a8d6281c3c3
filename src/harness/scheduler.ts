import { createHash } from 'node:crypto'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Stores } from '../storage/index.ts'
import { cronOf } from './cron.ts'
import type { Skill, SkillSchedule } from './skill-file.ts'
import type { Skills } from './skills.ts'

/** A skill that runs by itself. */
export type ScheduledSkill = Skill & Readonly<{ schedule: SkillSchedule }>

/** How a run ended: well, or why not. */
export type RunOutcome = Readonly<{ ok: true }> | Readonly<{ ok: false; reason: string }>

/** What a scheduler is built from. */
export type SchedulerSettings = Readonly<{
  skills: Skills
  runs: Pick<Stores['scheduleRuns'], 'claim' | 'touch' | 'finish' | 'lastSlot'>
  /** Milliseconds of the clock that all replicas share: the database's. */
  now(): Promise<number>
  /** Runs a skill for a slot. May throw. */
  run(skill: ScheduledSkill, slot: number): Promise<RunOutcome>
  /** Whether another process is the one to run them now; that one is looking too. */
  isElsewhere?(): boolean
  /** Tells the owner. Must not throw. */
  notice(text: string): Promise<void>
  log: Log
}>

/** Runs skills on their schedules, each slot once over all replicas of one store. */
export type Scheduler = Readonly<{
  start(): void
  /** Looks what is due now, and begins it. The milliseconds until it should look again. */
  tick(): Promise<number>
  /** Waits for the runs at hand. */
  stop(): Promise<void>
}>

/** A slot that is noticed later than this was missed: it is run only where the schedule says `catchUp`. */
const GRACE_MS = 30_000
const LONGEST_SLEEP_MS = 60_000
const RETRY_MS = 5_000
const ALIVE_EVERY_MS = 20_000
/** A run that is silent for so long has ended with its process. */
const SILENT_MS = 120_000
/** Slots that are looked at in one go; a process that slept longer has missed the rest anyway. */
const MOST_SLOTS = 2_000

/** How far a schedule was looked at, and as which schedule. */
type Watched = Readonly<{ key: string; upTo: number }>

/** What a scheduler remembers. */
type State = Readonly<{
  watched: Map<string, Watched>
  running: Set<Promise<void>>
  life: { stopped: boolean; first: boolean }
}>

/** A scheduler over the skills that have a schedule. It needs no model and no store while none has. */
export function createScheduler(settings: SchedulerSettings): Scheduler {
  const { skills, log } = settings
  const state: State = { watched: new Map(), running: new Set(), life: { stopped: false, first: true } }
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<number> = Promise.resolve(LONGEST_SLEEP_MS)

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (!state.life.stopped) timer = setTimeout(() => void wake(), ms).unref()
  }

  async function wake(): Promise<void> {
    sleep(await tick())
  }

  /** One look at a time. */
  function tick(): Promise<number> {
    const again = () => look(settings, state)
    looking = looking.then(again, again).catch((thrown: unknown) => {
      log.warn({ error: messageOf(thrown) }, 'The schedules could not be looked at; it is tried again.')
      return RETRY_MS
    })
    return looking
  }

  return {
    tick,
    start() {
      skills.onChange(() => sleep(0))
      void wake()
    },
    async stop() {
      state.life.stopped = true
      clearTimeout(timer)
      await looking
      await Promise.all(state.running)
    },
  }
}

/** Begins what is due now. The milliseconds until the next look. */
async function look(settings: SchedulerSettings, state: State): Promise<number> {
  const { watched, life } = state
  const scheduled = settings.skills.list().flatMap((skill) => (isScheduled(skill) ? [skill] : []))
  for (const name of watched.keys()) if (!scheduled.some((skill) => skill.name === name)) watched.delete(name)
  const isFirst = life.first
  life.first = false
  if (scheduled.length === 0) return LONGEST_SLEEP_MS
  const now = await settings.now()
  if (settings.isElsewhere?.()) {
    // What came meanwhile is that process's own; what comes just before this one takes over is this one's.
    for (const { name, schedule } of scheduled) watched.set(name, { key: keyOf(schedule), upTo: now - GRACE_MS })
    return RETRY_MS
  }
  const waits = await Promise.all(scheduled.map((skill) => lookAt(skill, { now, isFirst }, settings, state)))
  return Math.min(LONGEST_SLEEP_MS, ...waits)
}

type Moment = Readonly<{ now: number; isFirst: boolean }>

/** Begins what is due of one skill. */
async function lookAt(
  skill: ScheduledSkill,
  moment: Moment,
  settings: SchedulerSettings,
  state: State,
): Promise<number> {
  const { name, schedule } = skill
  const { now } = moment
  const { log } = settings
  try {
    const upTo = await lookedUpTo(skill, moment, settings, state)
    state.watched.set(name, { key: keyOf(schedule), upTo })
    const due = dueSlots(skill, upTo, now)
    const missed = due.filter((slot) => dueAt(skill, slot) < now - GRACE_MS)
    if (missed.length > 0) log.info({ skill: name, missed: missed.length }, 'Slots of a schedule were missed.')
    const fresh = due.slice(missed.length)
    // What has just come makes up for what was missed before it.
    const late = schedule.catchUp && fresh.length === 0 ? missed.slice(-1) : []
    for (const slot of [...late, ...fresh]) await begin(skill, slot, settings, state)
    state.watched.set(name, { key: keyOf(schedule), upTo: now })
    return Math.max(10, (nextDue(skill, now) ?? now + LONGEST_SLEEP_MS) - now)
  } catch (thrown) {
    // What was claimed stays claimed; the rest is looked at again.
    log.warn({ skill: name, error: messageOf(thrown) }, 'A schedule could not be looked at; it is tried again.')
    return RETRY_MS
  }
}

/** Where a schedule is met for the first time: shortly before a start, so that a restart loses nothing, else now. */
async function lookedUpTo(
  { name, schedule }: ScheduledSkill,
  { now, isFirst }: Moment,
  { runs }: SchedulerSettings,
  { watched }: State,
): Promise<number> {
  const known = watched.get(name)
  if (known?.key === keyOf(schedule)) return known.upTo
  if (!isFirst) return now
  const last = schedule.catchUp ? await runs.lastSlot(name) : undefined
  return Math.min(last ?? now, now - GRACE_MS)
}

async function begin(skill: ScheduledSkill, slot: number, settings: SchedulerSettings, { running }: State) {
  const { name } = skill
  const claim = await settings.runs.claim(name, slot, SILENT_MS)
  if (claim === 'taken') return
  if (claim === 'skipped')
    return settings.log.warn({ skill: name, slot }, 'A scheduled run was left out: the one before it is not over.')
  const work = perform(skill, slot, settings).finally(() => running.delete(work))
  running.add(work)
}

/** One run, and how it ended. Never throws. */
async function perform(skill: ScheduledSkill, slot: number, settings: SchedulerSettings): Promise<void> {
  const { name } = skill
  const { runs, log } = settings
  log.info({ skill: name, slot: new Date(slot).toISOString() }, 'A scheduled run begins.')
  const alive = setInterval(() => void runs.touch(name, slot).catch(() => undefined), ALIVE_EVERY_MS).unref()
  try {
    const outcome = await settings
      .run(skill, slot)
      .catch((thrown: unknown): RunOutcome => ({ ok: false, reason: messageOf(thrown) }))
    await runs.finish(name, slot, outcome.ok ? 'done' : 'failed', outcome.ok ? null : outcome.reason.slice(0, 500))
    if (outcome.ok) return
    log.warn({ skill: name, reason: outcome.reason }, 'A scheduled run failed.')
    await settings.notice(`The scheduled run of ${name} failed: ${outcome.reason}`)
  } catch (thrown) {
    log.error({ skill: name, error: messageOf(thrown) }, 'The end of a scheduled run could not be kept.')
  } finally {
    clearInterval(alive)
  }
}

/** The next moments at which a schedule's slots come, for people. */
export function nextSlots(schedule: SkillSchedule, after: number, count: number): readonly number[] {
  return cronOf(schedule)
    .nextRuns(count, new Date(after))
    .map((date) => date.getTime())
}

function isScheduled(skill: Skill): skill is ScheduledSkill {
  return skill.schedule !== undefined
}

function keyOf({ cron, timeZone }: SkillSchedule): string {
  return `${cron} ${timeZone}`
}

/** Slots whose moment, jitter included, lies after `from` and not after `to`. */
function dueSlots(skill: ScheduledSkill, from: number, to: number): readonly number[] {
  const cron = cronOf(skill.schedule)
  const slots: number[] = []
  let slot = cron.nextRun(new Date(from - skill.schedule.jitterSeconds * 1_000))
  for (let n = 0; slot !== null && slot.getTime() <= to && n < MOST_SLOTS; n++) {
    const due = dueAt(skill, slot.getTime())
    if (due > from && due <= to) slots.push(slot.getTime())
    slot = cron.nextRun(slot)
  }
  return slots
}

function nextDue(skill: ScheduledSkill, after: number): number | undefined {
  const cron = cronOf(skill.schedule)
  let next: number | undefined
  let slot = cron.nextRun(new Date(after - skill.schedule.jitterSeconds * 1_000))
  // A slot's own moment is never before the slot, so that none after the best one can be sooner.
  while (slot !== null && (next === undefined || slot.getTime() < next)) {
    const due = dueAt(skill, slot.getTime())
    if (due > after && (next === undefined || due < next)) next = due
    slot = cron.nextRun(slot)
  }
  return next
}

/** The moment of a slot: the same for every replica, and spread over the jitter from skill to skill. */
function dueAt({ name, schedule }: ScheduledSkill, slot: number): number {
  if (schedule.jitterSeconds === 0) return slot
  const digest = createHash('sha256').update(`${name} ${slot}`).digest()
  return slot + (digest.readUInt32BE(0) % (schedule.jitterSeconds * 1_000 + 1))
}
