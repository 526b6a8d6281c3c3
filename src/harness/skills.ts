import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { readSkillFile, type Skill } from './skill-file.ts'
import type { SkillReader } from './tool.ts'

/** What is wrong with a skill now. Its last good version, where there was one, keeps serving. */
export type SkillProblem = Readonly<{ skill: string; problem: string }>

/** The skills of a folder, as they are now. */
export type Skills = SkillReader &
  Readonly<{
    list(): readonly Skill[]
    problems(): readonly SkillProblem[]
    /** Calls back after each change; a problem is handed on where the change made one. */
    onChange(listener: (problem: SkillProblem | undefined) => void): void
    close(): Promise<void>
  }>

/** Milliseconds without a change, after which a file counts as written. */
const SETTLED_MS = 200
const LONGEST_FILE = 262_144
const MOST_FILES = 60

/** Skills of a folder that is not there, or is not wanted. */
export const noSkills: Skills = {
  list: () => [],
  problems: () => [],
  onChange() {},
  read: async (name) => refuse(`There is no skill "${name}".`),
  async close() {},
}

/**
 * Reads all skills of a folder and goes on reading them as they change: each is a folder with a SKILL.md. A broken edit
 * keeps the last good version; a deleted skill is gone.
 */
export async function createSkills({ folder, log }: Readonly<{ folder: string; log: Log }>): Promise<Skills> {
  const root = resolve(folder)
  const skills = new Map<string, Skill>()
  const problems = new Map<string, string>()
  const listeners = new Set<(problem: SkillProblem | undefined) => void>()
  const settling = new Map<string, NodeJS.Timeout>()
  let closed = false

  async function load(name: string): Promise<void> {
    const read = await readWhole(join(root, name, 'SKILL.md'))
    if (closed) return
    if (read === 'changing') return settle(name)
    if (read === 'missing') return forget(name)
    const skill = read.ok ? readSkillFile(read.value, name) : read
    if (!skill.ok && problems.get(name) === skill.reason) return
    if (skill.ok) {
      skills.set(name, skill.value)
      problems.delete(name)
      log.info({ skill: name }, 'Skill loaded.')
      return tell(undefined)
    }
    problems.set(name, skill.reason)
    const kept = skills.has(name) ? 'its last good version keeps serving' : 'it is not used'
    log.warn({ skill: name, problem: skill.reason }, `The skill is not valid; ${kept}.`)
    tell({ skill: name, problem: `${skill.reason} (${kept})` })
  }

  function forget(name: string): void {
    const known = skills.delete(name)
    if (!problems.delete(name) && !known) return
    log.info({ skill: name }, 'Skill removed.')
    tell(undefined)
  }

  function tell(problem: SkillProblem | undefined): void {
    for (const listener of listeners) listener(problem)
  }

  /** Waits until nothing of the skill has changed for a while, however often it changes until then. */
  function settle(name: string): void {
    clearTimeout(settling.get(name))
    const timer = setTimeout(() => {
      settling.delete(name)
      load(name).catch((thrown: unknown) => log.warn({ skill: name, error: messageOf(thrown) }, 'Not read.'))
    }, SETTLED_MS)
    timer.unref()
    settling.set(name, timer)
  }

  for (const name of await foldersOf(root)) await load(name)
  const watcher = watch(root, {
    ignoreInitial: true,
    depth: 1,
    ignored: (path, stats) => stats?.isFile() === true && basename(path) !== 'SKILL.md',
  })
  watcher.on('all', (_event, path) => {
    const [name] = relative(root, path).split(sep)
    if (name) settle(name)
  })
  watcher.on('error', (thrown) => log.warn({ error: messageOf(thrown) }, 'Skills are no longer watched.'))
  await new Promise<void>((ready) => watcher.once('ready', () => ready()))

  return {
    list: () => [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    problems: () => [...problems].map(([skill, problem]) => ({ skill, problem })),
    onChange: (listener) => void listeners.add(listener),
    async read(name, file) {
      const skill = skills.get(name)
      if (!skill) return refuse(`There is no skill "${name}".`)
      const home = await realpath(join(root, name)).catch(() => undefined)
      if (file === undefined) return ok({ text: skill.body, files: home === undefined ? [] : await filesOf(home) })
      const text = home === undefined ? refuse('The skill is gone.') : await fileOf(home, file)
      return text.ok ? ok({ text: text.value, files: [] }) : text
    },
    async close() {
      closed = true
      for (const timer of settling.values()) clearTimeout(timer)
      await watcher.close()
    },
  }
}

async function foldersOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
}

/** A file's text, unless it is being written while it is read. */
async function readWhole(path: string): Promise<Result<string> | 'missing' | 'changing'> {
  const before = await lstat(path, { bigint: true }).catch(() => undefined)
  if (before === undefined) return 'missing'
  if (!before.isFile()) return refuse('SKILL.md must be a file')
  if (before.size > LONGEST_FILE) return refuse('SKILL.md is too long')
  const bytes = await readFile(path).catch(() => undefined)
  const after = await lstat(path, { bigint: true }).catch(() => undefined)
  if (bytes === undefined || after === undefined || before.mtimeNs !== after.mtimeNs || before.ino !== after.ino)
    return 'changing'
  return textOf(bytes)
}

function textOf(bytes: Buffer): Result<string> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return refuse('it is not UTF-8 text')
  }
}

/** A file of a skill: inside its folder, links followed. */
async function fileOf(home: string, file: string): Promise<Result<string>> {
  const path = await realpath(resolve(home, file)).catch(() => undefined)
  const inside = path?.startsWith(home + sep) === true
  const found = path !== undefined && inside ? await stat(path).catch(() => undefined) : undefined
  if (path === undefined || !found?.isFile()) return refuse(`The skill has no file "${file}".`)
  if (found.size > LONGEST_FILE) return refuse(`The file "${file}" is longer than ${LONGEST_FILE} bytes.`)
  return textOf(await readFile(path))
}

async function filesOf(home: string): Promise<readonly string[]> {
  const entries = await readdir(home, { withFileTypes: true, recursive: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && entry.name !== 'SKILL.md')
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .slice(0, MOST_FILES)
}
