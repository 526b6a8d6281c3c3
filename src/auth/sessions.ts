import { randomBytes } from 'node:crypto'
import { sha256 } from '../lib/hash.ts'
import type { Storage } from '../storage/index.ts'
import { ACCESS_SECONDS, createAccessTokens, unauthenticated } from './access-token.ts'
import type { Principal } from './principal.ts'
import { SCOPES_OF } from './scopes.ts'
import type { TokenKeys } from './token-keys.ts'
import { type User, userOf } from './user.ts'

/** Tokens of a session. The access token lives for `expiresIn` seconds; the refresh token is good once. */
export type Tokens = Readonly<{ accessToken: string; refreshToken: string; expiresIn: number }>

/** Sessions of signed-in users: short access tokens, and refresh tokens that replace each other (contract section 8). */
export type Sessions = Readonly<{
  open(user: User): Promise<Tokens>
  /**
   * New tokens for a refresh token. Of several at once, one gets them; a token that comes again revokes the session.
   *
   * @throws CountersignError `unauthenticated`
   */
  refresh(refreshToken: string): Promise<Tokens & Readonly<{ user: User }>>
  /**
   * Ends the session of a token of either kind; both are worthless at once.
   *
   * @throws CountersignError `unauthenticated` for what is no token of a session
   */
  end(token: string): Promise<void>
  /** Who holds an access token. @throws CountersignError `unauthenticated`, the same whatever is wrong with it */
  authenticate(accessToken: string | undefined): Promise<Principal>
}>

const SESSION_MS = 30 * 86_400_000
const REFRESH_TOKEN = /^cs_refresh_[A-Za-z0-9_-]{43}$/

type Parts = Readonly<{ storage: Storage; keys: TokenKeys; publicUrl: string }>

/** Builds the sessions. Access tokens are issued by, and for, the API at `publicUrl`. */
export function createSessions({ storage, keys, publicUrl }: Parts): Sessions {
  const { sessions, users } = storage.stores
  const accessTokens = createAccessTokens({ storage, keys, publicUrl })

  async function tokensFor(user: User, sessionId: string): Promise<Tokens> {
    const refreshToken = `cs_refresh_${randomBytes(32).toString('base64url')}`
    await sessions.addRefreshToken({ digest: sha256(refreshToken), sessionId, ttlMs: SESSION_MS })
    return { accessToken: await accessTokens.issue(user.id, sessionId), refreshToken, expiresIn: ACCESS_SECONDS }
  }

  async function holderOf(sessionId: string, userId?: string): Promise<User> {
    const holder = await sessions.userOf(sessionId)
    const row = holder === undefined ? undefined : await users.get(holder)
    if (row === undefined || (userId !== undefined && row.id !== userId)) throw unauthenticated()
    return userOf(row)
  }

  return {
    open: async (user) => tokensFor(user, await sessions.open(user.id, SESSION_MS)),

    async refresh(refreshToken) {
      if (!REFRESH_TOKEN.test(refreshToken)) throw unauthenticated()
      const sessionId = await sessions.useRefreshToken(sha256(refreshToken))
      if (sessionId === undefined) throw unauthenticated()
      const user = await holderOf(sessionId)
      return { ...(await tokensFor(user, sessionId)), user }
    },

    async end(token) {
      const sessionId = REFRESH_TOKEN.test(token)
        ? await sessions.ofRefreshToken(sha256(token))
        : (await accessTokens.read(token)).sessionId
      if (sessionId === undefined) throw unauthenticated()
      await sessions.revoke(sessionId)
    },

    async authenticate(accessToken) {
      const { userId, sessionId } = await accessTokens.read(accessToken)
      const user = await holderOf(sessionId, userId)
      return { keyId: `session ${sessionId}`, type: 'USER', agentId: null, scopes: SCOPES_OF.USER, user }
    },
  }
}
