import { Health } from '../../../schema/service-info.ts'
import { route } from '../../route.ts'

/** GET /health of the API (specification 4.4). */
export const readHealth = route({
  operationId: 'readHealth',
  method: 'GET',
  path: '/api/health',
  summary: 'Whether the API answers.',
  auth: 'none',
  scopes: [],
  limit: 'none',
  responses: { 200: Health },
  errors: [],
}).handle(async (_, { health }) => ({ status: 200, body: { status: 'ok', uptime: health.uptimeSeconds() } }))
