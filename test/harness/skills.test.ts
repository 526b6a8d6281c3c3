import assert from 'node:assert/strict'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSkills, type SkillProblem, type Skills } from '../../src/harness/skills.ts'
import { silentLog } from '../../src/lib/log.ts'
import { temporaryFolder } from '../support/product.ts'

const text = (name: string, body: string) => `---\nname: ${name}\ndescription: What ${name} does.\n---\n${body}\n`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let skills: Skills
let problems: (SkillProblem | undefined)[]

async function write(name: string, content: string) {
  await mkdir(join(folder.path, name), { recursive: true })
  await writeFile(join(folder.path, name, 'SKILL.md'), content)
}

async function start() {
  problems = []
  skills = await createSkills({ folder: folder.path, log: silentLog })
  skills.onChange((problem) => problems.push(problem))
}

/** Waits for something to become true; how long it took, in ms. */
async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - began > 8_000) assert.fail(`it never came: ${what}`)
    await pause(10)
  }
  return performance.now() - began
}

const bodyOf = async (name: string) => {
  const read = await skills.read(name)
  return read.ok ? read.value.text : undefined
}

describe('skills of a folder', () => {
  beforeEach(async () => {
    folder = await temporaryFolder()
  })
  afterEach(async () => {
    await skills.close()
    await folder.remove()
  })

  test('are read at the start, in their order; what is wrong with one holds up no other', async () => {
    await write('b', text('b', 'B'))
    await write('a', text('a', 'A'))
    await write('broken', 'nothing')
    await mkdir(join(folder.path, 'empty'))
    await start()
    assert.deepEqual(
      skills.list().map(({ name }) => name),
      ['a', 'b'],
    )
    assert.deepEqual(
      skills.problems().map(({ skill }) => skill),
      ['broken'],
    )
  })

  test('come, change and go while it runs', async () => {
    await start()
    await write('new', text('new', 'one'))
    await until('new', async () => (await bodyOf('new')) === 'one')
    await write('new', text('new', 'two'))
    await until('two', async () => (await bodyOf('new')) === 'two')
    await rm(join(folder.path, 'new'), { recursive: true })
    await until('gone', () => skills.list().length === 0)
  })

  test('a folder that comes later is watched too', async () => {
    const { path } = folder
    folder = { path: join(path, 'later'), remove: () => rm(path, { recursive: true, force: true }) }
    await start()
    assert.deepEqual(skills.list(), [])
    await write('a', text('a', 'A'))
    await until('a', () => skills.list().length === 1)
  })

  test('a broken edit keeps the last good version and says so once; a good one heals it', async () => {
    await write('a', text('a', 'good'))
    await start()
    await write('a', '---\nname: a\n')
    await until('problem', () => skills.problems().length === 1)
    assert.equal(await bodyOf('a'), 'good')
    assert.match(problems.find((one) => one !== undefined)?.problem ?? '', /last good version keeps serving/)
    await write('a', text('a', 'better'))
    await until('better', async () => (await bodyOf('a')) === 'better')
    assert.deepEqual(skills.problems(), [])
  })

  test('an edit by rename, as editors do it, and a renamed folder', async () => {
    await write('a', text('a', 'one'))
    await start()
    await writeFile(join(folder.path, 'a', '.tmp'), text('a', 'two'))
    await rename(join(folder.path, 'a', '.tmp'), join(folder.path, 'a', 'SKILL.md'))
    await until('two', async () => (await bodyOf('a')) === 'two')
    await rename(join(folder.path, 'a'), join(folder.path, 'b'))
    await until('a gone, b refused', () => skills.list().length === 0 && skills.problems()[0]?.skill === 'b')
    await write('b', text('b', 'three'))
    await until('b', async () => (await bodyOf('b')) === 'three')
  })

  test('files of a skill are read, those outside are not, links or not', async () => {
    await write('a', text('a', 'A'))
    await mkdir(join(folder.path, 'a', 'references'))
    await writeFile(join(folder.path, 'a', 'references', 'more.md'), 'more')
    await writeFile(join(folder.path, 'secret'), 'secret')
    await symlink(join(folder.path, 'secret'), join(folder.path, 'a', 'link'))
    await start()
    const body = await skills.read('a')
    assert.ok(body.ok)
    assert.deepEqual(body.value.files, ['references/more.md'])
    const more = await skills.read('a', 'references/more.md')
    assert.ok(more.ok && more.value.text === 'more')
    const elsewhere = ['link', '../secret', '/etc/passwd', '..', '', 'references', 'none', '../a/../secret', 'x\0y']
    for (const file of elsewhere) assert.equal((await skills.read('a', file)).ok, false, file)
    for (const name of ['..', '.', 'a/../a', 'none', '__proto__'])
      assert.equal((await skills.read(name)).ok, false, name)
  })

  test('a SKILL.md that is a link is not read', async () => {
    await writeFile(join(folder.path, 'elsewhere'), text('a', 'A'))
    await mkdir(join(folder.path, 'a'))
    await symlink(join(folder.path, 'elsewhere'), join(folder.path, 'a', 'SKILL.md'))
    await start()
    assert.deepEqual([skills.list().length, skills.problems()[0]?.problem], [0, 'SKILL.md must be a file'])
  })

  test('a storm of edits, half written, removed and renamed, never shows a broken version', async () => {
    await write('a', text('a', 'version 0'))
    await start()
    const path = join(folder.path, 'a', 'SKILL.md')
    let last = ''
    const seen = new Set<string>()
    for (let n = 1; n <= 1_000; n++) {
      last = text('a', `version ${n}`)
      const kind = n % 10
      if (kind === 3) await writeFile(path, last.slice(0, 20 + (n % 30)))
      else if (kind === 5) await rm(path, { force: true })
      else if (kind === 7) {
        await writeFile(`${path}.new`, last)
        await rename(`${path}.new`, path)
      } else if (kind === 9) await writeFile(path, '')
      else await writeFile(path, last)
      if (n % 5 === 0) {
        const now = await bodyOf('a')
        if (now !== undefined) seen.add(now)
        await pause(1)
      }
    }
    await writeFile(path, text('a', 'the last'))
    const took = await until('the last', async () => (await bodyOf('a')) === 'the last')
    for (const version of seen) assert.match(version, /^version \d+$/)
    assert.ok(seen.size > 0)
    assert.ok(took < 5_000, `${took} ms`)
  })
})
