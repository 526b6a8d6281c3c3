import { z } from 'zod'
import { route } from '../../route.ts'

const ValidationHealth = z
  .strictObject({
    /** `degraded`: a model is configured and does not answer; everything else is decided without it. */
    status: z.enum(['ok', 'degraded']),
    llm: z.strictObject({ configured: z.boolean(), reachable: z.boolean() }),
  })
  .meta({ id: 'ValidationHealth' })

/** GET /health of the validation interface (specification 4.5, contract section 9). */
export const readValidationHealth = route({
  operationId: 'readValidationHealth',
  method: 'GET',
  path: '/validation/health',
  summary: 'Whether the validator and its model answer.',
  auth: 'none',
  scopes: [],
  responses: { 200: ValidationHealth },
  errors: [],
}).handle(async (_, { validator }) => {
  const llm = await validator.health()
  return { status: 200, body: { status: llm.configured && !llm.reachable ? 'degraded' : 'ok', llm } }
})
