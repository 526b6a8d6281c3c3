import { PolicyRecord } from '../../../schema/policy-record.ts'
import { callerOf } from '../../caller.ts'
import { etagOf, OwnWalletPath } from '../../policy-version.ts'
import { route } from '../../route.ts'

/** GET /wallets/{address}/policy (contract section 3), for the wallet's owner and its agents. */
export const readOwnPolicy = route({
  operationId: 'readOwnPolicy',
  method: 'GET',
  path: '/api/wallets/:address/policy',
  summary: "Read the current policy of one's own wallet.",
  auth: 'user',
  agentsToo: true,
  scopes: ['policies:read:own'],
  params: OwnWalletPath,
  responses: { 200: PolicyRecord },
  errors: ['not_owner', 'not_found'],
}).handle(async ({ params, principal }, { policy }) => {
  const record = await policy.readOwnPolicy(callerOf(principal), params.address)
  return { status: 200, body: record, headers: etagOf(record) }
})
