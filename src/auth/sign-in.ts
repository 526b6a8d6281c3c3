import { randomBytes } from 'node:crypto'
import type { Chains } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError, type FieldError } from '../lib/errors.ts'
import { type Hex, sha256 } from '../lib/hash.ts'
import { chainOf } from '../registry/index.ts'
import type { Storage } from '../storage/index.ts'
import { composeSiwe, parseSiwe, type SiweMessage, wrongInSiwe } from './siwe-message.ts'
import { voucherOf } from './siwe-signature.ts'
import { type User, userOf } from './user.ts'

/** What a signature is for. A message that was made for one purpose serves no other. */
export type Purpose = 'sign-in' | 'console' | `connect ${string}` | `oauth ${string}`

/** What a person is asked to sign. */
export type MessageRequest = Readonly<{ purpose: Purpose; address: Address; chainId: number; statement: string }>

/** A message and its signature, as they came. */
export type SignedMessage = Readonly<{ message: string; signature: Hex }>

/** Sign-in by a wallet's signature over an EIP-4361 message (specification 5, contract section 8). */
export type SignIn = Readonly<{
  /** A nonce for one message, for one wallet where it is named. */
  nonce(wallet?: Address): Promise<Readonly<{ nonce: string; expiresAt: string }>>
  /** A message to sign, complete. @throws CountersignError `invalid_request` for a chain that is not supported */
  message(request: MessageRequest): Promise<string>
  /**
   * Who signed a message. Its nonce is used up, by exactly one of several at once.
   *
   * @throws CountersignError `invalid_request` for what is no message, `unauthenticated` for one that proves nothing,
   *   `unavailable` where the contract of the wallet could not be asked
   */
  prove(signed: SignedMessage, purpose: Purpose): Promise<User>
}>

type Parts = Readonly<{ storage: Storage; chains: Chains; publicUrl: string }>

const NONCE_TTL_MS = 600_000
const CLOCK_SKEW_MS = 300_000

/** Builds the sign-in. Messages have to name the host of `publicUrl`. */
export function createSignIn({ storage, chains, publicUrl }: Parts): SignIn {
  const { signInNonces, users } = storage.stores
  const origins = originsOf(publicUrl)
  const domains = origins.map((origin) => new URL(origin).host)

  async function proverOf(message: SiweMessage, { message: text, signature }: SignedMessage): Promise<User> {
    const { address, chainId } = message
    const voucher = await voucherOf({ text, signature, address, chainId }, chains)
    // Whoever has signed with a key has one: no contract, and no node that claims to have asked one, speaks for it.
    if (voucher === 'nobody' || (voucher === 'contract' && (await users.find(address, null)) !== undefined))
      throw refused({ path: 'signature', message: 'is not that of the address in the message' })
    return userOf(await users.of(address, voucher === 'key' ? null : chainId))
  }

  return {
    async nonce(wallet) {
      const nonce = newNonce()
      const expiresAt = await signInNonces.give(nonce, 'sign-in', wallet ?? null, NONCE_TTL_MS)
      return { nonce, expiresAt: new Date(expiresAt).toISOString() }
    },

    async message({ purpose, address, chainId, statement }) {
      checkChain(chainId, 'chainId')
      const nonce = newNonce()
      const expiresAt = await signInNonces.give(nonce, boundPurpose(purpose, statement), address, NONCE_TTL_MS)
      const composed = composeSiwe({
        domain: domains[0] ?? '',
        address,
        statement,
        uri: publicUrl,
        version: '1',
        chainId,
        nonce,
        issuedAt: new Date(expiresAt - NONCE_TTL_MS).toISOString(),
        expirationTime: new Date(expiresAt).toISOString(),
      })
      if (!composed.ok) throw new CountersignError('internal', `The message to sign ${composed.reason}.`)
      return composed.value
    },

    async prove(signed, purpose) {
      const parsed = parseSiwe(signed.message)
      if (!parsed.ok) throw invalid({ path: 'message', message: parsed.reason })
      const message = parsed.value
      checkChain(message.chainId, 'message.chainId')
      const now = await storage.now()
      const wrong = wrongInSiwe(message, { domains, origins, now }) ?? staleness(message, now)
      if (wrong !== undefined) throw refused(wrong)
      const { nonce, statement, address: wallet } = message
      const use = { nonce, purpose: boundPurpose(purpose, statement), wallet }
      const spent = refused({ path: 'message.nonce', message: 'must be one that was given for this, and is used once' })
      if (!(await signInNonces.isOpen(use))) throw spent
      const user = await proverOf(message, signed)
      if (!(await signInNonces.use(use))) throw spent
      return user
    },
  }
}

/**
 * What a nonce is kept for. An approval is for its statement too: what the wallet showed is what was approved. Who signs in
 * may compose a message of their own.
 */
function boundPurpose(purpose: Purpose, statement = ''): string {
  return purpose === 'sign-in' ? purpose : `${purpose} ${sha256(statement)}`
}

function newNonce(): string {
  return randomBytes(16).toString('hex')
}

/** Our origin; on this machine it has several names. */
function originsOf(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  const names = ['localhost', '127.0.0.1', '[::1]']
  if (!names.includes(hostname)) return [origin]
  const all = [hostname, ...names.filter((name) => name !== hostname)]
  return all.map((name) => new URL(`${protocol}//${name}${port === '' ? '' : `:${port}`}`).origin)
}

function checkChain(chainId: number, path: string): void {
  if (chainOf(chainId) === undefined) throw invalid({ path, message: 'must be the id of a supported chain' })
}

/** A message is for now: older than any nonce, or from the future, it was not made for this sign-in. */
function staleness({ issuedAt }: SiweMessage, now: number): FieldError | undefined {
  const path = 'message.issuedAt'
  if (issuedAt > now + CLOCK_SKEW_MS) return { path, message: 'lies in the future' }
  if (issuedAt < now - NONCE_TTL_MS - CLOCK_SKEW_MS) return { path, message: 'is too long ago' }
  return undefined
}

function invalid(wrong: FieldError): CountersignError {
  return new CountersignError('invalid_request', `${wrong.path}: ${wrong.message}`, { fields: [wrong] })
}

function refused(wrong: FieldError): CountersignError {
  return new CountersignError('unauthenticated', `The sign-in was refused. ${wrong.path} ${wrong.message}.`, {
    fields: [wrong],
  })
}
