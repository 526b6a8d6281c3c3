// Adds lock entries for optional platform packages that the registry in use does not carry. Without an entry for each,
// `npm ci` refuses the lock file ("Missing: … from lock file"), although none of them would be installed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type LockEntry = Readonly<{
  version?: string
  dev?: boolean
  optional?: boolean
  os?: readonly string[]
  cpu?: readonly string[]
  libc?: readonly string[]
  optionalDependencies?: Readonly<Record<string, string>>
}>
export type LockFile = Readonly<{ packages: Readonly<Record<string, LockEntry>> }>

const SYSTEMS = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openharmony', 'openbsd', 'netbsd', 'sunos', 'aix']
const PROCESSORS = [
  'arm64',
  'x64',
  'amd64',
  'ia32',
  'riscv64',
  'ppc64',
  's390x',
  'arm',
  'wasm32',
  'loong64',
  'mips64el',
]
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/

/**
 * The lock file with an entry for every optional dependency that has none, and the locations added.
 * A package that names no system in its own name is bound to system `none`: it is never installed.
 * Throws where an optional dependency is wanted by range, because there is nothing to pin.
 */
export function completeLock<lock extends LockFile>(lock: lock): Readonly<{ lock: lock; added: readonly string[] }> {
  const packages: Record<string, LockEntry> = { ...lock.packages }
  const added: string[] = []
  for (const [location, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(packages, location, name)) continue
      if (!EXACT_VERSION.test(version))
        throw new Error(`${location || 'package.json'} wants ${name} ${version}: not exact`)
      packages[`node_modules/${name}`] = platformEntry(name, version, entry.dev === true)
      added.push(`node_modules/${name}`)
    }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added }
}

/** Node's own look-up: the dependent's node_modules, then that of each folder above. */
function isLocked(packages: Readonly<Record<string, LockEntry>>, location: string, name: string): boolean {
  if (packages[`${location ? `${location}/` : ''}node_modules/${name}`]) return true
  if (location === '') return false
  return isLocked(packages, location.slice(0, Math.max(0, location.lastIndexOf('node_modules/') - 1)), name)
}

function platformEntry(name: string, version: string, dev: boolean): LockEntry {
  const system = SYSTEMS.find((os) => name.includes(os)) ?? 'none'
  const processor = PROCESSORS.find((cpu) => name.includes(cpu))
  return {
    version,
    ...(processor === undefined ? {} : { cpu: [processor === 'amd64' ? 'x64' : processor] }),
    ...(dev ? { dev } : {}),
    ...(name.includes('musl') ? { libc: ['musl'] } : {}),
    optional: true,
    os: [system],
  }
}

if (import.meta.main) {
  const file = join(process.cwd(), 'package-lock.json')
  const { lock, added } = completeLock(JSON.parse(readFileSync(file, 'utf8')) as LockFile)
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(added.length > 0 ? `added ${added.length} entries` : 'the lock file is complete')
}
