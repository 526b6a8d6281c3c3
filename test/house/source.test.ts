import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testFiles } from '../../scripts/test.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const SOURCES = globSync('src/**/*.ts', { cwd: ROOT }).sort()
const TESTS = globSync('test/**/*.ts', { cwd: ROOT }).sort()

type Rule = Readonly<{ name: string; from: { path: string } }>
const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: readonly Rule[] }

describe('source', () => {
  it('is tested without hooks that reach into the tests of other files, with which it shares a process', () => {
    const hooks = /^(?:before|beforeEach|afterEach)\(/m
    assert.deepEqual(matching(testFiles(ROOT).shared, hooks), [])
  })

  it('documents its public exports', () => {
    const exported = SOURCES.flatMap((file) => exportsOf(file, read(file)))
    const silent = exported.filter((e) => !e.documented)
    const share = 1 - silent.length / exported.length
    assert.ok(
      share > 0.9,
      `${Math.round(share * 100)} % documented. Without:\n${silent.map((e) => e.where).join('\n')}`,
    )
  })

  it('reads no clock and draws no chance where it decides', () => {
    const pure = new RegExp(forbidden.find((rule) => rule.name === 'pure')?.from.path ?? '')
    const files = SOURCES.filter((file) => pure.test(file))
    assert.ok(files.length > 15, `only ${files.length} files are held pure`)
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\b|\bsetTimeout\(|\bfetch\(|\bprocess\.|\bcrypto\./
    assert.deepEqual(matching(files, impure), [])
  })

  it('has no class but errors, and no cast through unknown', () => {
    assert.deepEqual(
      matching(SOURCES, /^\s*(?:export )?(?:default )?(?:abstract )?class (?!\w+ extends \w*Error\b)/m),
      [],
    )
    assert.deepEqual(matching(SOURCES, /\bas unknown as\b/), [])
  })

  it('leaves nothing unfinished', () => {
    assert.deepEqual(matching(SOURCES, /\b(?:TODO|FIXME|XXX|HACK)\b|not (?:yet )?implemented/i), [])
  })

  it('skips no test and runs none alone', () => {
    const held = /\b(?:it|test|describe|suite)\.(?:skip|only|todo)\b|\b(?:skip|only|todo): ?true\b/
    assert.deepEqual(
      matching(
        TESTS.filter((file) => file !== 'test/house/source.test.ts'),
        held,
      ),
      [],
    )
  })
})

function matching(files: readonly string[], pattern: RegExp): readonly string[] {
  return files.flatMap((file) => {
    const found = pattern.exec(read(file))
    return found === null ? [] : [`${file}: ${found[0].trim()}`]
  })
}

/**
 * Declarations that a file exports, and whether a comment stands above each. The type of a schema is documented by the
 * schema, which has its name; a generated index by its members.
 */
function exportsOf(file: string, text: string): readonly Readonly<{ where: string; documented: boolean }>[] {
  if (text.startsWith('// Generated')) return []
  const lines = text.split('\n')
  const schemas = new Set([...text.matchAll(/^export const (\w+)/gm)].map((m) => m[1]))
  return lines.flatMap((line, i) => {
    const [, kind, name] = /^export (?:async )?(const|function|type|class) (\w+)/.exec(line) ?? []
    if (name === undefined || (kind === 'type' && schemas.has(name))) return []
    return [{ where: `${file}: ${name}`, documented: lines[i - 1]?.trimEnd().endsWith('*/') === true }]
  })
}
