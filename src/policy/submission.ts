import { toAddress } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import { secretsIn } from '../lib/secret-text.ts'
import type { SubmitRequest } from '../schema/action.ts'
import type { NewTransaction, StoredTransaction, Stores } from '../storage/index.ts'
import { actionHashOf, requestHashOf } from './action-hash.ts'
import type { Principal } from './principal.ts'

/** For so long (ms) a decision is its first process's: longer than one takes. Then any process takes it up. */
export const LEASE_MS = 10_000

/** Longest list of fields that one refusal names. */
const MAX_FIELDS = 8

/** @throws CountersignError invalid_request that names the field, and nothing of what it holds */
export async function refuseSecrets(texts: Readonly<Record<string, unknown>>): Promise<void> {
  const found = await Promise.all(Object.entries(texts).map(([field, value]) => secretsIn(value, field)))
  const fields = found.flat().slice(0, MAX_FIELDS)
  if (fields.length === 0) return
  const detail = fields.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw new CountersignError('invalid_request', `Nothing was stored. ${detail}`, { fields })
}

/** What is stored of a submission, under an id and a hash of its own. */
export function draftOf(request: SubmitRequest, agentId: string, principal: Principal): NewTransaction {
  const { escrowAddress, proposedTx, prompt, metadata, contextLogs } = request
  const id = crypto.randomUUID()
  return {
    id,
    requestHash: requestHashOf({ id, escrowAddress, proposedTx }),
    actionHash: actionHashOf(proposedTx),
    agentId,
    wallet: toAddress(escrowAddress),
    chainId: proposedTx.chainId,
    proposedTx,
    description: prompt,
    metadata,
    contextLogs,
    principal: { id: principal.id, agentId: principal.agentId },
  }
}

/**
 * Keeps submissions with their rows of the audit log: in one database transaction, and this the last of it. Its time is
 * the log's.
 */
export async function keep(
  { transactions, audit }: Stores,
  drafts: readonly NewTransaction[],
): Promise<readonly StoredTransaction[]> {
  const head = await audit.head()
  const kept = await transactions.insertAll(drafts, { createdAt: head.now, leaseUntil: head.now + LEASE_MS })
  await audit.appendTo(
    head,
    drafts.map(({ id, requestHash, wallet, actionHash, principal }) => ({
      kind: 'submission',
      subject: requestHash,
      payload: { id, wallet, actionHash, by: byOf(principal) },
    })),
  )
  return kept
}

function byOf(principal: NewTransaction['principal']): string {
  return typeof principal === 'object' && principal !== null && 'id' in principal && typeof principal.id === 'string'
    ? principal.id
    : ''
}
