import type { TransactionRecord, TransactionStatus } from '../schema/action.ts'
import type { PolicyRecord } from '../schema/policy-record.ts'
import type { Verdict } from '../schema/verdict.ts'
import { Verification, type VerificationStatus } from '../schema/verification.ts'
import type { PolicyVersion, StoredTransaction } from '../storage/index.ts'

/** A stored transaction as the wire has it (specification 2.3). */
export function recordOf({ id, requestHash, description, status, createdAt }: StoredTransaction): TransactionRecord {
  return { id, requestHash, description, status, createdAt: new Date(createdAt).toISOString() }
}

/** A stored policy as the wire has it (contract section 3). */
export function policyRecordOf({ createdAt, ...version }: PolicyVersion): PolicyRecord {
  return { ...version, createdAt: new Date(createdAt).toISOString() }
}

const STATUS: Readonly<Record<TransactionStatus, VerificationStatus>> = {
  PENDING: 'PENDING',
  APPROVED: 'PENDING',
  REJECTED: 'PENDING',
  EXECUTED: 'EXECUTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
  FAILED: 'CANCELLED',
}

/** A stored transaction with its verdict as a partner reads it (contract section 7). */
export function verificationOf(transaction: StoredTransaction, verdict: Verdict | null): Verification {
  const { id, requestHash, wallet, status, proposedTx, report, reportedAt, createdAt, updatedAt } = transaction
  return Verification.parse({
    id,
    requestHash,
    walletAddress: wallet,
    status: STATUS[status],
    verdict,
    proposedTx,
    execution: report && { ...report, reportedAt: new Date(reportedAt ?? updatedAt).toISOString() },
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  })
}
