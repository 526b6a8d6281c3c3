import { randomUUID } from 'node:crypto'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { CountersignError } from '../lib/errors.ts'
import type { Storage } from '../storage/index.ts'
import { TOKEN_ALGORITHM, type TokenKeys } from './token-keys.ts'

/** How long an access token lives, in seconds. */
export const ACCESS_SECONDS = 900

/** Three parts of base64url, and no longer than any that we make. */
const JWT = /^[A-Za-z0-9_-]{1,400}\.[A-Za-z0-9_-]{1,1200}\.[A-Za-z0-9_-]{86}$/
const TYPE = 'at+jwt'

type Parts = Readonly<{ storage: Pick<Storage, 'now'>; keys: TokenKeys; publicUrl: string }>

/** Access tokens of sessions: JWTs that the API at `publicUrl` issues for itself (RFC 9068). */
export function createAccessTokens({ storage, keys, publicUrl }: Parts) {
  const keyOf = async (kid: string | undefined) =>
    (await keys.list()).find((key) => key.kid === kid) ?? (await keys.list('fresh')).find((key) => key.kid === kid)
  return {
    async issue(userId: string, sessionId: string): Promise<string> {
      const [key] = await keys.list()
      const now = Math.floor((await storage.now()) / 1000)
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: TYPE, kid: key.kid ?? '' })
        .setIssuer(publicUrl)
        .setAudience(publicUrl)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + ACCESS_SECONDS)
        .sign(await importJWK(key, TOKEN_ALGORITHM))
    },

    /** What a token says. @throws CountersignError `unauthenticated`, the same whatever is wrong with it */
    async read(token: string | undefined): Promise<Readonly<{ userId: string; sessionId: string }>> {
      if (token === undefined || !JWT.test(token)) throw unauthenticated()
      const verifying = async ({ kid }: Readonly<{ kid?: string }>) => {
        const key = await keyOf(kid)
        if (key === undefined) throw unauthenticated()
        const { d: _, ...publicPart } = key
        return importJWK(publicPart, TOKEN_ALGORITHM)
      }
      const currentDate = new Date(await storage.now())
      const names = { issuer: publicUrl, audience: publicUrl, typ: TYPE, algorithms: [TOKEN_ALGORITHM] }
      try {
        const requiredClaims = ['exp', 'sub', 'sid']
        const { payload } = await jwtVerify(token, verifying, { ...names, requiredClaims, currentDate })
        const { sub = '', sid } = payload
        if (typeof sid !== 'string') throw unauthenticated()
        return { userId: sub, sessionId: sid }
      } catch (thrown) {
        if (thrown instanceof CountersignError && thrown.code === 'unavailable') throw thrown
        throw unauthenticated()
      }
    },
  } as const
}

/** The one refusal of every token of a session that is none. */
export function unauthenticated(): CountersignError {
  return new CountersignError('unauthenticated', 'A valid token of a signed-in session is needed.')
}
