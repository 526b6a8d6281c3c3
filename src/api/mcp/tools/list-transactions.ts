import { z } from 'zod'
import { TransactionRecord } from '../../../schema/action.ts'
import { DEFAULT_PAGE_SIZE, pageOf } from '../../../schema/page.ts'
import { callerOf } from '../../caller.ts'
import { mcpTool } from '../tool.ts'

/** Lists what was submitted, newest first. */
export const listTransactions = mcpTool({
  name: 'list_transactions',
  title: 'List submissions',
  description: 'List the actions that were submitted for your wallets, newest first. The status is not the verdict.',
  input: z.strictObject({
    limit: z.int().min(1).max(100).optional(),
    cursor: z.string().min(1).max(256).optional().describe('nextCursor of the page before.'),
  }),
  output: pageOf(TransactionRecord),
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  hints: { readOnly: true, idempotent: true },
}).does(async ({ args: { limit = DEFAULT_PAGE_SIZE, cursor }, principal }, { policy }) =>
  policy.listSubmissions(callerOf(principal), { limit, cursor }),
)
