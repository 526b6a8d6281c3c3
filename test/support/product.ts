import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

export type LaunchOptions = Readonly<{
  /** The whole environment beside PATH; the port is a free one unless it says otherwise. */
  env?: Readonly<Record<string, string>>
  args?: readonly string[]
  cwd: string
  /** What is run, from the root of the repository. */
  entry?: string
}>

/** A process of the product that was started, and all that it printed. */
export function launch({ env = {}, args = [], cwd, entry = 'src/main.ts' }: LaunchOptions) {
  const child = spawn(process.execPath, [join(ROOT, entry), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  const waiting = new Set<() => void>()
  const printed = () => {
    for (const look of waiting) look()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    printed()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    printed()
  })
  const exited = once(child, 'close').then(([code, signal]) => {
    printed()
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })

  /** Waits until something was printed, and gives what the pattern found. */
  async function until(pattern: RegExp, from: () => string): Promise<RegExpExecArray> {
    const found = Promise.withResolvers<RegExpExecArray>()
    const look = () => {
      const match = pattern.exec(from())
      if (match) found.resolve(match)
      else if (child.exitCode !== null || child.signalCode !== null)
        found.reject(new Error(`It ended before it printed ${pattern}:\n${stdout}\n${stderr}`))
    }
    waiting.add(look)
    look()
    return found.promise.finally(() => waiting.delete(look))
  }

  return {
    child,
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    printed: (pattern: RegExp) => until(pattern, () => stdout),
    logged: (pattern: RegExp) => until(pattern, () => stderr),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return exited
    },
  }
}

/** The product, ready to be asked. */
export async function startProduct(options: LaunchOptions) {
  const product = launch(options)
  const [, port] = await product.logged(/"port":(\d+)[^\n]*"msg":"Ready\."/)
  const url = `http://127.0.0.1:${port}`
  return {
    ...product,
    url,
    /** A request with a key and a JSON body where they are given. */
    async send(method: string, path: string, { key, body }: Readonly<{ key?: string; body?: object }> = {}) {
      const headers = {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${url}${path}`, { method, headers, ...sent })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      }
    },
  }
}

export type Product = Awaited<ReturnType<typeof startProduct>>

/** A folder of its own, and how to be rid of it. */
export async function temporaryFolder(): Promise<Readonly<{ path: string; remove(): Promise<void> }>> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Asserts that a start failed with one message, and gives it. */
export async function failedStart(options: LaunchOptions): Promise<string> {
  const product = launch(options)
  const { code, signal } = await product.exited
  assert.deepEqual([code, signal], [1, null], product.stderr())
  assert.match(product.stderr(), /^countersign did not start\. /)
  assert.doesNotMatch(product.stderr(), /^ {2,}at |node:internal|file:\/\/\/.*\.ts:\d/m)
  assert.equal(product.stdout(), '')
  return product.stderr()
}
