import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, it } from 'node:test'
import { CONSOLE_FILE, createConsole } from '../../src/process/console-token.ts'

describe('the console of a process', () => {
  const home = process.cwd()
  const folders: string[] = []
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-console-'))
    folders.push(folder)
    process.chdir(folder)
  })
  afterEach(() => process.chdir(home))
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it('has the token of the environment, or one of its own that nobody can guess', () => {
    assert.equal(createConsole('chosen').token, 'chosen')
    const tokens = new Set(Array.from({ length: 20 }, () => createConsole(undefined).token))
    assert.equal(tokens.size, 20)
    for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
  })

  it('leaves a note for its owner alone, and takes it away', () => {
    const opened = createConsole('chosen')
    assert.equal(opened.open('127.0.0.1', 4747), 'http://127.0.0.1:4747/console/chat#token=chosen')
    assert.deepEqual(JSON.parse(readFileSync(CONSOLE_FILE, 'utf8')), {
      origin: 'http://127.0.0.1:4747',
      token: 'chosen',
    })
    assert.equal(statSync(CONSOLE_FILE).mode & 0o777, 0o600)
    opened.close()
    assert.ok(!existsSync(CONSOLE_FILE))
  })

  it('gives an address that can be opened, whatever it is bound to', () => {
    const { open, close } = createConsole('t')
    assert.equal(open('0.0.0.0', 1), 'http://127.0.0.1:1/console/chat#token=t')
    assert.equal(open('::', 1), 'http://127.0.0.1:1/console/chat#token=t')
    assert.equal(open('::1', 1), 'http://[::1]:1/console/chat#token=t')
    close()
    assert.equal(createConsole('100%"#').open('::1', 1), 'http://[::1]:1/console/chat#token=100%25%22%23')
  })

  it('opens where no note can be left, and takes away nobody else’s', () => {
    writeFileSync('.countersign', 'not a folder')
    const { open, close } = createConsole('t')
    assert.equal(open('127.0.0.1', 1), 'http://127.0.0.1:1/console/chat#token=t')
    close()
    assert.equal(readFileSync('.countersign', 'utf8'), 'not a folder')
  })
})
