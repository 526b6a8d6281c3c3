import { z } from 'zod'
import { route } from '../../route.ts'

/** GET /metrics (contract section 1), in Prometheus' text format. It names no agent, wallet or key. */
export const readMetrics = route({
  operationId: 'readMetrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics of the process, as Prometheus reads them.',
  auth: 'none',
  scopes: [],
  limit: 'none',
  responses: { 200: z.string() },
  textType: 'text/plain; version=0.0.4; charset=utf-8',
  errors: [],
}).handle(async (_, { metrics }) => {
  const text = await metrics.text()
  return { status: 200, body: text, text }
})
