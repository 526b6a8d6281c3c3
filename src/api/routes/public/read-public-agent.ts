import { PublicAgent } from '../../../schema/public-agent.ts'
import { AgentPath, PUBLIC_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /public/agents/{ethereumAddress} (specification 4.4). */
export const readPublicAgent = route({
  operationId: 'readPublicAgent',
  method: 'GET',
  path: '/api/public/agents/:ethereumAddress',
  summary: 'Read the public profile of an agent.',
  auth: 'none',
  scopes: [],
  cacheSeconds: PUBLIC_CACHE_SECONDS,
  params: AgentPath,
  responses: { 200: PublicAgent },
  errors: ['not_found'],
}).handle(async ({ params }, { policy }) => ({
  status: 200,
  body: await policy.publicAgent(params.ethereumAddress),
}))
