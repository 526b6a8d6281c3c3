import { NewUserApiKey, UserApiKey } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** POST /user-api-keys (specification 4.3, contract section 8). The only time that the key is shown. */
export const createUserApiKey = route({
  operationId: 'createUserApiKey',
  method: 'POST',
  path: '/api/user-api-keys',
  summary: 'Make a USER key, which acts for the wallet that you signed in with.',
  auth: 'user',
  scopes: ['keys:write:own'],
  body: NewUserApiKey.prefault({}),
  responses: { 201: UserApiKey },
  errors: [],
}).handle(async ({ body, principal }, { identity }) => ({
  status: 201,
  body: await identity.userKeys.issue(body, principal),
}))
