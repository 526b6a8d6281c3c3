import { z } from 'zod'
import { route } from '../../route.ts'

/** DELETE /user-api-keys/{id} (contract section 8). The key is dead at once, on every replica. */
export const revokeUserApiKey = route({
  operationId: 'revokeUserApiKey',
  method: 'DELETE',
  path: '/api/user-api-keys/:id',
  summary: 'Revoke one of your keys.',
  auth: 'user',
  scopes: ['keys:write:own'],
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  responses: { 204: z.undefined() },
  errors: ['not_found'],
}).handle(async ({ params, principal }, { identity }) => {
  await identity.userKeys.revoke(params.id, principal)
  return { status: 204, body: undefined }
})
