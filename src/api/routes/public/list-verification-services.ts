import { z } from 'zod'
import { VerificationService } from '../../../schema/verification-service.ts'
import { SERVICE_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /verification-services (specification 4.4). */
export const listVerificationServices = route({
  operationId: 'listVerificationServices',
  method: 'GET',
  path: '/api/verification-services',
  summary: 'List the verification services.',
  auth: 'none',
  scopes: [],
  cacheSeconds: SERVICE_CACHE_SECONDS,
  responses: { 200: z.strictObject({ items: z.array(VerificationService).readonly(), nextCursor: z.null() }) },
  errors: [],
}).handle(async (_, { verificationServices }) => ({
  status: 200,
  body: { items: verificationServices, nextCursor: null },
}))
