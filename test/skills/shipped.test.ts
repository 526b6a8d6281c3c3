// The skills that come with the product: each loads, names tools that there are, and can be scheduled as it says.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readSkillFile } from '../../src/harness/skill-file.ts'
import { tools } from '../../src/harness/tools/index.ts'

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

    test('the files that it names are there', async () => {
      for (const [, file] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g))
        assert.ok((await readFile(join(FOLDER, name, file ?? ''), 'utf8')).length > 0)
    })
  })
