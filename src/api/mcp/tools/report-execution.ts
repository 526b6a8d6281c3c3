import { TransactionRecord } from '../../../schema/action.ts'
import { ExecutionClaim } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { RequestHash } from '../request-hash.ts'
import { mcpTool } from '../tool.ts'

/** Reports that an approved action was executed (contract section 4). */
export const reportExecution = mcpTool({
  name: 'report_execution',
  title: 'Report an execution',
  description:
    'Report that an approved action was executed: txHash of an EVM transaction, orderId or cloid of a venue order. The same report again changes nothing.',
  input: ExecutionClaim.extend({ requestHash: RequestHash }),
  output: TransactionRecord,
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  hints: { readOnly: false, idempotent: true },
}).does(async ({ args: { requestHash, ...claim }, principal }, { policy }) =>
  policy.reportExecution(callerOf(principal), requestHash, claim),
)
