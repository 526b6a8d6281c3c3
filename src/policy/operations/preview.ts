import { type Address, toAddress } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { ProposedTx } from '../../schema/action.ts'
import type { Verdict } from '../../schema/verdict.ts'
import { actionHashOf } from '../action-hash.ts'
import { prepare } from '../decide.ts'
import { evaluate } from '../evaluate.ts'
import { actsFor, type Principal, requireScope, SUBMIT_SCOPES } from '../principal.ts'
import { isDecidedByStanding, standingFact } from '../standing.ts'
import { standingApprovals } from '../standing-approvals.ts'
import { valueAction } from '../valuation.ts'
import { ownerOf } from '../wallet-owner.ts'
import type { PolicyWork } from '../work.ts'

const DAY_MS = 86_400_000

/** Actions of a wallet to look at, in the order in which they would be submitted. */
export type PreviewRequest = Readonly<{ wallet: string; actions: readonly ProposedTx[] }>

/**
 * The verdicts that actions would get now, each by what those before it would hold. Nothing is stored, nothing is held and
 * nothing is approved: a submission is decided anew.
 */
export async function preview(
  work: PolicyWork,
  principal: Principal,
  { wallet: text, actions }: PreviewRequest,
): Promise<readonly Verdict[]> {
  requireScope(principal, SUBMIT_SCOPES)
  const wallet = toAddress(text)
  for (const { chainId } of actions) await requireOwn(work, principal, wallet, chainId)
  // A decision that was prepared by a policy of before is prepared anew when it is stored; nothing is stored here.
  const current = (await work.storage.stores.policies.current(wallet)) ?? null
  const byCurrent = { ...work, policyOf: async () => current }
  const prepared = await Promise.all(actions.map((proposedTx) => prepare(byCurrent, { proposedTx, wallet })))
  const now = await work.storage.now()
  let outflow = await work.storage.stores.holds.outflowSince(wallet, now - DAY_MS)
  const standing = [...(await standingApprovals(work.storage.stores, wallet, now))]
  return prepared.map(({ decoded, policy, facts: gathered, started }, i) => {
    const proposedTx = actions[i]
    if (proposedTx === undefined) throw new CountersignError('internal', 'An action that was looked at is gone.')
    const observedAt = new Date(now).toISOString()
    const ledger = { status: 'fresh', source: 'ledger', observedAt, value: { microUsd: outflow.toString() } } as const
    const isRisk = decoded.ok && policy && isDecidedByStanding({ action: decoded.value, policy: policy.policy })
    const facts = {
      ...gathered,
      outflow24h: ledger,
      ...(isRisk && standingFact(decoded.value, standing, observedAt)),
    }
    const verdict = evaluate({
      protocol: proposedTx.protocol,
      chainId: proposedTx.chainId,
      wallet,
      actionHash: actionHashOf(proposedTx),
      decoded,
      policy,
      facts,
      review: null,
      at: new Date(now),
      latencyMs: Math.round(performance.now() - started),
    })
    if (verdict.outcome !== 'approved' || !decoded.ok) return verdict
    outflow += valueAction(decoded.value, facts).outflow ?? 0n
    standing.push({ decoded, facts })
    return verdict
  })
}

async function requireOwn(work: PolicyWork, principal: Principal, wallet: Address, chainId: number): Promise<void> {
  const agentId = await ownerOf(work, principal, wallet, chainId)
  if (agentId === undefined || !actsFor(principal, { agentId, wallet, chainId }, SUBMIT_SCOPES))
    throw new CountersignError(
      'wallet_not_registered',
      `The wallet is not registered to this agent on chain ${chainId}.`,
    )
}
