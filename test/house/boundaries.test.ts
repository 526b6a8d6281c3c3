import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Boundaries, checkBoundaries, RULES } from '../../scripts/boundaries.ts'

/** One import that must be found: who imports what, and how the import is written. */
type Planted = readonly [rule: string, from: string, to: string, written?: string]

/** Half of a planted violation, which is reported with its other half. */
const HALF = ''

const NPM = [
  'koa',
  'kysely',
  'openai',
  'grammy',
  'discord.js',
  'viem',
  'zod',
  'typescript',
  'oidc-provider',
  '@modelcontextprotocol/server',
  '@spruceid/siwe-parser',
]

const PLANTED: readonly Planted[] = [
  ['no-orphans', 'src/lib/nobody-imports-me.ts', 'src/lib/nobody-imports-me.ts', ''],
  [HALF, 'src/lib/ring.ts', 'src/lib/ring-too.ts', "import type { ring } from './ring-too.ts'"],
  ['no-cycles', 'src/lib/ring-too.ts', 'src/lib/ring.ts', "import type { ring } from './ring.ts'"],
  ['no-unresolvable', 'src/lib/lost.ts', './nowhere.ts', "import './nowhere.ts'"],
  ['no-development-package', 'src/lib/dev.ts', 'node_modules/typescript/index.js', "import 'typescript'"],
  ['source-stands-alone', 'src/lib/outside.ts', 'test/support/thing.ts'],
  ['schema-lib-registry-imports-down', 'src/lib/up.ts', 'src/chain/index.ts'],
  ['chain-storage-client-imports-down', 'src/chain/up.ts', 'src/policy/index.ts'],
  ['policy-validation-auth-imports-down', 'src/policy/up.ts', 'src/harness/index.ts'],
  ['harness-imports-down', 'src/harness/up.ts', 'src/api/index.ts'],
  ['chain-knows-no-sibling', 'src/chain/aside.ts', 'src/storage/index.ts'],
  ['storage-knows-no-sibling', 'src/storage/aside.ts', 'src/chain/index.ts'],
  ['client-knows-no-sibling', 'src/client/aside.ts', 'src/storage/index.ts'],
  ['policy-knows-no-sibling', 'src/policy/aside.ts', 'src/auth/index.ts'],
  ['validation-knows-no-sibling', 'src/validation/aside.ts', 'src/policy/index.ts'],
  ['auth-knows-no-sibling', 'src/auth/aside.ts', 'src/validation/index.ts'],
  ['entry-points-are-the-top', 'src/api/reads-config.ts', 'src/config.ts'],
  ['entry-points-are-the-top', 'src/harness/ends.ts', 'src/process/run.ts'],
  ['entry-points-are-the-top', 'src/harness/channels/prints.ts', 'src/chat/render.ts'],
  ['front-door', 'src/policy/side-door.ts', 'src/client/client.ts'],
  ['front-door', 'src/harness/side-door.ts', 'src/policy/gather.ts'],
  ['front-door', 'src/app.ts', 'src/storage/database.ts'],
  ['one-signer-caller', 'src/harness/signs.ts', 'src/chain/signer.ts'],
  ['one-signer-caller', 'src/chain/index.ts', 'src/chain/signer.ts'],
  ['pure', 'src/policy/evaluate.ts', 'src/policy/gather.ts'],
  ['pure', 'src/policy/checks/reads-a-file.ts', 'fs', "import 'node:fs'"],
  ['pure', 'src/policy/decoders/late.ts', 'src/policy/gather.ts', "await import('../gather.ts')"],
  ['pure-reads-no-clock-and-writes-no-log', 'src/policy/approval.ts', 'src/lib/clock.ts'],
  ['tools-only-propose', 'src/harness/tools/acts.ts', 'src/harness/gate.ts'],
  [
    'tools-only-propose',
    'src/harness/tools/decides.ts',
    'src/policy/index.ts',
    "import type { x } from '../../policy/index.ts'",
  ],
  ['members-do-not-know-each-other', 'src/policy/checks/twin.ts', 'src/policy/checks/sanctions.ts'],
  ['members-do-not-know-each-other', 'src/policy/checks/pries.ts', 'src/policy/checks/sanctions/private.ts'],
  ['routes-do-not-know-each-other', 'src/api/routes/agent/twin.ts', 'src/api/routes/agent/submit.ts'],
  ['schema-is-zod-only', 'src/schema/action.ts', 'node_modules/viem/index.js', "import 'viem'"],
  ['http-only-in-api', 'src/harness/serves.ts', 'node_modules/koa/index.js', "import type Koa from 'koa'"],
  ['database-only-in-storage', 'src/policy/queries.ts', 'node_modules/kysely/index.js', "import 'kysely'"],
  ['database-only-in-storage', 'src/policy/opens.ts', 'node:sqlite', "import 'node:sqlite'"],
  ['model-kits-only-in-providers', 'src/harness/asks.ts', 'node_modules/openai/index.js', "await import('openai')"],
  ['telegram-kit-in-one-file', 'src/harness/channels/web.ts', 'node_modules/grammy/index.js', "import 'grammy'"],
  ['discord-kit-in-one-file', 'src/harness/talks.ts', 'node_modules/discord.js/index.js', "import 'discord.js'"],
  ['oauth-server-in-one-folder', 'src/api/asks.ts', 'node_modules/oidc-provider/index.js', "import 'oidc-provider'"],
  [
    'mcp-kit-in-one-folder',
    'src/api/tools.ts',
    'node_modules/@modelcontextprotocol/server/index.js',
    "import '@modelcontextprotocol/server'",
  ],
  [
    'siwe-grammar-in-one-file',
    'src/auth/reads.ts',
    'node_modules/@spruceid/siwe-parser/index.js',
    "import '@spruceid/siwe-parser'",
  ],
  ['whole-viem-in-the-signer-alone', 'src/chain/whole.ts', 'node_modules/viem/index.js', "import 'viem'"],
  ['chain-list-nowhere', 'src/chain/all.ts', 'node_modules/viem/chains/index.js', "import 'viem/chains/index.js'"],
]

/** Imports that are right, one of each kind that a rule above stops short of. */
const ALLOWED: readonly Planted[] = [
  ['', 'src/main.ts', 'src/process/run.ts'],
  ['', 'src/process/run.ts', 'src/app.ts'],
  ['', 'src/app.ts', 'src/config.ts'],
  ['', 'src/app.ts', 'src/chain/signer.ts'],
  ['', 'src/app.ts', 'src/api/index.ts'],
  ['', 'src/api/index.ts', 'node_modules/koa/index.js', "import 'koa'"],
  ['', 'src/api/index.ts', 'src/harness/index.ts'],
  ['', 'src/harness/index.ts', 'src/harness/gate.ts'],
  ['', 'src/harness/gate.ts', 'src/chain/signer.ts'],
  ['', 'src/harness/gate.ts', 'src/policy/index.ts'],
  ['', 'src/policy/index.ts', 'src/policy/evaluate.ts'],
  ['', 'src/policy/evaluate.ts', 'src/policy/checks/index.ts'],
  ['', 'src/policy/checks/index.ts', 'src/policy/checks/venue.ts'],
  ['', 'src/policy/checks/venue.ts', 'src/policy/check.ts'],
  ['', 'src/policy/checks/venue.ts', 'src/policy/checks/venue/words.ts'],
  ['', 'src/policy/check.ts', 'src/schema/policy.ts'],
  ['', 'src/schema/policy.ts', 'node_modules/zod/index.js', "import 'zod'"],
]

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('boundaries', () => {
  it('every rule finds the import that breaks it', async () => {
    const { violations, unread } = await cruisePlanted(PLANTED)
    const found = new Set(violations.map((v) => `${v.rule}: ${v.from} → ${v.to}`))
    const whole = PLANTED.filter(([rule]) => rule !== HALF)
    const missed = whole.map(([rule, from, to]) => `${rule}: ${from} → ${to}`).filter((p) => !found.has(p))
    assert.deepEqual(missed, [], `found only:\n${[...found].sort().join('\n')}`)
    assert.deepEqual(unread, [])
  })

  it('every rule has an import planted against it, and a reason', () => {
    const planted = new Set(PLANTED.map(([rule]) => rule))
    assert.deepEqual(
      [...RULES.keys()].filter((rule) => !planted.has(rule)),
      [],
    )
    assert.deepEqual(
      [...RULES].filter(([, reason]) => reason === ''),
      [],
    )
  })

  it('lets the imports pass that the layers are made for', async () => {
    const { violations, unread, read } = await cruisePlanted(ALLOWED)
    assert.deepEqual({ violations, unread }, { violations: [], unread: [] })
    assert.equal(read, new Set(ALLOWED.flatMap(([, from, to]) => [from, to]).filter((f) => f.startsWith('src/'))).size)
  })
})

async function cruisePlanted(imports: readonly Planted[]): Promise<Boundaries> {
  const root = mkdtempSync(join(tmpdir(), 'boundaries-'))
  folders.push(root)
  const files = new Map<string, string>([
    [
      'package.json',
      JSON.stringify({ dependencies: dependencies('typescript'), devDependencies: { typescript: '1.0.0' } }),
    ],
    ...NPM.map((name): [string, string] => [
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
    ]),
    ...[...NPM, 'viem/chains'].map((name): [string, string] => [`node_modules/${name}/index.js`, '']),
  ])
  for (const [, , to] of imports) if (/^(src|test)\//.test(to)) files.set(to, 'export {}\n')
  for (const [, from, to, written] of imports) {
    const line = written ?? `import '${relativePath(from, to)}'`
    files.set(from, `${files.get(from) ?? ''}${line}\n`)
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return await checkBoundaries(root)
}

function dependencies(but: string): Record<string, string> {
  return Object.fromEntries(NPM.filter((name) => name !== but).map((name) => [name, '1.0.0']))
}

function relativePath(from: string, to: string): string {
  return `${'../'.repeat(from.split('/').length - 1)}${to}`
}
