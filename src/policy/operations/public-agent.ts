import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hash.ts'
import { DEFAULT_PAGE_SIZE, type PageQuery } from '../../schema/page.ts'
import type {
  AgentMetrics,
  Period,
  PublicAgent,
  PublicTransaction,
  PublicTransactionDetail,
} from '../../schema/public-agent.ts'
import { Verdict } from '../../schema/verdict.ts'
import type { Agent, Page, StoredTransaction } from '../../storage/index.ts'
import { countsOf, metricsOf, spanOf, total } from '../activity.ts'
import type { PolicyDeps } from '../operation.ts'

/** Rows of the audit log that one database transaction counts. */
const COUNTED_AT_ONCE = 500
/** Longest description that is shown, in characters. */
const SHOWN = 200

/** Counts what happened since it was counted last. Returns how many rows of the audit log that were. */
export async function countActivity({ storage }: PolicyDeps): Promise<number> {
  let counted = 0
  for (;;) {
    const rows = await storage.stores.activity.countNext(COUNTED_AT_ONCE, countsOf)
    counted += rows
    if (rows < COUNTED_AT_ONCE) return counted
  }
}

/** What anybody may know of an agent (contract section 8). @throws CountersignError not_found */
export async function publicAgent(deps: PolicyDeps, address: Address): Promise<PublicAgent> {
  const agent = await agentAt(deps, address)
  await countActivity(deps)
  const sums = await deps.storage.stores.activity.sums(agent.id, 0)
  const of = (kind: string) => total(sums, kind)
  return {
    ethereumAddress: agent.ethereumAddress,
    name: agent.name,
    createdAt: new Date(agent.createdAt).toISOString(),
    stats: {
      submitted: of('submitted'),
      approved: of('approved'),
      rejected: of('rejected'),
      executed: of('executed'),
    },
  }
}

/** An agent's submissions, newest first. @throws CountersignError not_found */
export async function publicTransactions(
  deps: PolicyDeps,
  address: Address,
  { limit = DEFAULT_PAGE_SIZE, cursor }: PageQuery,
): Promise<Page<PublicTransaction>> {
  const { stores } = deps.storage
  const { id } = await agentAt(deps, address)
  const { items, nextCursor } = await stores.transactions.list({ agentId: id, limit, cursor })
  const verdicts = await stores.verdicts.byRequestHashes(items.map(({ requestHash }) => requestHash))
  return { items: items.map((one) => itemOf(one, verdicts.get(one.requestHash)?.verdict ?? null)), nextCursor }
}

/** One submission of an agent, with what of its verdict is anybody's to see. @throws CountersignError not_found */
export async function publicTransaction(
  deps: PolicyDeps,
  address: Address,
  requestHash: string,
): Promise<PublicTransactionDetail> {
  const { transactions, verdicts } = deps.storage.stores
  const { id } = await agentAt(deps, address)
  const transaction = isHash(requestHash) ? await transactions.byRequestHash(requestHash) : undefined
  if (transaction === undefined || transaction.agentId !== id)
    throw new CountersignError('not_found', 'This agent has no transaction with this requestHash.')
  const stored = await verdicts.byRequestHash(transaction.requestHash)
  const verdict = stored?.verdict ?? null
  return { ...itemOf(transaction, verdict), verdict: verdict && redacted(verdict) }
}

/** An agent's metrics, from its counts alone: as fast for a million submissions as for ten. @throws CountersignError not_found */
export async function agentMetrics(deps: PolicyDeps, address: Address, period: Period): Promise<AgentMetrics> {
  const { id } = await agentAt(deps, address)
  await countActivity(deps)
  const { activity } = deps.storage.stores
  const { since, stepMs } = spanOf(period, await deps.storage.now())
  const [sums, series] = await Promise.all([activity.sums(id, since), activity.series(id, since, stepMs)])
  return metricsOf(period, sums, series)
}

async function agentAt({ storage }: PolicyDeps, address: Address): Promise<Agent> {
  const agent = await storage.stores.agents.byEthereumAddress(address)
  if (agent === undefined) throw new CountersignError('not_found', 'No agent has this address.')
  return agent
}

function isHash(text: string): text is Hex {
  return /^0x[0-9a-f]{64}$/.test(text)
}

function itemOf(transaction: StoredTransaction, verdict: Verdict | null): PublicTransaction {
  const { requestHash, description, status, chainId, report, createdAt, proposedTx } = transaction
  return {
    requestHash,
    description: description.replace(/\s+/g, ' ').slice(0, SHOWN),
    status,
    outcome: verdict?.outcome ?? null,
    reasonCode: verdict?.reasonCode ?? null,
    protocol: verdict?.evidence.decodedAction.protocol ?? proposedTx.protocol,
    chainId,
    usdNotional: verdict?.usdNotional ?? null,
    txHash: report !== null && 'txHash' in report ? report.txHash : null,
    createdAt: new Date(createdAt).toISOString(),
  }
}

const LEFT_OUT = ['prompt', 'metadata', 'contextLogs', 'evidence.observations']

/** What the wallet has and spent, and what a reviewer wrote, is its owner's alone. */
function redacted(verdict: Verdict): Verdict {
  const { actionHash } = verdict.evidence.observations
  const evidence = { ...verdict.evidence, observations: actionHash === undefined ? {} : { actionHash } }
  const fields = [...new Set([...verdict.redaction.fields, ...LEFT_OUT])]
  return Verdict.parse({ ...verdict, evidence, redaction: { redacted: true, fields } })
}
