import { CountersignError } from '../../../lib/errors.ts'
import { SignedInUser } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** GET /auth/me (contract section 8). */
export const readSignedInUser = route({
  operationId: 'readSignedInUser',
  method: 'GET',
  path: '/api/auth/me',
  summary: 'Who is signed in, with which wallet and which scopes.',
  auth: 'user',
  scopes: [
    'transactions:read:own',
    'verdicts:create:own',
    'transactions:create:own',
    'policies:read:own',
    'keys:read:own',
  ],
  responses: { 200: SignedInUser },
  errors: [],
}).handle(async ({ principal: { user, scopes } }) => {
  if (user === undefined) throw new CountersignError('insufficient_scope', 'This key belongs to no signed-in user.')
  const { id, address, chainId } = user
  return { status: 200, body: { id, ethereumAddress: address, chainId, scopes: [...scopes] } }
})
