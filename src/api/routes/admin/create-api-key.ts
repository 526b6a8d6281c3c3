import { IssuedApiKey, NewApiKey } from '../../../schema/api-key.ts'
import { route } from '../../route.ts'

/** POST /admin/api-keys (contract section 3). The only time that the key is shown. */
export const createApiKey = route({
  operationId: 'createApiKey',
  method: 'POST',
  path: '/api/admin/api-keys',
  summary: 'Issue an API key. Nobody can issue a key that may do more than their own.',
  auth: 'admin-key',
  scopes: ['keys:write:any'],
  body: NewApiKey,
  responses: { 201: IssuedApiKey },
  errors: [],
}).handle(async ({ body, principal }, { auth }) => ({ status: 201, body: await auth.issueKey(body, principal) }))
