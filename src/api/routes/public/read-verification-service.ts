import { z } from 'zod'
import { CountersignError } from '../../../lib/errors.ts'
import { VerificationService } from '../../../schema/verification-service.ts'
import { SERVICE_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /verification-services/{id} (specification 4.4). */
export const readVerificationService = route({
  operationId: 'readVerificationService',
  method: 'GET',
  path: '/api/verification-services/:id',
  summary: 'Read one verification service.',
  auth: 'none',
  scopes: [],
  cacheSeconds: SERVICE_CACHE_SECONDS,
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  responses: { 200: VerificationService },
  errors: ['not_found'],
}).handle(async ({ params }, { verificationServices }) => {
  const found = verificationServices.find(({ id }) => id === params.id)
  if (found === undefined) throw new CountersignError('not_found', 'No verification service has this id.')
  return { status: 200, body: found }
})
