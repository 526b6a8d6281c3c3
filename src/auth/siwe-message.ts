import { ParsedMessage } from '@spruceid/siwe-parser'
import { type Address, checksumAddress, toAddress } from '../lib/address.ts'
import type { FieldError } from '../lib/errors.ts'
import { messageOf } from '../lib/errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'

/** A message of EIP-4361 that keeps to its grammar. Moments are milliseconds since 1970. */
export type SiweMessage = Readonly<{
  scheme: string | undefined
  domain: string
  address: Address
  statement: string | undefined
  uri: string
  chainId: number
  nonce: string
  issuedAt: number
  expirationTime: number | undefined
  notBefore: number | undefined
}>

/** Longest message that is read, in characters. */
const MAX_CHARACTERS = 4_096

/** Reads a message strictly by the grammar of EIP-4361. The reason of a refusal repeats nothing of the message. */
export function parseSiwe(text: string): Result<SiweMessage> {
  if (text.length > MAX_CHARACTERS) return refuse(`must have at most ${MAX_CHARACTERS} characters`)
  try {
    return fieldsOf(new ParsedMessage(text))
  } catch (thrown) {
    const line = /max line number was (\d+)/.exec(messageOf(thrown))?.[1]
    return refuse(`is not a message of EIP-4361${line === undefined ? '' : `: it ends to be one at line ${line}`}`)
  }
}

function fieldsOf(parsed: ParsedMessage): Result<SiweMessage> {
  const { scheme, domain, address, statement, uri, chainId, nonce } = parsed
  const issuedAt = Date.parse(parsed.issuedAt)
  const expirationTime = momentOf(parsed.expirationTime)
  const notBefore = momentOf(parsed.notBefore)
  if ([issuedAt, expirationTime, notBefore].some((moment) => moment !== undefined && Number.isNaN(moment)))
    return refuse('names a moment that does not exist')
  if (!Number.isSafeInteger(chainId)) return refuse('names no chain id')
  const wallet = toAddress(address)
  return ok({ scheme, domain, address: wallet, statement, uri, chainId, nonce, issuedAt, expirationTime, notBefore })
}

function momentOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

/** What a message says, before it is text. Moments are written as ISO 8601. */
export type SiweFields = Readonly<{
  domain: string
  address: string
  statement?: string | undefined
  uri: string
  version: string
  chainId: number
  nonce: string
  issuedAt: string
  expirationTime?: string | undefined
  notBefore?: string | undefined
  requestId?: string | undefined
  resources?: readonly string[] | undefined
}>

const REQUIRED = ['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt'] as const

/** Writes a message. What would not be read back by the grammar is refused. */
export function composeSiwe(fields: SiweFields): Result<string> {
  // Text makes a word of everything: a domain `undefined` would be one.
  const missing = REQUIRED.find((name) => fields[name] === undefined)
  if (missing !== undefined) return refuse(`has no ${missing}`)
  const { domain, address, statement, uri, version, chainId, nonce, issuedAt } = fields
  const optional = (name: string, value: string | undefined) => (value === undefined ? [] : [`${name}: ${value}`])
  const text = [
    `${domain} wants you to sign in with your Ethereum account:`,
    /^0x[0-9a-f]{40}$/.test(address) ? checksumAddress(toAddress(address)) : address,
    '',
    ...(statement === undefined ? [] : [statement]),
    '',
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...optional('Expiration Time', fields.expirationTime),
    ...optional('Not Before', fields.notBefore),
    ...optional('Request ID', fields.requestId),
    ...(fields.resources === undefined ? [] : ['Resources:', ...fields.resources.map((uri) => `- ${uri}`)]),
  ].join('\n')
  const parsed = parseSiwe(text)
  return parsed.ok ? ok(text) : parsed
}

/** Where a message has to come from: our own hosts, and their origins. `now` is in milliseconds. */
export type SiweExpectation = Readonly<{ domains: readonly string[]; origins: readonly string[]; now: number }>

/** What is wrong with a message for us, if anything is. */
export function wrongInSiwe(message: SiweMessage, { domains, origins, now }: SiweExpectation): FieldError | undefined {
  const { scheme, domain, uri, expirationTime, notBefore } = message
  const origin = URL.parse(uri)?.origin
  if (!domains.includes(domain)) return wrong('domain', `must be ${domains[0]}`)
  if (scheme !== undefined && !origins.includes(`${scheme}://${domain}`))
    return wrong('scheme', `must be that of ${origins[0]}`)
  if (origin === undefined || !origins.includes(origin)) return wrong('uri', `must be at ${origins[0]}`)
  if (expirationTime !== undefined && now >= expirationTime) return wrong('expirationTime', 'has passed')
  if (notBefore !== undefined && now < notBefore) return wrong('notBefore', 'is still to come')
  return undefined
}

function wrong(field: string, message: string): FieldError {
  return { path: `message.${field}`, message }
}
