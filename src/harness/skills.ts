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

/** What is known of a folder of skills. */
type Shelf = Readonly<{
  skills: Map<string, Skill>
  problems: Map<string, string>
  listeners: Set<(problem: SkillProblem | undefined) => void>
  log: Log
}>

/**
 * Reads all skills of a folder and goes on reading them as they change: each is a folder with a SKILL.md. A broken edit
 * keeps the last good version; a deleted skill is gone.
 */
export async function createSkills({ folder, log }: Readonly<{ folder: string; log: Log }>): Promise<Skills> {
  const root = resolve(folder)
  const shelf: Shelf = { skills: new Map(), problems: new Map(), listeners: new Set(), log }
  const { skills, problems, listeners } = shelf
  for (const name of await foldersOf(root)) put(shelf, name, await readWhole(join(root, name, 'SKILL.md')))
  const stop = await watchSkills(root, shelf)
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
    close: stop,
  }
}

/** Reads a skill again once nothing of it has changed for a while, however often it changes until then. */
async function watchSkills(root: string, shelf: Shelf): Promise<() => Promise<void>> {
  const settling = new Map<string, NodeJS.Timeout>()
  const life = { closed: false }
  const settle = (name: string) => {
    clearTimeout(settling.get(name))
    const timer = setTimeout(() => {
      settling.delete(name)
      void again(name)
    }, SETTLED_MS)
    settling.set(name, timer.unref())
  }
  const again = async (name: string) => {
    try {
      const read = await readWhole(join(root, name, 'SKILL.md'))
      if (life.closed) return
      if (read === 'changing') settle(name)
      else put(shelf, name, read)
    } catch (thrown) {
      shelf.log.warn({ skill: name, error: messageOf(thrown) }, 'A skill could not be read.')
    }
  }
  const watcher = watch(root, {
    ignoreInitial: true,
    depth: 1,
    ignored: (path, stats) => stats?.isFile() === true && basename(path) !== 'SKILL.md',
  })
  watcher.on('all', (_event, path) => {
    const [name] = relative(root, path).split(sep)
    if (name) settle(name)
  })
  watcher.on('error', (thrown) => shelf.log.warn({ error: messageOf(thrown) }, 'Skills are no longer watched.'))
  await new Promise<void>((ready) => watcher.once('ready', () => ready()))
  return async () => {
    life.closed = true
    for (const timer of settling.values()) clearTimeout(timer)
    await watcher.close()
  }
}

/** Takes a version of a skill, or says what is wrong with it; what changed is told. */
function put({ skills, problems, listeners, log }: Shelf, name: string, read: Whole): void {
  const tell = (problem: SkillProblem | undefined) => {
    for (const listener of listeners) listener(problem)
  }
  if (read === 'missing' || read === 'changing') {
    const known = skills.delete(name)
    if (!problems.delete(name) && !known) return
    log.info({ skill: name }, 'Skill removed.')
    return tell(undefined)
  }
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

async function foldersOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
}

type Whole = Result<string> | 'missing' | 'changing'

/** A file's text, unless it is being written while it is read. */
async function readWhole(path: string): Promise<Whole> {
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
