import { randomBytes, randomUUID } from 'node:crypto'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { CountersignError } from '../lib/errors.ts'
import { sha256 } from '../lib/hash.ts'
import type { Storage } from '../storage/index.ts'
import type { Principal } from './principal.ts'
import { SCOPES_OF } from './scopes.ts'
import { TOKEN_ALGORITHM, type TokenKeys } from './token-keys.ts'
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

const ACCESS_SECONDS = 900
const SESSION_MS = 30 * 86_400_000
const REFRESH_TOKEN = /^cs_refresh_[A-Za-z0-9_-]{43}$/
/** Three parts of base64url, and no longer than any that we make. */
const JWT = /^[A-Za-z0-9_-]{1,400}\.[A-Za-z0-9_-]{1,1200}\.[A-Za-z0-9_-]{86}$/

type Parts = Readonly<{ storage: Storage; keys: TokenKeys; publicUrl: string }>
type Claims = Readonly<{ sub: string; sid: string; jti: string }>

/** Builds the sessions. Access tokens are issued by, and for, the API at `publicUrl`. */
export function createSessions({ storage, keys, publicUrl }: Parts): Sessions {
  const { sessions, users } = storage.stores
  const names = { issuer: publicUrl, audience: publicUrl } as const

  async function tokensFor(user: User, sessionId: string): Promise<Tokens> {
    const refreshToken = `cs_refresh_${randomBytes(32).toString('base64url')}`
    await sessions.addRefreshToken({ digest: sha256(refreshToken), sessionId, ttlMs: SESSION_MS })
    const [key] = await keys.list()
    const now = Math.floor((await storage.now()) / 1000)
    const accessToken = await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'at+jwt', kid: key.kid ?? '' })
      .setIssuer(names.issuer)
      .setAudience(names.audience)
      .setSubject(user.id)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + ACCESS_SECONDS)
      .sign(await importJWK(key, TOKEN_ALGORITHM))
    return { accessToken, refreshToken, expiresIn: ACCESS_SECONDS }
  }

  async function claimsOf(token: string | undefined): Promise<Claims> {
    if (token === undefined || !JWT.test(token)) throw unauthenticated()
    const find = async (kid: string | undefined, fresh?: 'fresh') =>
      (await keys.list(fresh)).find((key) => key.kid === kid)
    const currentDate = new Date(await storage.now())
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = (await find(kid)) ?? (await find(kid, 'fresh'))
          if (key === undefined) throw unauthenticated()
          const { d: _, ...verifying } = key
          return importJWK(verifying, TOKEN_ALGORITHM)
        },
        { ...names, typ: 'at+jwt', algorithms: [TOKEN_ALGORITHM], requiredClaims: ['exp', 'sub', 'sid'], currentDate },
      )
      const { sub = '', sid, jti = '' } = payload
      if (typeof sid !== 'string') throw unauthenticated()
      return { sub, sid, jti }
    } catch (thrown) {
      if (thrown instanceof CountersignError && thrown.code === 'unavailable') throw thrown
      throw unauthenticated()
    }
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
        : (await claimsOf(token)).sid
      if (sessionId === undefined) throw unauthenticated()
      await sessions.revoke(sessionId)
    },

    async authenticate(accessToken) {
      const { sub, sid } = await claimsOf(accessToken)
      const user = await holderOf(sid, sub)
      return { keyId: `session ${sid}`, type: 'USER', agentId: null, scopes: SCOPES_OF.USER, user }
    },
  }
}

function unauthenticated(): CountersignError {
  return new CountersignError('unauthenticated', 'A valid token of a signed-in session is needed.')
}
