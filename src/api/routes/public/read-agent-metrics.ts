import { AgentMetrics, MetricsQuery } from '../../../schema/public-agent.ts'
import { AgentPath, PUBLIC_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /public/agents/{ethereumAddress}/metrics (specification 4.4, contract section 8). A day where no period is named. */
export const readAgentMetrics = route({
  operationId: 'readAgentMetrics',
  method: 'GET',
  path: '/api/public/agents/:ethereumAddress/metrics',
  summary: "Read an agent's metrics of a period.",
  auth: 'none',
  scopes: [],
  cacheSeconds: PUBLIC_CACHE_SECONDS,
  params: AgentPath,
  query: MetricsQuery,
  responses: { 200: AgentMetrics },
  errors: ['not_found'],
}).handle(async ({ params, query: { period = '24h' } }, { policy }) => ({
  status: 200,
  body: await policy.agentMetrics(params.ethereumAddress, period),
}))
