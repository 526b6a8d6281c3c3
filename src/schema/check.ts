import { z } from 'zod'

/** Every check, in evaluation order, with the failure codes it may report (specification 2.8). */
export const CHECKS = {
  venue: ['venue_not_allowed'],
  chain: ['chain_not_allowed'],
  contract_selector: ['contract_or_selector_not_allowed'],
  asset: ['asset_not_in_universe'],
  recipient: ['recipient_not_allowed'],
  side: ['side_not_allowed'],
  slippage_guard: ['no_slippage_guard'],
  execution_price_bound: ['no_execution_price_bound'],
  leverage: ['leverage_cap_exceeded'],
  sanctions: ['sanctioned_address'],
  sink_recipient: ['sink_recipient'],
  per_tx_cap: ['per_tx_cap_exceeded'],
  outflow_24h: ['outflow_24h_exceeded'],
  portfolio_leverage: ['leverage_cap_exceeded'],
  protocol_exposure: ['protocol_exposure_exceeded'],
} as const

export type CheckId = keyof typeof CHECKS

/** The violation codes of one check, or of all. `data_unavailable` may stand in place of any (specification 2.7 rule 6). */
export type ViolationCode<id extends CheckId = CheckId> = (typeof CHECKS)[id][number]

export const CHECK_IDS = Object.keys(CHECKS) as [CheckId, ...CheckId[]]
export const VIOLATION_CODES = [...new Set(Object.values(CHECKS).flat())] as [ViolationCode, ...ViolationCode[]]

/** The name of a check. */
export const CheckName = z.enum(CHECK_IDS).meta({ id: 'CheckId' })

/** One item of `verdict.checks` (specification 2.6). */
export const CheckResult = z
  .strictObject({
    checkId: CheckName,
    status: z.enum(['passed', 'failed', 'not_checked']),
    code: z.enum([...VIOLATION_CODES, 'data_unavailable']).nullable(),
    humanReason: z.string(),
    triggeringPolicyField: z.string().nullable(),
    legIndex: z.int().nonnegative().optional(),
  })
  .refine((r) => (r.status === 'failed') === (r.code !== null), 'a code is given exactly where the check failed')
  .refine(
    (r) => r.code === null || r.code === 'data_unavailable' || CHECKS[r.checkId].some((code) => code === r.code),
    'the code must be one of the check',
  )
  .meta({ id: 'CheckResult' })
export type CheckResult = z.output<typeof CheckResult>
