import { PageQuery, pageOf } from '../../../schema/page.ts'
import { PublicTransaction } from '../../../schema/public-agent.ts'
import { AgentPath, PUBLIC_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /public/agents/{ethereumAddress}/transactions (specification 4.4). */
export const listPublicTransactions = route({
  operationId: 'listPublicTransactions',
  method: 'GET',
  path: '/api/public/agents/:ethereumAddress/transactions',
  summary: 'List the transactions of an agent, newest first.',
  auth: 'none',
  scopes: [],
  cacheSeconds: PUBLIC_CACHE_SECONDS,
  params: AgentPath,
  query: PageQuery,
  responses: { 200: pageOf(PublicTransaction) },
  errors: ['not_found'],
}).handle(async ({ params, query }, { policy }) => ({
  status: 200,
  body: await policy.publicTransactions(params.ethereumAddress, query),
}))
