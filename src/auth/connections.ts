import { randomBytes } from 'node:crypto'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import { sha256 } from '../lib/hash.ts'
import type { Scope } from '../schema/scope.ts'
import type { Connection, Storage } from '../storage/index.ts'
import type { Auth } from './auth.ts'
import { SCOPES_OF } from './scopes.ts'
import type { User } from './user.ts'

/** What a person is asked to approve. */
export type ConnectionRequest = Readonly<{
  requestId: string
  clientName: string | null
  scopes: readonly Scope[]
  createdAt: string
  expiresAt: string
}>

/** How far a connection code is. The key is delivered once. */
export type ConnectionStatus =
  | Readonly<{ status: 'pending' }>
  | Readonly<{ status: 'ready'; apiKey: string; walletAddress: Address }>

/** The code flow (specification 2.11 and 5): a program asks for a key, and a person approves it in a browser. */
export type Connections = Readonly<{
  /**
   * A code of 32 hex characters, good for 10 minutes, and the name of the request that the person is shown. Whoever
   * sees that name cannot poll with it.
   */
  initiate(
    request: Readonly<{ clientName?: string | undefined; scopes?: readonly Scope[] | undefined }>,
  ): Promise<Readonly<{ code: string; requestId: string; expiresAt: string }>>
  /**
   * How far a code is; the one poll that finds it ready gets the key.
   *
   * @throws CountersignError `not_found` for an unknown code, `gone` once delivered, declined or run out
   */
  status(code: string): Promise<ConnectionStatus>
  /** The request that waits under a name. @throws CountersignError `gone` where there is none, or no longer */
  read(requestId: string): Promise<ConnectionRequest>
  /** Approves a request for a user, or declines it with null. @throws CountersignError `gone` */
  decide(requestId: string, user: User | null): Promise<void>
}>

const TTL_MS = 600_000
/** What a program needs that submits actions and reads what became of them; it gets more only by asking. */
const LEAST: readonly Scope[] = ['verdicts:create:own', 'transactions:read:own', 'policies:read:own']

/** Builds the code flow. */
export function createConnections({ storage, auth }: Readonly<{ storage: Storage; auth: Auth }>): Connections {
  const { connections, users } = storage.stores

  async function deliver(digest: string): Promise<ConnectionStatus | undefined> {
    const delivered = await connections.deliver(digest)
    if (delivered === undefined || delivered.userId === null) return undefined
    const user = await users.get(delivered.userId)
    if (user === undefined) throw new CountersignError('internal', 'A connection was approved by nobody.')
    const { clientName, scopes, requestId } = delivered
    const issuer = { keyId: `connection ${requestId}`, type: 'USER', agentId: null, scopes: SCOPES_OF.USER } as const
    const name = clientName ?? 'Connected by code'
    const { apiKey } = await auth.issueKey({ type: 'USER', userId: user.id, name, scopes }, issuer)
    return { status: 'ready', apiKey, walletAddress: user.address }
  }

  return {
    async initiate({ clientName = null, scopes = LEAST }) {
      const beyond = scopes.findIndex((scope) => !SCOPES_OF.USER.includes(scope))
      if (beyond !== -1) throw wrong(`scopes.${beyond}`, `must be one of ${SCOPES_OF.USER.join(', ')}`)
      const code = randomBytes(16).toString('hex')
      const requestId = randomBytes(16).toString('hex')
      const draft = { digest: sha256(code), requestId, clientName, scopes: [...new Set(scopes)], ttlMs: TTL_MS }
      const { expiresAt } = await connections.create(draft)
      return { code, requestId, expiresAt: new Date(expiresAt).toISOString() }
    },

    async status(code) {
      const digest = sha256(code)
      const ready = await deliver(digest)
      if (ready !== undefined) return ready
      const connection = await connections.byDigest(digest)
      if (connection === undefined) throw new CountersignError('not_found', 'No connection has this code.')
      const end = endOf(connection, await storage.now())
      if (end !== undefined) throw new CountersignError('gone', end)
      return { status: 'pending' }
    },

    async read(requestId) {
      const connection = await connections.undecided(requestId)
      if (connection === undefined) throw gone()
      const { clientName, scopes, createdAt, expiresAt } = connection
      return {
        requestId,
        clientName,
        scopes,
        createdAt: new Date(createdAt).toISOString(),
        expiresAt: new Date(expiresAt).toISOString(),
      }
    },

    async decide(requestId, user) {
      if (!(await connections.decide(requestId, user?.id ?? null))) throw gone()
    },
  }
}

/** Why nothing comes of a code any more. */
function endOf({ expiresAt, decidedAt, deliveredAt, userId }: Connection, now: number): string | undefined {
  if (deliveredAt !== null) return 'The key was delivered already. It is given once.'
  if (decidedAt !== null && userId === null) return 'The connection was declined.'
  return expiresAt <= now ? 'The code has expired. Start again.' : undefined
}

function gone(): CountersignError {
  return new CountersignError('gone', 'This request was answered already, or has expired. Start again.')
}

function wrong(path: string, message: string): CountersignError {
  return new CountersignError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] })
}
