import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '../auth/index.ts'
import { CountersignError } from '../lib/errors.ts'
import { holds } from '../lib/scopes.ts'
import { bearerOf } from './bearer.ts'
import type { Route } from './route.ts'
import type { Surroundings } from './services.ts'
import { invalid } from './validate.ts'

/**
 * Who is asking, where a route asks for that.
 *
 * @throws CountersignError `unauthenticated`, `insufficient_scope`, or `invalid_request` where two credentials came
 */
export async function authenticate(
  { auth: needed, openWhen, scopes, agentsToo }: Route,
  headers: IncomingHttpHeaders,
  { auth, identity, settings }: Pick<Surroundings, 'auth' | 'identity' | 'settings'>,
): Promise<Principal | undefined> {
  if (needed === 'none' || (openWhen !== undefined && settings[openWhen] === true)) return undefined
  const key = headers['x-api-key']
  if (key !== undefined && headers.authorization !== undefined)
    throw invalid([{ path: 'Authorization', message: 'must not be sent beside x-api-key: send one credential' }])
  const isToken = needed === 'user' && key === undefined
  const principal = isToken
    ? await identity.sessions.authenticate(bearerOf(headers.authorization))
    : await auth.authenticate(Array.isArray(key) ? undefined : key)
  const isAgent = agentsToo === true && principal.type === 'AGENT'
  if (needed === 'user' && principal.user === undefined && !isAgent)
    throw new CountersignError('insufficient_scope', 'This operation is for signed-in users and their USER keys.')
  if (needed === 'integration-key' && (principal.appId === undefined || principal.appId !== headers['x-app-id']))
    throw new CountersignError(
      'unauthenticated',
      'An integrator sends its id in the header x-app-id, and a key of its own in x-api-key.',
    )
  if (needed === 'api-key' && principal.appId !== undefined)
    throw new CountersignError('insufficient_scope', 'A key of an integrator is for /integrator alone.')
  if (needed === 'admin-key' && principal.type !== 'ADMIN')
    throw new CountersignError('insufficient_scope', 'This operation needs an API key of type ADMIN.')
  if (!holds(principal.scopes, scopes))
    throw new CountersignError('insufficient_scope', `This operation needs the scope ${scopes.join(' or ')}.`)
  return principal
}
