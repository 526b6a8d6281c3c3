import { CountersignError } from '../../../lib/errors.ts'
import { PolicyRecord } from '../../../schema/policy-record.ts'
import { etagOf, WalletPath } from '../../policy-version.ts'
import { route } from '../../route.ts'

/** GET /admin/policies/{walletAddress} (contract section 3). */
export const readPolicy = route({
  operationId: 'readPolicy',
  method: 'GET',
  path: '/api/admin/policies/:walletAddress',
  summary: "Read a wallet's current policy.",
  auth: 'admin-key',
  scopes: ['policies:read:any'],
  params: WalletPath,
  responses: { 200: PolicyRecord },
  errors: ['not_found'],
}).handle(async ({ params }, { policy }) => {
  const record = await policy.readPolicy(params.walletAddress)
  if (record === undefined) throw new CountersignError('not_found', 'This wallet has no policy.')
  return { status: 200, body: record, headers: etagOf(record) }
})
