import { toAddress } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { SubmitRequest } from '../../schema/action.ts'
import { decidePrepared, prepare } from '../decide.ts'
import type { Submission } from '../operation.ts'
import { actsFor, type Principal, requireScope, SUBMIT_SCOPES } from '../principal.ts'
import { recordOf } from '../record.ts'
import { draftOf, refuseSecrets } from '../submission.ts'
import { ownerOf } from '../wallet-owner.ts'
import type { PolicyWork } from '../work.ts'

/** Authorise, store, answer; the decision starts at once and does not depend on who waits for it (contract section 4). */
export async function submit(work: PolicyWork, principal: Principal, request: SubmitRequest): Promise<Submission> {
  requireScope(principal, SUBMIT_SCOPES)
  const { escrowAddress, proposedTx, prompt, metadata, contextLogs } = request
  await refuseSecrets({ prompt, metadata, contextLogs })
  const wallet = toAddress(escrowAddress)
  const { chainId } = proposedTx
  const agentId = await ownerOf(work, principal, wallet, chainId)
  if (agentId === undefined || !actsFor(principal, { agentId, wallet, chainId }, SUBMIT_SCOPES))
    throw new CountersignError(
      'wallet_not_registered',
      `escrowAddress is not registered to this agent on chain ${chainId}.`,
      { fields: [{ path: 'escrowAddress', message: 'expected a wallet registered to the agent on this chain' }] },
    )

  // Facts are gathered while it is stored.
  const prepared = prepare(work, { proposedTx, wallet })
  prepared.catch(() => undefined)
  const stored = await work.keep(draftOf(request, agentId, principal))
  const decided = decidePrepared(work, stored, prepared, { review: null, isNew: true })
  decided.catch((fault: unknown) => {
    const error = fault instanceof Error ? fault.message : 'unknown'
    work.log.error(
      { requestHash: stored.requestHash, error },
      'A submission could not be decided; it is taken up again.',
    )
  })
  return { record: recordOf(stored), decided }
}
