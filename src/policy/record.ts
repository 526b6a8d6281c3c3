import type { TransactionRecord } from '../schema/action.ts'
import type { PolicyRecord } from '../schema/policy-record.ts'
import type { PolicyVersion, StoredTransaction } from '../storage/index.ts'

/** A stored transaction as the wire has it (specification 2.3). */
export function recordOf({ id, requestHash, description, status, createdAt }: StoredTransaction): TransactionRecord {
  return { id, requestHash, description, status, createdAt: new Date(createdAt).toISOString() }
}

/** A stored policy as the wire has it (contract section 3). */
export function policyRecordOf({ createdAt, ...version }: PolicyVersion): PolicyRecord {
  return { ...version, createdAt: new Date(createdAt).toISOString() }
}
