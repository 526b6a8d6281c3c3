// The skills that come with the product: each loads, names tools that there are, and can be scheduled as it says.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readSkillFile } from '../../src/harness/skill-file.ts'
import { tools } from '../../src/harness/tools/index.ts'
import { paperWorld } from '../support/paper-world.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'skills')
const SHIPPED = [
  'dca',
  'policy-advisor',
  'portfolio-report',
  'rebalance',
  'shell-verification',
  'stop-loss',
  'yield-sweep',
]
/** Arguments of the tools that need some. */
const READS: Readonly<Record<string, object>> = {
  price: { token: 'WETH' },
  quote_swap: { sell: 'USDC', buy: 'WETH', amount: '10' },
}
const known = new Set(tools.map(({ name }) => name))

test('these are shipped, and nothing else', async () => {
  assert.deepEqual((await readdir(FOLDER)).sort(), SHIPPED)
})

for (const name of SHIPPED)
  describe(name, async () => {
    const text = await readFile(join(FOLDER, name, 'SKILL.md'), 'utf8')
    const skill = readSkillFile(text, name)
    assert.ok(skill.ok, skill.ok ? '' : skill.reason)

    test('runs by itself only when the owner says so', () => {
      assert.equal(skill.value.schedule, undefined)
      const switchedOn = readSkillFile(text.replaceAll(/^# (?=(schedule|timezone|jitterSeconds):)/gm, ''), name)
      assert.ok(switchedOn.ok)
      assert.equal(switchedOn.value.schedule !== undefined, /^# schedule:/m.test(text))
    })

    test('keeps to tools that there are, and names no other', () => {
      const allowed = skill.value.allowedTools ?? []
      assert.ok(allowed.length > 0)
      for (const tool of allowed) assert.ok(known.has(tool), tool)
      const named = [...skill.value.body.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, tool]) => tool ?? '')
      for (const tool of named) assert.ok(allowed.includes(tool), `${tool} is named and not allowed`)
    })

    test('every tool of it that reads does so in a dry run, and its own files are read with read_skill', async () => {
      const world = await paperWorld()
      try {
        await world.use('wrap', { amount: '1' })
        for (const tool of tools.filter((one) => one.kind === 'read' && skill.value.allowedTools?.includes(one.name))) {
          const { told, isError } = await world.use(tool.name, READS[tool.name] ?? {})
          assert.equal(isError, false, `${tool.name}: ${told}`)
        }
        for (const [, path] of skill.value.body.matchAll(/\]\((?!https?:)([^)]+)\)/g))
          assert.equal((await world.use('read_skill', { name, file: path })).isError, false, path)
      } finally {
        await world.close()
      }
    })

    test('the files that it names are there', async () => {
      for (const [, file] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g))
        assert.ok((await readFile(join(FOLDER, name, file ?? ''), 'utf8')).length > 0)
    })
  })
