import { Health } from '../../../schema/service-info.ts'
import { route } from '../../route.ts'

/** GET /health of the harness (specification 4.6). */
export const probeHealth = route({
  operationId: 'probeHealth',
  method: 'GET',
  path: '/health',
  summary: 'Whether the process lives.',
  auth: 'none',
  scopes: [],
  limit: 'none',
  responses: { 200: Health },
  errors: [],
}).handle(async (_, { health }) => ({ status: 200, body: { status: 'ok', uptime: health.uptimeSeconds() } }))
