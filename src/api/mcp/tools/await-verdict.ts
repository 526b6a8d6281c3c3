import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { Verdict } from '../../../schema/verdict.ts'
import { callerOf } from '../../caller.ts'
import { RequestHash } from '../request-hash.ts'
import { mcpTool } from '../tool.ts'

const MOST_SECONDS = 25
const USUAL_SECONDS = 10
const FIRST_WAIT_MS = 10
const LONGEST_WAIT_MS = 500

/** Waits until an action is decided, or a time has passed. */
export const awaitVerdict = mcpTool({
  name: 'await_verdict',
  title: 'Wait for a verdict',
  description:
    'Wait until a submitted action is decided, at most some seconds. Execute only when verdict.outcome is approved. A null or pending verdict after the wait means: do not execute, ask again.',
  input: z.strictObject({
    requestHash: RequestHash,
    timeoutSeconds: z
      .int()
      .min(1)
      .max(MOST_SECONDS)
      .optional()
      .describe(`At most ${MOST_SECONDS}; ${USUAL_SECONDS} if absent.`),
  }),
  output: z.strictObject({ requestHash: z.string(), verdict: Verdict.nullable() }),
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  hints: { readOnly: true, idempotent: true },
}).does(async ({ args: { requestHash, timeoutSeconds = USUAL_SECONDS }, principal, signal }, { policy }) => {
  const until = performance.now() + timeoutSeconds * 1000
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 2, LONGEST_WAIT_MS)) {
    const { verdict } = await policy.readVerdict(callerOf(principal), requestHash)
    const isDecided = verdict !== null && verdict.outcome !== 'pending'
    if (isDecided || performance.now() + pause > until) return { requestHash, verdict }
    await wait(pause, undefined, { signal })
  }
})
