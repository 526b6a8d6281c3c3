import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { CountersignError } from '../../src/lib/errors.ts'
import { openStorage } from '../../src/storage/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-open-'))
after(() => rmSync(folder, { recursive: true }))
const entry = new URL('../../src/storage/index.ts', import.meta.url).href

async function refusalOf(url: string): Promise<CountersignError> {
  const opening = openStorage({ url })
  await assert.rejects(opening)
  const thrown: unknown = await opening.catch((error: unknown) => error)
  assert.ok(thrown instanceof CountersignError)
  return thrown
}

/** Runs a program beside this one until it says a word. */
async function until(word: string, program: string): Promise<ReturnType<typeof spawn>> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of child.stdout) if (String(text).includes(word)) return child
  throw new Error(`the program ended without ${word}`)
}

describe('DATABASE_URL', () => {
  it('unset is a database in memory, new each time', async () => {
    const [one, other] = [await openStorage({ url: undefined }), await openStorage({ url: undefined })]
    await one.stores.settings.put('key', 'one')
    assert.equal(await other.stores.settings.get('key'), undefined)
    assert.deepEqual([one.dialect, one.durable], ['sqlite', false])
    await one.close()
    await other.close()
  })

  it('of a file is a database that outlives being closed, for its owner alone', async () => {
    const path = join(folder, 'kept.db')
    for (const url of [`file:${path}`, pathToFileURL(path).href]) {
      const storage = await openStorage({ url })
      assert.deepEqual([storage.dialect, storage.durable], ['sqlite', true])
      assert.equal(await storage.stores.settings.put('key', url), `file:${path}`)
      assert.equal(statSync(path).mode & 0o777, 0o600)
      assert.equal(statSync(`${path}-wal`).mode & 0o777, 0o600)
      await storage.close()
    }
  })

  it('of another kind is refused by name, without its value', async () => {
    const wrong = [
      '',
      'x',
      'mysql://u:hunter2@h/d',
      'hunter2.db',
      'file:',
      'file::memory:',
      'file:hunter2.db?mode=ro',
      'file://hunter2/x',
      'postgres:hunter2',
      'postgres://u:hunter2@h:99999/d',
      ' file:hunter2',
    ]
    for (const url of wrong) {
      const { code, message } = await refusalOf(url)
      assert.equal(code, 'invalid_request', url)
      assert.match(message, /DATABASE_URL/)
      assert.doesNotMatch(message, /hunter2/)
    }
  })

  it('of a server that does not answer is unavailable, and its secrets stay out of the error', async () => {
    const refused = await refusalOf('postgres://someone:hunter2@127.0.0.1:1/ledger')
    assert.equal(refused.code, 'unavailable')
    assert.ok(refused.retryable)
    assert.doesNotMatch(inspect(refused, { depth: 9, showHidden: true }), /hunter2|postgres:\/\//)
    assert.doesNotMatch(refused.message, /127\.0\.0\.1/)
  })
})

describe('a database file', () => {
  it('serves one process at a time', async () => {
    const url = `file:${join(folder, 'locked.db')}`
    const holder = await until(
      'opened',
      `const { openStorage } = await import('${entry}'); await openStorage({ url: '${url}' }); console.log('opened'); setInterval(() => {}, 1000)`,
    )
    const second = await refusalOf(url)
    assert.equal(second.code, 'unavailable')
    assert.match(second.message, /in use/)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const storage = await openStorage({ url })
    const again = await refusalOf(url)
    assert.match(again.message, /in use/)
    await storage.stores.settings.put('still', 'writable')
    await storage.close()
  })

  it('keeps what was acknowledged when its process is killed', async () => {
    const url = `file:${join(folder, 'durable.db')}`
    const writer = await until(
      'acknowledged 20',
      `const { openStorage } = await import('${entry}'); const storage = await openStorage({ url: '${url}' })
       for (let i = 1; ; i++) {
         await storage.transaction((stores) => stores.audit.append({ kind: 'written', subject: String(i), payload: i }))
         console.log('acknowledged ' + i)
         if (i === 20) storage.transaction(async (stores) => { await stores.settings.put('half', 'done'); await new Promise(() => {}) })
         if (i === 20) break
       }
       setInterval(() => {}, 1000)`,
    )
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    const storage = await openStorage({ url })
    assert.deepEqual(
      (await storage.stores.audit.list({ limit: 1 })).items.map((row) => row.subject),
      ['20'],
    )
    assert.equal(await storage.stores.audit.verify(), null)
    assert.equal(await storage.stores.settings.get('half'), undefined)
    await storage.close()
  })

  it('that cannot be opened says why', async () => {
    const noDatabase = join(folder, 'text.db')
    writeFileSync(noDatabase, 'This is a text, and no database. '.repeat(100))
    assert.match((await refusalOf(`file:${noDatabase}`)).message, /DATABASE_URL names is not a SQLite database/)
    const homeless = await refusalOf(`file:${join(folder, 'nowhere', 'x.db')}`)
    assert.equal(homeless.code, 'unavailable')
    assert.match(homeless.message, /folder must exist/)
  })

  it('of a newer version is refused', async () => {
    const { DatabaseSync } = await import('node:sqlite')
    const path = join(folder, 'newer.db')
    await (await openStorage({ url: `file:${path}` })).close()
    const database = new DatabaseSync(path)
    database.exec(`insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')`)
    database.close()
    assert.match((await refusalOf(`file:${path}`)).message, /up to date/)
  })
})
