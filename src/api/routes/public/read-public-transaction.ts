import { PublicTransactionDetail } from '../../../schema/public-agent.ts'
import { AgentPath, PUBLIC_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'
import { TransactionPath } from '../../transaction-path.ts'

/** GET /public/agents/{ethereumAddress}/transactions/{requestHash} (specification 4.4). */
export const readPublicTransaction = route({
  operationId: 'readPublicTransaction',
  method: 'GET',
  path: '/api/public/agents/:ethereumAddress/transactions/:requestHash',
  summary: 'Read one transaction of an agent, with its verdict as far as it is public.',
  auth: 'none',
  scopes: [],
  cacheSeconds: PUBLIC_CACHE_SECONDS,
  params: AgentPath.extend(TransactionPath.shape),
  responses: { 200: PublicTransactionDetail },
  errors: ['not_found'],
}).handle(async ({ params }, { policy }) => ({
  status: 200,
  body: await policy.publicTransaction(params.ethereumAddress, params.requestHash),
}))
