import { toAddress } from '../lib/address.ts'
import { secretsIn } from '../lib/secret-text.ts'
import { contractAt } from '../registry/index.ts'
import type { LegacySubmitRequest, SubmitRequest } from '../schema/action.ts'
import { invalid } from './validate.ts'

/**
 * The shell skill's shape as the agent's (specification 2.2). It names no venue: the registry's contract at the target
 * does, and `evm` says that there is none.
 *
 * @throws CountersignError `invalid_request` where `userPrompt` holds a secret
 */
export async function submissionOf(legacy: LegacySubmitRequest): Promise<SubmitRequest> {
  const { escrowAddress, userPrompt, tx, chainId, contextLogs } = legacy
  const secrets = await secretsIn(userPrompt, 'userPrompt')
  if (secrets.length > 0) throw invalid(secrets)
  const protocol = contractAt(chainId, toAddress(tx.to))?.venue ?? 'evm'
  const { to, data, value } = tx
  return {
    escrowAddress,
    prompt: userPrompt,
    proposedTx: { protocol, chainId, to, data, value },
    ...(contextLogs !== undefined && { contextLogs }),
  }
}
