import { PageQuery, pageOf } from '../../../schema/page.ts'
import { UserApiKeyRecord } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** GET /user-api-keys (contract section 8). */
export const listUserApiKeys = route({
  operationId: 'listUserApiKeys',
  method: 'GET',
  path: '/api/user-api-keys',
  summary: 'List your keys, without their text.',
  auth: 'user',
  scopes: ['keys:read:own'],
  query: PageQuery,
  responses: { 200: pageOf(UserApiKeyRecord) },
  errors: [],
}).handle(async ({ query, principal }, { identity }) => ({
  status: 200,
  body: await identity.userKeys.list(principal, query),
}))
