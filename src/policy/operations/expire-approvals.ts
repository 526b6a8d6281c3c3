import type { PolicyDeps } from '../operation.ts'

/** Ends approvals that ran out, each with its hold. A signed transaction's hold has no end, so it is never among them. */
export async function expireApprovals({ storage }: PolicyDeps): Promise<number> {
  return storage.transaction(async ({ holds, transactions, audit }) => {
    const expired = await holds.expireDue(await storage.now())
    for (const requestHash of expired) {
      if (!(await transactions.move(requestHash, ['APPROVED'], 'EXPIRED'))) continue
      await audit.append({ kind: 'expiry', subject: requestHash, payload: {} })
    }
    return expired.length
  })
}
