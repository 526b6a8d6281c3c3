import { z } from 'zod'
import { route } from '../../route.ts'

/** DELETE /admin/api-keys/{id} (contract section 3). The key is dead at once, on every replica. */
export const revokeApiKey = route({
  operationId: 'revokeApiKey',
  method: 'DELETE',
  path: '/api/admin/api-keys/:id',
  summary: 'Revoke an API key.',
  auth: 'admin-key',
  scopes: ['keys:write:any'],
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  responses: { 204: z.undefined() },
  errors: ['not_found'],
}).handle(async ({ params, principal }, { auth }) => {
  await auth.revokeKey(params.id, principal.keyId)
  return { status: 204, body: undefined }
})
