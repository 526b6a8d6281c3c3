import type { Log } from '../lib/log.ts'
import type { Claim } from '../policy/index.ts'
import type { Execution, Storage } from '../storage/index.ts'

/** Signed bytes that may never leave, because whoever decided takes the approval back. */
export type Withdrawn = Readonly<{ withdrawn: string }>

type Parts = Readonly<{ storage: Storage; log: Log; claim: Claim | undefined }>

/**
 * Whether signed bytes may leave. Where another process decided, it must first have taken the word that its approval is
 * used: from then on what they cost is spent in its ledger, whatever becomes of either process. What it refuses is
 * withdrawn; while it says nothing, or all is paused, the bytes wait in the journal.
 */
export async function clear(execution: Execution, parts: Parts): Promise<'cleared' | 'waiting' | Withdrawn> {
  const { storage, log, claim } = parts
  const { executions, killSwitch } = storage.stores
  const { requestHash, txHash } = execution
  if (claim === undefined) return 'cleared'
  const journaled = await executions.byRequestHash(requestHash)
  // Another round, or another process, had it in hand as well. Its nonce may be another transaction's by now.
  if (journaled === undefined) return { withdrawn: 'It was withdrawn: the policy service took its approval back.' }
  // `signed` means that they never left: it is advanced before they do.
  if (journaled.state !== 'signed') return 'cleared'
  if ((await killSwitch.read()) !== undefined) return 'waiting'
  const claimed = await claim(requestHash, { txHash })
  if (claimed.kind === 'unknown') {
    log.warn({ requestHash, txHash, reason: claimed.reason }, 'Signed, and not sent before the policy service knows.')
    return 'waiting'
  }
  if (claimed.kind === 'refused') return withdraw(execution, claimed.reason, parts)
  return (await executions.advance(requestHash, ['signed'], 'broadcast')) ? 'cleared' : 'waiting'
}

/**
 * The bytes are forgotten, their nonce is the next one again, and the room that was held here is given back. What another
 * process sent meanwhile is not: how it ended is looked up.
 */
async function withdraw({ requestHash, address, txHash }: Execution, reason: string, { storage, log }: Parts) {
  const gone = await storage.transaction(async (stores) => {
    await stores.wallets.lock(address)
    if (!(await stores.executions.withdraw(requestHash))) return false
    await stores.holds.settle(requestHash, 'voided')
    await stores.transactions.move(requestHash, ['APPROVED'], 'FAILED')
    await stores.audit.append({ kind: 'execution.withdrawn', subject: requestHash, payload: { txHash, reason } })
    return true
  })
  if (!gone) return 'waiting'
  log.warn({ requestHash, txHash, reason }, 'Withdrawn: it was signed, and never left.')
  return { withdrawn: reason }
}
