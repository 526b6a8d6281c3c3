import { errors } from 'oidc-provider'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** Longest name of a program, in characters: it stands on the consent page, above where the answer goes. */
const LONGEST_NAME = 100

/** What is asked of a client's metadata beyond what the library asks: these members, each by `checkClientMetadata`. */
export const CHECKED_METADATA = ['client_name', 'redirect_uris']

/** @throws InvalidClientMetadata for a long name, and for an address that would carry a code in the clear */
export function checkClientMetadata(name: string, value: unknown): void {
  if (name === 'client_name' && typeof value === 'string' && value.length > LONGEST_NAME)
    throw new errors.InvalidClientMetadata(`client_name must not be longer than ${LONGEST_NAME} characters`)
  if (name === 'redirect_uris' && Array.isArray(value) && value.some(isInTheClear))
    throw new errors.InvalidClientMetadata('redirect_uris must use https, or http on a loopback address')
}

function isInTheClear(uri: unknown): boolean {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  return url?.protocol === 'http:' && !LOOPBACK.includes(url.hostname)
}
