import { z } from 'zod'
import { Address, ChainId, Hex, Text, Timestamp } from './primitives.ts'
import { Scope } from './scope.ts'

/** A signed-in person: their id, and the wallet that they proved. */
export const User = z.strictObject({ id: z.string(), ethereumAddress: Address }).meta({ id: 'User' })

/** Answer of `GET /auth/me`. `chainId` names the one chain on which a contract vouched for the wallet; null is every chain. */
export const SignedInUser = z
  .strictObject({
    id: z.string(),
    ethereumAddress: Address,
    chainId: ChainId.nullable(),
    scopes: z.array(Scope).readonly(),
  })
  .meta({ id: 'SignedInUser' })

/** Body of `POST /auth/siwe/nonce`. With a wallet the nonce serves that wallet only. */
export const NonceRequest = z.strictObject({ walletAddress: Address.optional() }).meta({ id: 'NonceRequest' })

/** A nonce of a sign-in message. */
export const Nonce = z.strictObject({ nonce: z.string(), expiresAt: Timestamp }).meta({ id: 'Nonce' })

/** Longest signature that a contract account may take, in hex digits. */
const SIGNATURE_DIGITS = 16_384

/** A message of EIP-4361 and its signature, as they came. */
export const SignedMessage = z
  .strictObject({ message: Text.min(1).max(4_096), signature: Hex.refine((hex) => hex.length <= SIGNATURE_DIGITS) })
  .meta({ id: 'SignedMessage' })

/** Tokens of a session (contract section 8). `expiresIn` is in seconds. */
export const SessionTokens = z
  .strictObject({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().positive(),
    user: User,
  })
  .meta({ id: 'SessionTokens' })

/** A refresh token. Empty texts and what programs write for none are no tokens. */
export const RefreshToken = z.string().min(1).max(256)

/** Body of `POST /user-api-keys`. */
export const NewUserApiKey = z
  .strictObject({
    name: Text.min(1).max(128).optional(),
    scopes: z.array(Scope).min(1).readonly().optional(),
    expiresAt: Timestamp.optional(),
  })
  .meta({ id: 'NewUserApiKey' })
export type NewUserApiKey = z.output<typeof NewUserApiKey>

const PARTS = {
  id: z.string(),
  name: z.string().nullable(),
  type: z.literal('USER'),
  scopes: z.array(Scope).readonly(),
  /** First characters of the key, by which people tell keys apart. */
  prefix: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
}

/** The only answer that carries a user's key. */
export const UserApiKey = z.strictObject({ ...PARTS, apiKey: z.string() }).meta({ id: 'UserApiKey' })
export type UserApiKey = z.output<typeof UserApiKey>

/** A user's key, as it is known afterwards. */
export const UserApiKeyRecord = z
  .strictObject({ ...PARTS, lastUsedAt: Timestamp.nullable(), revokedAt: Timestamp.nullable() })
  .meta({ id: 'UserApiKeyRecord' })
export type UserApiKeyRecord = z.output<typeof UserApiKeyRecord>

/** Body of `POST /auth/connect/initiate`: how the program calls itself, and what it wants to do. */
export const ConnectionStart = z
  .strictObject({
    clientName: Text.min(1).max(64).optional(),
    scopes: z.array(Scope).min(1).readonly().optional(),
  })
  .meta({ id: 'ConnectionStart' })

/** Answer of `POST /auth/connect/initiate` (specification 2.11). */
export const StartedConnection = z
  .strictObject({ code: z.string(), authUrl: z.string(), expiresAt: Timestamp })
  .meta({ id: 'StartedConnection' })

/** Answer of `GET /auth/connect/status` (specification 2.11). */
export const ConnectionStatus = z
  .union([
    z.strictObject({ status: z.literal('pending') }),
    z.strictObject({ status: z.literal('ready'), apiKey: z.string(), walletAddress: Address }),
  ])
  .meta({ id: 'ConnectionStatus' })

/** What a person is asked to approve. */
export const PendingConnection = z
  .strictObject({
    requestId: z.string(),
    clientName: z.string().nullable(),
    scopes: z.array(Scope).readonly(),
    /** The scopes in words. */
    rights: z.array(z.string()).readonly(),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'PendingConnection' })

/** Which wallet, on which chain, is to sign. */
export const MessageRequest = z
  .strictObject({ walletAddress: Address, chainId: ChainId })
  .meta({ id: 'SignInMessageRequest' })

/** A message to sign exactly as it is. */
export const MessageToSign = z.strictObject({ message: z.string() }).meta({ id: 'MessageToSign' })
