import { loadDatabaseUrl } from '../config.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import { verifyDecisions } from '../policy/index.ts'
import { openStorage, type Storage } from '../storage/index.ts'

const SHOWN = 20

/**
 * Checks the audit log and every stored decision of the database that DATABASE_URL or the first argument names: the
 * chain row by row, each verdict against its receipt, and each verdict decided again. Returns the exit code.
 */
export async function verifyAudit(): Promise<number> {
  try {
    const url = loadDatabaseUrl()
    if (url === undefined) throw new CountersignError('invalid_request', 'Name a database: set DATABASE_URL.')
    const storage = await openStorage({ url })
    try {
      return await verify(storage)
    } finally {
      await storage.close()
    }
  } catch (thrown) {
    const known = thrown instanceof CountersignError
    process.stderr.write(`Not verified. ${known ? messageOf(thrown) : 'It met a fault of its own.'}\n`)
    return 1
  }
}

async function verify(storage: Storage): Promise<number> {
  const { audit } = storage.stores
  const broken = await audit.verify()
  const head = (await audit.list({ limit: 1 })).items[0]
  say(
    broken === null
      ? `✓ The audit log is whole: ${head?.seq ?? 0} rows, the last one ${head?.hash ?? 'none'}.`
      : `✗ The audit log is broken at row ${broken}: it is missing, or not what was appended.`,
  )
  const { decisions, elsewhere, faults } = await verifyDecisions(storage)
  for (const { requestHash, fault } of faults.slice(0, SHOWN))
    say(
      `✗ ${requestHash}: ${fault === 'receipt' ? 'its receipt does not hold' : 'its evidence leads to another verdict'}.`,
    )
  if (faults.length > SHOWN) say(`✗ … and ${faults.length - SHOWN} more.`)
  if (faults.length === 0)
    say(
      `✓ ${decisions - elsewhere} decisions: each has its signed receipt, and is decided again just so from its evidence.`,
    )
  if (elsewhere > 0)
    say(
      `  ${elsewhere} decisions of a policy service elsewhere: their receipts were checked, and they are verified there.`,
    )
  return broken === null && faults.length === 0 ? 0 : 1
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
