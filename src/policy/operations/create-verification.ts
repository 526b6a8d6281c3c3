import { toAddress } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import { Verification, type VerificationRequest } from '../../schema/verification.ts'
import type { IdempotencyScope, Stores, UsedKey } from '../../storage/index.ts'
import { decide } from '../decide.ts'
import type { IdempotentRequest, VerificationAnswer } from '../operation.ts'
import { type Principal, requireScope, SUBMIT_SCOPES } from '../principal.ts'
import { draftOf, keep, refuseSecrets } from '../submission.ts'
import { readStored, untilDecided } from '../until-decided.ts'
import type { PolicyWork } from '../work.ts'

/** Longest wait for the verdict, in ms (contract section 7). */
const WAIT_MS = 2_000
const OPERATION = 'verifications'
const DESCRIPTION = 'Verification'

/**
 * Verifies an action for a partner (specification 4.2). With an idempotency key the key and the submission are stored
 * together or not at all; whoever comes with that key and body again, at once or after a crash, gets the first answer.
 *
 * @throws CountersignError invalid_request, idempotency_conflict, not_found, wallet_not_registered, unavailable
 */
export async function createVerification(
  work: PolicyWork,
  principal: Principal,
  request: VerificationRequest,
  idempotent?: IdempotentRequest,
): Promise<VerificationAnswer> {
  requireScope(principal, SUBMIT_SCOPES)
  const { appId, agentId } = integrationOf(principal)
  const { walletAddress, proposedTx, prompt = DESCRIPTION, metadata } = request
  await refuseSecrets({ prompt, metadata })
  const scope = idempotent && { appId, operation: OPERATION, key: idempotent.key }
  const used = scope && (await work.storage.stores.idempotencyKeys.get(scope))
  if (used && scope) return replay(work, scope, used, idempotent)
  await checkWallet(work.storage.stores, appId, request)

  const draft = draftOf({ escrowAddress: walletAddress, proposedTx, prompt, metadata }, agentId, principal)
  const stored = await work.storage.transaction(async (stores) => {
    const claim = idempotent && { bodyDigest: idempotent.bodyDigest, requestHash: draft.requestHash }
    if (scope && claim && !(await stores.idempotencyKeys.claim(scope, claim))) return undefined
    const [kept] = await keep(stores, [draft])
    return kept
  })
  if (stored === undefined) return createVerification(work, principal, request, idempotent)

  decide(work, stored).catch(() => work.log.error({ requestHash: stored.requestHash }, 'Not decided yet.'))
  await untilDecided(work, stored.requestHash, WAIT_MS)
  return answer(work, scope, stored.requestHash, false)
}

function integrationOf({ appId, agentId }: Principal): Readonly<{ appId: string; agentId: string }> {
  if (appId === undefined || agentId === null)
    throw new CountersignError('insufficient_scope', 'This operation is for the keys of integrators.')
  return { appId, agentId }
}

/** @throws CountersignError not_found for a wallet of nobody's in this integration, wallet_not_registered for another chain */
async function checkWallet(
  { integrators }: Stores,
  appId: string,
  { walletAddress, proposedTx: { chainId } }: VerificationRequest,
): Promise<void> {
  const chains = await integrators.chainsOf(appId, toAddress(walletAddress))
  if (chains.length === 0) throw new CountersignError('not_found', 'The wallet is not in this integration.')
  if (chains.includes(chainId)) return
  throw new CountersignError('wallet_not_registered', `The wallet is not registered for chain ${chainId}.`, {
    fields: [{ path: 'proposedTx.chainId', message: `expected one of ${chains.join(', ')}` }],
  })
}

/** The first answer again. Where its maker is still at it, or died at it, this waits as long as that would have. */
async function replay(
  work: PolicyWork,
  scope: IdempotencyScope,
  { bodyDigest, requestHash, answer: text }: UsedKey,
  idempotent: IdempotentRequest | undefined,
): Promise<VerificationAnswer> {
  if (bodyDigest !== idempotent?.bodyDigest)
    throw new CountersignError('idempotency_conflict', 'This Idempotency-Key was used with another body.')
  if (text !== null) return { verification: parsed(text), text, replayed: true }
  await untilDecided(work, requestHash, WAIT_MS)
  return answer(work, scope, requestHash, true)
}

async function answer(
  work: PolicyWork,
  scope: IdempotencyScope | undefined,
  requestHash: UsedKey['requestHash'],
  replayed: boolean,
): Promise<VerificationAnswer> {
  const verification = await readStored(work, requestHash)
  const mine = JSON.stringify(verification)
  if (scope === undefined) return { verification, text: mine, replayed }
  const text = await work.storage.stores.idempotencyKeys.answer(scope, mine)
  return { verification: text === mine ? verification : parsed(text), text, replayed }
}

function parsed(text: string): Verification {
  return Verification.parse(JSON.parse(text))
}
