import { toAddress } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { SubmitRequest } from '../../schema/action.ts'
import { actionHashOf, requestHashOf } from '../action-hash.ts'
import { decide } from '../decide.ts'
import type { PolicyDeps, Submission } from '../operation.ts'
import { actsFor, type Principal, requireScope, SUBMIT_SCOPES } from '../principal.ts'
import { recordOf } from '../record.ts'
import { ownerOf } from '../wallet-owner.ts'

/** Authorise, store, answer; the decision starts at once and does not depend on who waits for it (contract section 4). */
export async function submit(deps: PolicyDeps, principal: Principal, request: SubmitRequest): Promise<Submission> {
  requireScope(principal, SUBMIT_SCOPES)
  const { escrowAddress, proposedTx, prompt, metadata, contextLogs } = request
  const wallet = toAddress(escrowAddress)
  const { chainId } = proposedTx
  const agentId = await ownerOf(deps, principal, wallet, chainId)
  if (agentId === undefined || !actsFor(principal, { agentId, wallet, chainId }, SUBMIT_SCOPES))
    throw new CountersignError(
      'wallet_not_registered',
      `escrowAddress is not registered to this agent on chain ${proposedTx.chainId}.`,
      { fields: [{ path: 'escrowAddress', message: 'expected a wallet registered to the agent on this chain' }] },
    )

  const id = crypto.randomUUID()
  const requestHash = requestHashOf({ id, escrowAddress, proposedTx })
  const actionHash = actionHashOf(proposedTx)
  const stored = await deps.storage.transaction(async ({ transactions, audit }) => {
    const transaction = await transactions.insert({
      id,
      requestHash,
      actionHash,
      agentId,
      wallet,
      chainId: proposedTx.chainId,
      proposedTx,
      description: prompt,
      metadata,
      contextLogs,
      principal: { id: principal.id, agentId: principal.agentId },
    })
    await audit.append({
      kind: 'submission',
      subject: requestHash,
      payload: { id, wallet, actionHash, by: principal.id },
    })
    return transaction
  })

  const decided = decide(deps, stored)
  decided.catch((fault: unknown) => {
    const error = fault instanceof Error ? fault.message : 'unknown'
    deps.log.error({ requestHash, error }, 'A submission could not be decided; it will be taken up again.')
  })
  return { record: recordOf(stored), decided }
}
