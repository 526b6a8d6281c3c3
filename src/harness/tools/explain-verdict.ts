import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { Hash } from '../../schema/primitives.ts'
import { defineReadTool } from '../tool.ts'

/** Why an earlier proposal was decided as it was. */
export const explainVerdict = defineReadTool({
  name: 'explain_verdict',
  description:
    'Explains a decision of the policy: its reason and every check. The latest one unless a requestHash is given.',
  input: z.strictObject({ requestHash: Hash.optional().describe('The decision to explain.') }),
  async read({ requestHash }, { reader }) {
    const past = await reader.verdict(requestHash)
    if (!past.ok) return past
    const { verdict, description } = past.value
    const failed = verdict.checks.filter(({ status }) => status === 'failed')
    const reasons = failed.map((check) => `${check.checkId}: ${check.humanReason}`)
    return ok({
      message: [
        `"${description}" was ${verdict.outcome} (${verdict.reasonCode}). ${verdict.humanReason}`,
        ...reasons,
      ].join('\n'),
      requestHash: past.value.requestHash,
      description,
      outcome: verdict.outcome,
      reasonCode: verdict.reasonCode,
      humanReason: verdict.humanReason,
      triggeringPolicyField: verdict.triggeringPolicyField,
      policyVersion: verdict.policyVersion,
      usdNotional: verdict.usdNotional,
      checks: verdict.checks,
    })
  },
})
