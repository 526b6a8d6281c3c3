import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { KINDS } from '../../scripts/member-templates.ts'
import { newMember } from '../../scripts/new.ts'
import { updateRegistries } from '../../scripts/registries.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAMES: Readonly<Record<string, string>> = { route: 'admin/list-planted-things' }

describe('npm run new', () => {
  const root = mkdtempSync(join(tmpdir(), 'new-'))
  const written: string[] = []

  before(() => {
    for (const path of ['src', 'test/harness', 'tsconfig.json', 'package.json', 'biome.json', '.oxlintrc.json'])
      cpSync(join(ROOT, path), join(root, path), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    const schema = join(root, 'src/schema/check.ts')
    const declared = readFileSync(schema, 'utf8').replace(
      "  venue: ['venue_not_allowed'],",
      "$&\n  planted_thing: ['planted_thing_failed'],",
    )
    writeFileSync(schema, declared)
  })
  after(() => rmSync(root, { recursive: true }))

  it('writes a member of every kind, and lists it', () => {
    for (const kind of KINDS.keys()) written.push(...newMember(root, kind, NAMES[kind] ?? 'planted-thing').files)
    assert.equal(written.length, 2 * KINDS.size)
    assert.deepEqual(updateRegistries(root, { check: false }).problems, [])
    assert.match(readFileSync(join(root, 'src/policy/checks/index.ts'), 'utf8'), /planted_thing: plantedThing/)
    assert.match(readFileSync(join(root, 'src/api/routes/index.ts'), 'utf8'), /\.\/admin\/list-planted-things\.ts/)
  })

  it('writes what compiles and keeps the rules', () => {
    const types = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', root], {
      cwd: root,
      encoding: 'utf8',
    })
    assert.deepEqual(
      types.stdout.split('\n').filter((line) => line.includes('planted-thing')),
      [],
    )
    for (const [tool, ...args] of [['oxlint'], ['biome', 'format', '--vcs-enabled=false']] as const) {
      const run = spawnSync(join(ROOT, 'node_modules/.bin', tool), [...args, ...written], {
        cwd: root,
        encoding: 'utf8',
      })
      assert.equal(run.status, 0, run.stdout + run.stderr)
    }
  })

  it('writes tests that fail, each saying what is not written yet', () => {
    const tests = written.filter((file) => file.endsWith('.test.ts'))
    const run = spawnSync(process.execPath, ['--test', '--test-isolation=none', '--test-reporter=spec', ...tests], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })
    assert.match(run.stdout, new RegExp(`^ℹ fail ${KINDS.size}$`, 'm'), run.stdout)
    for (const subject of ['planted_thing', 'planted-thing', 'listPlantedThings'])
      assert.match(run.stdout, new RegExp(`${subject} is not written yet`))
  })

  it('refuses what is there already, and leaves it as it was', () => {
    const file = join(root, 'src/harness/tools/planted-thing.ts')
    writeFileSync(file, '// mine\n')
    assert.throws(
      () => newMember(root, 'tool', 'planted-thing'),
      /src\/harness\/tools\/planted-thing\.ts exists already/,
    )
    assert.equal(readFileSync(file, 'utf8'), '// mine\n')
  })

  it('refuses a name that is none, and says what would be right', () => {
    for (const [kind, name, words] of [
      ['tool', '', /lower-case words joined by dashes/],
      ['tool', 'SendIt', /lower-case words/],
      ['tool', 'send_it', /lower-case words/],
      ['tool', '../send', /a name, no path/],
      ['decoder', 'swap-utils', /says what it does/],
      ['decoder', 'index', /says what it does/],
      ['route', 'list-agents', /<group>\/<verb>-<noun>/],
      ['route', 'admin/../list-agents', /<group>\/<verb>-<noun>/],
      ['route', 'admin/agents', /verb-noun/],
      ['check', 'no-such-check', /declare no_such_check first/],
      ['gadget', 'x', /kind is one of check, decoder/],
    ] as const)
      assert.throws(() => newMember(root, kind, name), words, `${kind} ${name}`)
  })
})
