import { Readiness } from '../../../schema/service-info.ts'
import { route } from '../../route.ts'

/** GET /ready of the harness (specification 4.6, contract section 1). */
export const probeReadiness = route({
  operationId: 'probeReadiness',
  method: 'GET',
  path: '/ready',
  summary: 'Whether the process can take work.',
  auth: 'none',
  scopes: [],
  limit: 'none',
  responses: { 200: Readiness, 503: Readiness },
  errors: [],
}).handle(async (_, { health }) => {
  const { ready, checks } = await health.readiness()
  return ready
    ? { status: 200, body: { status: 'ready', checks } }
    : { status: 503, body: { status: 'not_ready', checks } }
})
