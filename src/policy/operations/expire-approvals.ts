import type { Hex } from '../../lib/hash.ts'
import type { PolicyDeps } from '../operation.ts'

/** Ends approvals that ran out, each with its hold. A signed transaction's hold has no end, so it is never among them. */
export async function expireApprovals({ storage }: PolicyDeps): Promise<number> {
  return storage.transaction(async ({ holds, transactions, audit }) => {
    const expired = await holds.expireDue(await storage.now())
    const moved: Hex[] = []
    for (const requestHash of expired)
      if (await transactions.move(requestHash, ['APPROVED'], 'EXPIRED')) moved.push(requestHash)
    // The log last, and once: nothing else is decided while somebody has it.
    await audit.appendAll(moved.map((subject) => ({ kind: 'expiry', subject, payload: {} })))
    return expired.length
  })
}
