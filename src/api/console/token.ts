import { timingSafeEqual } from 'node:crypto'
import { CountersignError } from '../../lib/errors.ts'
import { sha256 } from '../../lib/hash.ts'

/**
 * Refuses a request without the console's token, comparing in constant time.
 *
 * @throws CountersignError `unauthenticated`, the same for a missing, a malformed and a wrong token
 */
export function checkToken(authorization: string | undefined, token: string): void {
  const [, given = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '') ?? []
  if (!timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token))))
    throw new CountersignError(
      'unauthenticated',
      'Send the token of the console as Authorization: Bearer. It stands in the address that the harness printed at its start.',
    )
}
