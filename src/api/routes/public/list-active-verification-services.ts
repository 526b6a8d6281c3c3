import { z } from 'zod'
import { VerificationService } from '../../../schema/verification-service.ts'
import { SERVICE_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /verification-services/active (specification 4.4). */
export const listActiveVerificationServices = route({
  operationId: 'listActiveVerificationServices',
  method: 'GET',
  path: '/api/verification-services/active',
  summary: 'List the verification services that are active.',
  auth: 'none',
  scopes: [],
  cacheSeconds: SERVICE_CACHE_SECONDS,
  responses: { 200: z.strictObject({ items: z.array(VerificationService).readonly(), nextCursor: z.null() }) },
  errors: [],
}).handle(async (_, { verificationServices }) => ({
  status: 200,
  body: { items: verificationServices.filter(({ active }) => active), nextCursor: null },
}))
