import { z } from 'zod'
import { TransactionRecord } from '../../../schema/action.ts'
import { callerOf } from '../../caller.ts'
import { RequestHash } from '../request-hash.ts'
import { mcpTool } from '../tool.ts'

/** Gives up an approved action, and releases what it holds (contract section 4). */
export const cancelAction = mcpTool({
  name: 'cancel_action',
  title: 'Cancel an action',
  description: 'Give up an approved action that you will not execute, so that the spend it reserved is released.',
  input: z.strictObject({ requestHash: RequestHash }),
  output: TransactionRecord,
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  hints: { readOnly: false, idempotent: true },
}).does(async ({ args, principal }, { policy }) => policy.cancel(callerOf(principal), args.requestHash))
