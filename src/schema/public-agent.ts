import { z } from 'zod'
import { TransactionStatus } from './action.ts'
import { Address, ChainId, Hash, Timestamp } from './primitives.ts'
import { ReasonCode, Verdict } from './verdict.ts'

const Count = z.int().nonnegative()

/** What anybody may know of an agent (contract section 8). */
export const PublicAgent = z
  .strictObject({
    ethereumAddress: Address,
    name: z.string(),
    createdAt: Timestamp,
    stats: z.strictObject({ submitted: Count, approved: Count, rejected: Count, executed: Count }),
  })
  .meta({ id: 'PublicAgent' })
export type PublicAgent = z.output<typeof PublicAgent>

/** One submission as anybody may see it (contract section 8). `outcome` null: not decided yet. */
export const PublicTransaction = z
  .strictObject({
    requestHash: Hash,
    description: z.string(),
    status: TransactionStatus,
    outcome: z.enum(['pending', 'approved', 'rejected']).nullable(),
    reasonCode: ReasonCode.nullable(),
    protocol: z.string(),
    chainId: ChainId,
    usdNotional: z.number().nonnegative().nullable(),
    txHash: Hash.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'PublicTransaction' })
export type PublicTransaction = z.output<typeof PublicTransaction>

/** A submission with its verdict, without what is its owner's alone: `verdict.redaction` names what was left out. */
export const PublicTransactionDetail = PublicTransaction.extend({ verdict: Verdict.nullable() }).meta({
  id: 'PublicTransactionDetail',
})
export type PublicTransactionDetail = z.output<typeof PublicTransactionDetail>

/** Query of the metrics: by whole hours for a day, else by whole days. */
export const MetricsQuery = z.strictObject({ period: z.enum(['24h', '7d', '30d', 'all']).optional() })
export type Period = NonNullable<z.output<typeof MetricsQuery>['period']>

/** What an agent's submissions came to in a period (contract section 8). */
export const AgentMetrics = z
  .strictObject({
    period: z.enum(['24h', '7d', '30d', 'all']),
    submitted: Count,
    approved: Count,
    rejected: Count,
    /** Submitted in the period and not decided in it. */
    pending: Count,
    executed: Count,
    cancelled: Count,
    /** Of what was decided; null where nothing was. */
    approvalRate: z.number().min(0).max(1).nullable(),
    /** Of what was approved. */
    usdVolume: z.number().nonnegative(),
    latencyMs: z.strictObject({ p50: Count.nullable(), p95: Count.nullable(), p99: Count.nullable() }),
    byReasonCode: z.record(z.string(), Count),
    byProtocol: z.record(z.string(), Count),
    series: z.array(z.strictObject({ t: Timestamp, approved: Count, rejected: Count })).readonly(),
  })
  .meta({ id: 'AgentMetrics' })
export type AgentMetrics = z.output<typeof AgentMetrics>
