import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readNote, targetOf } from '../../src/chat/target.ts'

const NOTE = { origin: 'http://127.0.0.1:5000', token: 'noted' }
const NOTHING = { flags: {}, note: undefined, env: { host: undefined, port: undefined, token: undefined } }
const ENV = { host: undefined, port: undefined, token: 'of-env' }

describe('the harness to talk to', () => {
  it('is the one that left its note here', () => {
    assert.deepEqual(targetOf({ ...NOTHING, note: NOTE, env: { host: 'x', port: '1', token: 'other' } }), NOTE)
  })

  it('is else the one of the environment, and else the default', () => {
    assert.deepEqual(targetOf({ ...NOTHING, env: { host: '::', port: '5001', token: 't' } }), {
      origin: 'http://127.0.0.1:5001',
      token: 't',
    })
    assert.equal(targetOf({ ...NOTHING, env: { ...ENV, host: '::1' } }).origin, 'http://[::1]:4747')
    assert.deepEqual(targetOf(NOTHING), { origin: 'http://127.0.0.1:4747', token: undefined })
  })

  it('is above all the one of the flags', () => {
    const flags = { url: 'https://verify.example/console/chat', token: 'flag' }
    assert.deepEqual(targetOf({ flags, note: NOTE, env: ENV }), { origin: 'https://verify.example', token: 'flag' })
    assert.equal(
      targetOf({ flags: { url: NOTE.origin }, note: NOTE, env: { ...ENV, token: undefined } }).token,
      'noted',
    )
  })

  it("is never given another harness's token from the note", () => {
    const flags = { url: 'http://127.0.0.1:5001' }
    assert.equal(targetOf({ ...NOTHING, flags, note: NOTE }).token, undefined)
    assert.equal(targetOf({ flags, note: NOTE, env: ENV }).token, 'of-env')
  })

  it('has an address', () => {
    for (const url of ['', 'x', '127.0.0.1:4747', 'file:///etc/passwd', 'http://'])
      assert.throws(() => targetOf({ ...NOTHING, flags: { url } }), { code: 'invalid_request' }, url)
  })
})

describe('the note of a running harness', () => {
  const folder = mkdtempSync(join(tmpdir(), 'note-'))
  after(() => rmSync(folder, { recursive: true }))
  const note = (text: string) => {
    writeFileSync(join(folder, 'console.json'), text)
    return readNote(join(folder, 'console.json'))
  }

  it('is read, and nothing is made of one that is broken or not there', () => {
    assert.deepEqual(note(JSON.stringify(NOTE)), NOTE)
    for (const broken of ['', '{', '[]', '{"origin":"http://a"}', '{"origin":"javascript:1","token":"t"}'])
      assert.equal(note(broken), undefined, broken)
    assert.equal(readNote(join(folder, 'nowhere.json')), undefined)
  })
})
