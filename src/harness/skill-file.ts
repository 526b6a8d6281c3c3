import matter from 'gray-matter'
import { z } from 'zod'
import { ok, type Result, refuse } from '../lib/result.ts'
import { timeZoneNamed } from '../lib/time-zone.ts'
import { cronOf } from './cron.ts'

/** When a skill runs by itself. */
export type SkillSchedule = Readonly<{
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string
  /** IANA name; UTC where nothing is said, so that all replicas agree. */
  timeZone: string
  /** Whether the newest slot that was missed while nothing ran is run afterwards. */
  catchUp: boolean
  /** A run begins up to so many seconds after its slot, the same for all replicas. */
  jitterSeconds: number
  /** Id of the agent that runs it; the first one by default. */
  agent: string | undefined
}>

/** A skill: what it is for, and its instructions. Data alone: nothing in it runs, and none of it grants anything. */
export type Skill = Readonly<{
  name: string
  description: string
  tags: readonly string[]
  body: string
  /** The only tools that a scheduled run of it may use, where it says so. */
  allowedTools: readonly string[] | undefined
  schedule: SkillSchedule | undefined
}>

/** Characters of a SKILL.md. */
export const LONGEST_SKILL = 131_072

const refusing = {
  parse(): object {
    throw new Error('not YAML')
  },
}
/** gray-matter runs JavaScript by default, and caches what it reads where it is given no options. */
const OPTIONS = {
  language: 'yaml',
  engines: { javascript: refusing, js: refusing, coffee: refusing, cson: refusing, json: refusing, toml: refusing },
}

const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const Words = z.union([z.array(Text).max(64), z.string().transform((text) => text.split(/[\s,]+/))])
const Own = {
  tags: Words.optional(),
  schedule: z.string().min(1).max(120).optional(),
  timezone: z.string().max(64).optional(),
  catchUp: z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]).optional(),
  jitterSeconds: z.coerce.number().int().min(0).max(3_600).optional(),
  agent: z.string().max(64).optional(),
}
/** Keys under `metadata` are anybody's: one that is not meant as ours is no fault, and says nothing. */
const Theirs = {
  tags: Own.tags.catch(undefined),
  schedule: z
    .string()
    .regex(/^\S+(\s+\S+){4}$/)
    .optional()
    .catch(undefined),
  timezone: Own.timezone.catch(undefined),
  catchUp: Own.catchUp.catch(undefined),
  jitterSeconds: Own.jitterSeconds.catch(undefined),
  agent: Own.agent.catch(undefined),
}
const FrontMatter = z.object({
  name: Text.pipe(z.string().regex(/^[a-z0-9-]{1,64}$/, 'expected 1 to 64 of a-z, 0-9 and hyphen')),
  description: Text.pipe(z.string().min(1).max(1_024)),
  license: Text.optional(),
  compatibility: z.string().max(500).optional(),
  'allowed-tools': Words.optional(),
  ...Own,
  /** The same keys once more, because the format's own validator refuses them beside the name. */
  metadata: z.object(Theirs).catchall(z.unknown()).optional(),
})

/**
 * Reads the text of a SKILL.md: the keys of agentskills.io, and `tags`, `schedule`, `timezone`, `catchUp`,
 * `jitterSeconds` and `agent` beside them or under `metadata`.
 *
 * @param folder name of the folder it lies in, which must be its name
 */
export function readSkillFile(text: string, folder: string): Result<Skill> {
  if (text.length > LONGEST_SKILL) return refuse(`it is longer than ${LONGEST_SKILL} characters`)
  if (!/^\uFEFF?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.test(text))
    return refuse('it must begin with front matter: YAML between two lines of ---')
  const read = attempt(text)
  if (!read) return refuse('its front matter is not YAML between two lines of ---')
  const parsed = FrontMatter.safeParse(said(read.data))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refuse(`front matter, ${issue?.path.join('.') || 'all of it'}: ${issue?.message ?? 'not valid'}`)
  }
  const { name, description, metadata = {}, ...front } = parsed.data
  if (name !== folder) return refuse(`front matter, name: expected ${folder}, the name of its folder`)
  const schedule = scheduleOf({ ...metadata, ...stated(front) })
  if (!schedule.ok) return schedule
  return ok({
    name,
    description: oneLine(description),
    tags: (front.tags ?? metadata.tags ?? []).map(oneLine).filter((tag) => tag !== ''),
    body: read.content.trim(),
    allowedTools: front['allowed-tools']?.filter((tool) => tool !== ''),
    schedule: schedule.value,
  })
}

type OwnKeys = Readonly<{ [key in keyof typeof Own]?: z.output<(typeof Own)[key]> }>

function scheduleOf(keys: OwnKeys): Result<SkillSchedule | undefined> {
  const { schedule: cron, timezone: timeZone = 'UTC', catchUp = false, jitterSeconds = 0, agent } = keys
  if (cron === undefined) return ok(undefined)
  if (timeZoneNamed(timeZone) === undefined)
    return refuse('front matter, timezone: expected an IANA name like Europe/Berlin')
  try {
    if (cronOf({ cron, timeZone }).nextRun() === null) return refuse('front matter, schedule: it never comes')
  } catch {
    return refuse('front matter, schedule: expected a cron expression of five fields, like "0 9 * * 1-5"')
  }
  return ok({ cron, timeZone, catchUp, jitterSeconds, agent })
}

/** Without the keys that have no value: in YAML they are written all the same. */
function said(data: unknown): unknown {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
  return isObject ? Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) : data
}

/** Keys that say something: an absent one must not hide its twin under `metadata`. */
function stated(keys: OwnKeys): OwnKeys {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined))
}

function attempt(text: string): Readonly<{ data: unknown; content: string }> | undefined {
  try {
    const { data, content } = matter(text, OPTIONS)
    return { data, content }
  } catch {
    return undefined
  }
}

/** It stands in a list that a model reads: no line of it may pose as another entry. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}
