import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { canonicalJson } from '../../src/lib/canonical-json.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { openStorage } from '../../src/storage/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'))
after(() => rmSync(folder, { recursive: true }))
const original = join(folder, 'original.db')
const ROWS = 1_003

/** First broken row after somebody with access to the file ran SQL on it. */
async function verifiedAfter(tampering: string): Promise<number | null> {
  const path = join(folder, 'tampered.db')
  copyFileSync(original, path)
  const database = new DatabaseSync(path)
  database.exec(tampering)
  database.close()
  const storage = await openStorage({ url: `file:${path}` })
  const broken = await storage.stores.audit.verify()
  await storage.close()
  return broken
}

describe('verifying the audit log', () => {
  before(async () => {
    const storage = await openStorage({ url: `file:${original}` })
    await storage.transaction(async (stores) => {
      for (let i = 1; i <= ROWS; i++) await stores.audit.append({ kind: 'verdict', subject: `0x${i}`, payload: { i } })
    })
    await storage.close()
  })

  it('finds nothing in a log as it was written', async () => {
    assert.equal(await verifiedAfter('select 1'), null)
  })

  it('names the first row that was changed', async () => {
    for (const change of [
      `payload = '{"i":0}'`,
      `payload = 'x'`,
      `kind = 'policy'`,
      `subject = '0x0'`,
      `at = at + 1`,
      `hash = previous_hash`,
    ]) {
      assert.equal(await verifiedAfter(`update audit set ${change} where seq = 700`), 700, change)
    }
  })

  it('names the row that is missing, moved or put in front', async () => {
    assert.equal(await verifiedAfter('delete from audit where seq = 500'), 500)
    assert.equal(await verifiedAfter('delete from audit where seq = 1'), 1)
    assert.equal(await verifiedAfter('update audit set seq = 5000 where seq = 20'), 20)
    const front = `insert into audit select 0, previous_hash, hash, at, kind, subject, payload from audit where seq = 1`
    assert.equal(await verifiedAfter(front), 1)
  })

  it('follows the chain as documented: SHA-256 over the canonical row', async () => {
    const database = new DatabaseSync(original)
    const row = database.prepare('select * from audit where seq = 2').get()
    database.close()
    assert.ok(row)
    const { seq, previous_hash: previousHash, at, kind, subject } = row
    const content = { seq, previousHash, at, kind, subject, payload: JSON.parse(String(row['payload'])) }
    assert.equal(row['hash'], sha256(canonicalJson(content)))
  })
})
