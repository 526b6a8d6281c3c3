import { z } from 'zod'
import { FreeForm, ProposedTx, TransactionRecord } from '../../../schema/action.ts'
import { AddressText, Text } from '../../../schema/primitives.ts'
import { callerOf } from '../../caller.ts'
import { mcpTool } from '../tool.ts'

/** Submits an action to its verdict (specification 2.1). */
export const submitAction = mcpTool({
  name: 'submit_action',
  title: 'Submit an action',
  description:
    'Submit a proposed transaction or venue order of a wallet for its verdict. Nothing is executed. Call await_verdict next.',
  input: z.strictObject({
    escrowAddress: AddressText.describe('The wallet that acts.'),
    prompt: Text.min(1).describe('What it is for, in a sentence for people. No secrets.'),
    proposedTx: ProposedTx.describe(
      'The action: protocol, chainId, and to, data, value of an EVM transaction, or the fields of the venue.',
    ),
    metadata: FreeForm.optional(),
    contextLogs: FreeForm.optional(),
  }),
  output: TransactionRecord,
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  hints: { readOnly: false, idempotent: false },
}).does(async ({ args, principal }, { policy }) => (await policy.submit(callerOf(principal), args)).record)
