import { Policy } from '../../../schema/policy.ts'
import { PolicyRecord } from '../../../schema/policy-record.ts'
import { callerOf } from '../../caller.ts'
import { etagOf, IfMatch, OwnWalletPath } from '../../policy-version.ts'
import { route } from '../../route.ts'

/** PUT /wallets/{address}/policy (contract section 3), for whoever proved the wallet by signature. */
export const writeOwnPolicy = route({
  operationId: 'writeOwnPolicy',
  method: 'PUT',
  path: '/api/wallets/:address/policy',
  summary: "Write the next version of the policy of one's own wallet.",
  auth: 'user',
  scopes: ['policies:write:own'],
  params: OwnWalletPath,
  headers: IfMatch,
  body: Policy,
  responses: { 200: PolicyRecord },
  errors: ['not_owner', 'not_found', 'precondition_failed'],
}).handle(async ({ params, headers, body, principal }, { policy }) => {
  const write = { wallet: params.address, policy: body, ifVersion: headers['if-match'] }
  const record = await policy.writeOwnPolicy(callerOf(principal), write)
  return { status: 200, body: record, headers: etagOf(record) }
})
