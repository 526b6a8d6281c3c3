import { setImmediate } from 'node:timers/promises'
import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { BacktestDifference, BacktestReport, BacktestRequest } from '../../schema/backtest.ts'
import type { Policy } from '../../schema/policy.ts'
import type { RecordedVerdict } from '../../storage/index.ts'
import { judge } from '../evaluate.ts'
import type { PolicyDeps } from '../operation.ts'
import { judgedOf } from '../replay.ts'
import { type RollingWindow, rollingWindow } from '../rolling-window.ts'

const DAY_MS = 86_400_000
const READ_AT_ONCE = 500

/**
 * What a draft policy would have decided on the recorded actions of a wallet, each on the facts of its time, with the
 * rolling 24 hours rebuilt from what the draft itself would have let pass. Where a fact was not gathered then, because
 * no check needed it, the draft's check says `data_unavailable`. Nothing is stored.
 */
export async function backtest(
  { storage }: PolicyDeps,
  wallet: Address,
  { policy, since, limit }: BacktestRequest,
): Promise<BacktestReport> {
  const { wallets, verdicts } = storage.stores
  if (!(await wallets.isRegistered(wallet))) throw new CountersignError('not_found', 'No such wallet is registered.')
  const from = since === undefined ? 0 : Date.parse(since)
  const first = await verdicts.recordedFrom(wallet, { since: from, limit })
  const window = rollingWindow()
  const differences: BacktestDifference[] = []
  let evaluated = 0
  for (let after = (first ?? Number.MAX_SAFE_INTEGER) - 1; evaluated < limit; ) {
    const recorded = await verdicts.recorded({ wallet, after, limit: Math.min(READ_AT_ONCE, limit - evaluated) })
    for (const decision of recorded) {
      const difference = compare(decision, policy, window)
      if (difference) differences.push(difference)
    }
    evaluated += recorded.length
    const last = recorded.at(-1)
    if (last === undefined) break
    after = last.seq
    await setImmediate() // others are served in between
  }
  return { walletAddress: wallet, evaluated, unchanged: evaluated - differences.length, differences }
}

/** How the draft decides one recorded action, where that is otherwise; what it lets pass goes into the window. */
function compare(recorded: RecordedVerdict, policy: Policy, window: RollingWindow): BacktestDifference | undefined {
  const { verdict, wallet, proposedTx } = recorded
  const at = Date.parse(verdict.timestamp)
  const evaluation = judgedOf({ wallet, proposedTx, policy, verdict })
  const outflow24h = {
    status: 'fresh',
    source: 'ledger',
    observedAt: verdict.timestamp,
    value: { microUsd: String(window.total(at)) },
  } as const
  const draft = judge({
    ...evaluation,
    policy: { version: verdict.policyVersion ?? 0, policy },
    facts: { ...evaluation.facts, outflow24h },
  })
  const outflow = draft.understood?.valuation.outflow
  if (draft.outcome === 'approved' && outflow !== undefined) window.add(outflow, endOf(recorded, at))
  if (draft.outcome === verdict.outcome && draft.reasonCode === verdict.reasonCode) return undefined
  const { outcome, reasonCode, humanReason, triggeringPolicyField } = draft
  return {
    requestHash: recorded.requestHash,
    description: recorded.description,
    timestamp: verdict.timestamp,
    recorded: { outcome: verdict.outcome, reasonCode: verdict.reasonCode, humanReason: verdict.humanReason },
    draft: { outcome, reasonCode, humanReason, triggeringPolicyField },
  }
}

/**
 * Until when the outflow of an action counts, in ms: 24 hours after it was executed, the moment it was given up, or no
 * end while it is held. What was not let pass then is taken as executed at once.
 */
function endOf({ status, postedAt, updatedAt }: RecordedVerdict, at: number): number {
  switch (status) {
    case 'CANCELLED':
    case 'EXPIRED':
    case 'FAILED':
      return updatedAt
    case 'APPROVED':
      return Number.POSITIVE_INFINITY
    case 'EXECUTED':
      return (postedAt ?? updatedAt) + DAY_MS
    case 'PENDING':
    case 'REJECTED':
      return at + DAY_MS
  }
}
