import { z } from 'zod'
import { Verdict } from '../../../schema/verdict.ts'
import { callerOf } from '../../caller.ts'
import { RequestHash } from '../request-hash.ts'
import { mcpTool } from '../tool.ts'

/** Reads a verdict as it is now (specification 2.4). */
export const getVerdict = mcpTool({
  name: 'get_verdict',
  title: 'Read a verdict',
  description:
    'Read the verdict on a submitted action as it is now. Null means that it is not decided: do not execute.',
  input: z.strictObject({ requestHash: RequestHash }),
  output: z.strictObject({ requestHash: z.string(), verdict: Verdict.nullable() }),
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  hints: { readOnly: true, idempotent: true },
}).does(async ({ args: { requestHash }, principal }, { policy }) => {
  const { verdict } = await policy.readVerdict(callerOf(principal), requestHash)
  return { requestHash, verdict }
})
