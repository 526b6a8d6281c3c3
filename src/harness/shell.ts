import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { CountersignError } from '../lib/errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { curlCall } from './curl-words.ts'
import type { Shell, ShellOutput } from './tool.ts'

/** What the bash tool may do. */
export type ShellSettings = Readonly<{
  /** Names or absolute paths of programs. */
  commands: readonly string[]
  /** Folders that arguments may point into. */
  paths: readonly string[]
  /** Lets curl speak to the policy service as the harness's agent. The key is in no word and no environment. */
  service?: Readonly<{ key: string; addresses: readonly string[] }> | undefined
  /** For tests: where bubblewrap and the limits' program lie. */
  bubblewrap?: string | undefined
  timeoutMs?: number | undefined
}>

/**
 * Programs that run no other program and open no file but those of their arguments. Every other program sees whatever
 * this process sees, its environment in /proc too, and is therefore run inside bubblewrap alone.
 */
const HARMLESS = new Set([
  'basename',
  'cat',
  'cmp',
  'curl',
  'cut',
  'date',
  'dirname',
  'echo',
  'grep',
  'head',
  'jq',
  'ls',
  'printf',
  'sha256sum',
  'stat',
  'tail',
  'tr',
  'uniq',
  'wc',
])
/** Options of those that follow links or read names of files from a file. */
const REFUSED_OPTIONS = /^(-[a-zA-Z]*R[a-zA-Z]*|--dereference.*|--files0-from.*|--check|-[bct]*c[bct]*)$/
const OPTIONS_MATTER = new Set(['grep', 'sha256sum', 'wc', 'ls'])
/** Programs whose words are no paths, whatever they look like. */
const WORDS_ONLY = new Set(['echo', 'printf'])

const SEARCHED = ['/usr/local/bin', '/usr/bin', '/bin']
const TIMEOUT_MS = 20_000
const MOST_OUTPUT = 32_768
const LIMITS = ['--as=1073741824', '--cpu=20', '--fsize=16777216', '--nofile=256', '--nproc=1024', '--core=0']

type Program = Readonly<{ name: string; path: string }>

/**
 * The bash tool's runner: one program with its words, no shell, an empty environment, no standard input.
 *
 * @throws CountersignError `invalid_request` naming the setting: a program or folder that is not there, that holds secrets,
 * or that needs bubblewrap where there is none
 */
export function createShell(settings: ShellSettings): Shell {
  const bubblewrap = 'bubblewrap' in settings ? settings.bubblewrap : found('bwrap')
  const programs = new Map(settings.commands.map((name) => [name, programOf(name, bubblewrap !== undefined)]))
  const roots = settings.paths.map(rootOf)
  const home = roots[0] ?? mkdtempSync(join(tmpdir(), 'countersign-bash-'))
  const limits = found('prlimit')

  return {
    async run(line, signal) {
      const { wordsOf } = await import('./command-line.ts')
      const words = wordsOf(line)
      if (!words.ok) return words
      const [name, ...rest] = words.value
      const program = programs.get(name)
      if (!program)
        return refuse(
          `The command ${name.slice(0, 60)} is not allowed. Allowed: ${[...programs.keys()].join(', ') || 'none'}.`,
        )
      const prepared = program.name === 'curl' ? curlWords(rest, settings) : checkedWords(program, rest, roots, home)
      if (!prepared.ok) return prepared
      const direct = [program.path, ...prepared.value.words]
      const boxed = bubblewrap === undefined ? direct : [bubblewrap, ...boxOf(roots, home, program), '--', ...direct]
      const limited = limits === undefined ? boxed : [limits, ...LIMITS, '--', ...boxed]
      return execute(limited, {
        home,
        signal,
        input: prepared.value.input,
        timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
      })
    },
  }
}

/** Words to run a program with, and what it is told on its standard input. */
type Prepared = Readonly<{ words: readonly string[]; input: string }>

function curlWords(words: readonly string[], { service }: ShellSettings): Result<Prepared> {
  const call = curlCall(words)
  if (!call.ok) return call
  const { urls } = call.value
  const isService = (url: URL) => service?.addresses.some((address) => url.href.startsWith(`${address}/`)) === true
  if (!service || !urls.every(isService)) return ok({ words: call.value.words, input: '' })
  // Told on standard input, so that it stands in no list of processes and no environment.
  return ok({ words: ['-K', '-', ...call.value.words], input: `header = "x-api-key: ${service.key}"\n` })
}

function checkedWords(
  { name }: Program,
  words: readonly string[],
  roots: readonly string[],
  home: string,
): Result<Prepared> {
  if (WORDS_ONLY.has(name)) return ok({ words, input: '' })
  for (const word of words) {
    if (OPTIONS_MATTER.has(name) && REFUSED_OPTIONS.test(word))
      return refuse(`${name}: the option ${word} is not allowed.`)
    for (const path of pathsIn(word)) {
      const absolute = resolve(home, path)
      const looksLike = path.includes('/') || path === '..' || path.startsWith('~') || existsSync(absolute)
      if (looksLike && !isInside(realOf(absolute), roots))
        return refuse(`${path.slice(0, 100)} lies outside of the allowed folders: ${roots.join(', ') || 'none'}.`)
    }
  }
  return ok({ words, input: '' })
}

/** What of a word may be a path: the word, the value of an option. */
function pathsIn(word: string): readonly string[] {
  if (!word.startsWith('-')) return [word]
  const value = word.indexOf('=')
  const attached = /^-[^-]/.test(word) ? [word.slice(2)] : []
  return [...(value > 0 ? [word.slice(value + 1)] : []), ...attached].filter((path) => path !== '')
}

/** The real path; of what is not there, that of the folder in which it would be. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realOf(parent), basename(path))
  }
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root + sep))
}

/** Sees the programs of the system and the allowed folders, read only; other processes and their environments are not there. */
function boxOf(roots: readonly string[], home: string, { name, path }: Program): readonly string[] {
  const readable = [
    '/usr',
    '/lib',
    '/lib64',
    '/bin',
    '/etc/ssl',
    '/etc/resolv.conf',
    '/etc/hosts',
    '/etc/nsswitch.conf',
  ]
  const shown = [...readable.filter((one) => existsSync(one)), path, ...roots]
  return [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--cap-drop',
    'ALL',
    ...(name === 'curl' ? ['--share-net'] : []),
    ...shown.flatMap((one) => ['--ro-bind', one, one]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--chdir',
    roots.length > 0 ? home : '/tmp',
  ]
}

type Running = Readonly<{ home: string; signal: AbortSignal; input: string; timeoutMs: number }>

function execute(words: readonly string[], { home, signal, input, timeoutMs }: Running): Promise<Result<ShellOutput>> {
  const [path = '', ...rest] = words
  return new Promise((done) => {
    const child = spawn(path, rest, {
      cwd: home,
      env: {},
      shell: false,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const said = { stdout: '', stderr: '', cut: false }
    // The whole group: what it started ends with it.
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    const timer = setTimeout(end, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text
        if (said[name].length <= MOST_OUTPUT) return
        said[name] = said[name].slice(0, MOST_OUTPUT)
        said.cut = true
        end()
      })
    const finish = (result: Result<ShellOutput>) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      end()
      done(result)
    }
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', () => finish(refuse('The command could not be started.')))
    child.on('close', (exitCode) => finish(ok({ exitCode, ...said })))
    if (signal.aborted) end()
  })
}

function programOf(given: string, isBoxed: boolean): Program {
  const path = isAbsolute(given) ? given : given.includes('/') ? undefined : found(given)
  if (path === undefined || !isExecutable(path)) throw wrong('allow.commands', `there is no program ${given}`)
  const real = realpathSync(path)
  const name = basename(given)
  const harmless = HARMLESS.has(name) && SEARCHED.includes(dirname(path)) && !/busybox|toybox/.test(real)
  if (!harmless && !isBoxed)
    throw wrong(
      'allow.commands',
      `${given} needs bubblewrap (bwrap), because it can read or run more than its words name. Without it there are: ${[...HARMLESS].join(', ')}`,
    )
  return { name, path: real }
}

function rootOf(given: string): string {
  const path = existsSync(given) ? realpathSync(given) : undefined
  if (path === undefined || !statSync(path).isDirectory()) throw wrong('allow.paths', `there is no folder ${given}`)
  if (path === '/' || /^\/(proc|sys|dev|etc|root|run|boot|var\/run)(\/|$)/.test(path))
    throw wrong('allow.paths', `${given} is the system's`)
  const here = realpathSync(process.cwd())
  if (here === path || here.startsWith(path + sep))
    throw wrong('allow.paths', `${given} holds the harness itself, and with it .env and the database`)
  if (existsSync(join(path, '.env'))) throw wrong('allow.paths', `${given} holds a .env`)
  return path
}

function found(name: string): string | undefined {
  return SEARCHED.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function wrong(setting: string, what: string): CountersignError {
  return new CountersignError('invalid_request', `tools.bash.${setting}: ${what}.`)
}
