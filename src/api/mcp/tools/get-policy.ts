import { z } from 'zod'
import { PolicyRecord } from '../../../schema/policy-record.ts'
import { Address } from '../../../schema/primitives.ts'
import { callerOf } from '../../caller.ts'
import { mcpTool } from '../tool.ts'

/** Reads the current policy of a wallet (contract section 5). */
export const getPolicy = mcpTool({
  name: 'get_policy',
  title: 'Read the policy',
  description: 'Read the current policy of a wallet that you act for: what it allows, and its limits.',
  input: z.strictObject({ walletAddress: Address.describe('A wallet that you act for.') }),
  output: PolicyRecord,
  scopes: ['policies:read:own'],
  hints: { readOnly: true, idempotent: true },
}).does(async ({ args, principal }, { policy }) => policy.readOwnPolicy(callerOf(principal), args.walletAddress))
