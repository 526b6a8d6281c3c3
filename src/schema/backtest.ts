import { z } from 'zod'
import { Policy } from './policy.ts'
import { Address, Hash, Timestamp } from './primitives.ts'
import { ReasonCode } from './verdict.ts'

const MOST_ACTIONS = 100_000

/** Body of `POST /admin/policies/{walletAddress}/backtest` (contract section 3). `limit` recorded actions at most, the newest ones. */
export const BacktestRequest = z
  .strictObject({
    policy: Policy,
    since: Timestamp.optional(),
    limit: z.int().min(1).max(MOST_ACTIONS).default(10_000),
  })
  .meta({ id: 'BacktestRequest' })
export type BacktestRequest = z.output<typeof BacktestRequest>

const BacktestDecision = z.strictObject({
  outcome: z.enum(['pending', 'approved', 'rejected']),
  reasonCode: ReasonCode,
  humanReason: z.string(),
})

/** One recorded action that a draft policy would have decided otherwise. */
const BacktestDifference = z.strictObject({
  requestHash: Hash,
  description: z.string(),
  timestamp: Timestamp,
  recorded: BacktestDecision,
  draft: BacktestDecision.extend({ triggeringPolicyField: z.string().nullable() }),
})
export type BacktestDifference = z.output<typeof BacktestDifference>

/** What a draft policy would have decided on the recorded actions, oldest first, on the facts of their time. */
export const BacktestReport = z
  .strictObject({
    walletAddress: Address,
    evaluated: z.int().nonnegative(),
    unchanged: z.int().nonnegative(),
    differences: z.array(BacktestDifference).readonly(),
  })
  .meta({ id: 'BacktestReport' })
export type BacktestReport = z.output<typeof BacktestReport>
