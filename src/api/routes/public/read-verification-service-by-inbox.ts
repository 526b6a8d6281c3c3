import { z } from 'zod'
import { CountersignError } from '../../../lib/errors.ts'
import { Address } from '../../../schema/primitives.ts'
import { VerificationService } from '../../../schema/verification-service.ts'
import { SERVICE_CACHE_SECONDS } from '../../agent-path.ts'
import { route } from '../../route.ts'

/** GET /verification-services/inbox/{inbox} (specification 4.4). */
export const readVerificationServiceByInbox = route({
  operationId: 'readVerificationServiceByInbox',
  method: 'GET',
  path: '/api/verification-services/inbox/:inbox',
  summary: 'Read the verification service that signs with an address.',
  auth: 'none',
  scopes: [],
  cacheSeconds: SERVICE_CACHE_SECONDS,
  params: z.strictObject({ inbox: Address }),
  responses: { 200: VerificationService },
  errors: ['not_found'],
}).handle(async ({ params }, { verificationServices }) => {
  const found = verificationServices.find(({ inbox }) => inbox === params.inbox)
  if (found === undefined) throw new CountersignError('not_found', 'No verification service has this inbox.')
  return { status: 200, body: found }
})
