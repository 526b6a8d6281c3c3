import { pageOf } from '../../../schema/page.ts'
import { PolicyRecord } from '../../../schema/policy-record.ts'
import { WalletPath } from '../../policy-version.ts'
import { route } from '../../route.ts'

/** GET /admin/policies/{walletAddress}/versions (contract section 3). */
export const listPolicyVersions = route({
  operationId: 'listPolicyVersions',
  method: 'GET',
  path: '/api/admin/policies/:walletAddress/versions',
  summary: "List all versions of a wallet's policy, newest first.",
  auth: 'admin-key',
  scopes: ['policies:read:any'],
  params: WalletPath,
  responses: { 200: pageOf(PolicyRecord) },
  errors: [],
}).handle(async ({ params }, { policy }) => ({
  status: 200,
  body: { items: await policy.policyVersions(params.walletAddress), nextCursor: null },
}))
