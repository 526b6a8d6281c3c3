import { Policy } from '../../../schema/policy.ts'
import { PolicyRecord } from '../../../schema/policy-record.ts'
import { etagOf, IfMatch, WalletPath } from '../../policy-version.ts'
import { route } from '../../route.ts'

/** PUT /admin/policies/{walletAddress} (contract section 3). */
export const writePolicy = route({
  operationId: 'writePolicy',
  method: 'PUT',
  path: '/api/admin/policies/:walletAddress',
  summary: "Write the next version of a wallet's policy.",
  auth: 'admin-key',
  scopes: ['policies:write:any'],
  params: WalletPath,
  headers: IfMatch,
  body: Policy,
  responses: { 200: PolicyRecord },
  errors: ['not_found', 'precondition_failed'],
}).handle(async ({ params, headers, body, principal }, { policy }) => {
  const record = await policy.writePolicy(params.walletAddress, body, principal.keyId, headers['if-match'])
  return { status: 200, body: record, headers: etagOf(record) }
})
