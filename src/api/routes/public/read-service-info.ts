import { ServiceInfo } from '../../../schema/service-info.ts'
import { route } from '../../route.ts'

/** GET / of the API (specification 4.4). */
export const readServiceInfo = route({
  operationId: 'readServiceInfo',
  method: 'GET',
  path: '/api',
  summary: 'What this service is and what it serves.',
  auth: 'none',
  scopes: [],
  cacheSeconds: 60,
  responses: { 200: ServiceInfo },
  errors: [],
}).handle(async (_, { version, endpoints, settings }) => ({
  status: 200,
  body: {
    name: 'countersign',
    version,
    schemaVersion: 1,
    documentation: `${settings.publicUrl}/openapi.json`,
    endpoints,
  },
}))
