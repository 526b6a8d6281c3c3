import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Bench, duration, megabytes, quantile } from './measure.ts'

const RUNS = 7
const LONGEST_START_MS = 30_000
/** The unit of /proc/<pid>/stat on every Linux that Node runs on. */
const TICK_MS = 10

type Start = Readonly<{ readyMs: number; cpuMs: number; rss: number }>

/** From `node src/main.ts` to a ready service, with nothing configured. */
export const starting: Bench = {
  title: 'From start to ready',
  about: `\`node src/main.ts\` with nothing configured, until \`GET /ready\` answers 200; ${RUNS} starts after one that fills the compile cache.`,
  async run() {
    if (process.platform !== 'linux') return [{ what: 'read from /proc: on Linux alone', median: '–' }]
    const folder = mkdtempSync(join(tmpdir(), 'bench-'))
    try {
      await startOnce(folder)
      const starts: Start[] = []
      for (let i = 0; i < RUNS; i++) starts.push(await startOnce(folder))
      return [
        {
          what: 'time',
          ...spread(
            starts.map((s) => s.readyMs),
            duration,
          ),
        },
        {
          what: 'CPU time',
          ...spread(
            starts.map((s) => s.cpuMs),
            duration,
          ),
        },
        {
          what: 'memory (RSS) when ready',
          ...spread(
            starts.map((s) => s.rss),
            megabytes,
          ),
        },
      ]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

function spread(values: readonly number[], format: (value: number) => string) {
  return { median: format(quantile(values, 0.5)), p95: format(quantile(values, 0.95)) }
}

async function startOnce(folder: string): Promise<Start> {
  const port = await freePort()
  const from = performance.now()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      LOG_LEVEL: 'error',
      NODE_COMPILE_CACHE: join(folder, 'cache'),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await untilReady(child, port, from)
    const readyMs = performance.now() - from
    return { readyMs, ...usageOf(child.pid ?? 0) }
  } finally {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGTERM')
    await gone
  }
}

async function untilReady(child: ChildProcess, port: number, from: number): Promise<void> {
  while (performance.now() - from < LONGEST_START_MS) {
    if (child.exitCode !== null) throw new Error(`src/main.ts ended with ${child.exitCode} before it was ready`)
    const ready = await fetch(`http://127.0.0.1:${port}/ready`).then(
      (r) => r.ok,
      () => false,
    )
    if (ready) return
    await setTimeout(5)
  }
  throw new Error('src/main.ts was not ready in time')
}

function usageOf(pid: number): Readonly<{ cpuMs: number; rss: number }> {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, rss: Number(kilobytes) * 1024 }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
