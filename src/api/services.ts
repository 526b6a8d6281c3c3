import type { Agents, Auth, Identity, Integrators } from '../auth/index.ts'
import type { PolicyService } from '../policy/index.ts'
import type { VerificationService } from '../schema/verification-service.ts'
import type { Stores } from '../storage/index.ts'
import type { Validator } from '../validation/index.ts'
import type { Metrics } from './metrics.ts'
import type { OpenApi } from './openapi-document.ts'
import type { Limiter } from './rate-limit.ts'

/** How the process is. */
export type HealthService = Readonly<{
  uptimeSeconds(): number
  readiness(): Promise<Readonly<{ ready: boolean; checks: Record<string, { ok: boolean; detail?: string }> }>>
}>

type PolicyOperation =
  | 'submit'
  | 'readVerdict'
  | 'reportExecution'
  | 'cancel'
  | 'readPolicy'
  | 'policyVersions'
  | 'writePolicy'
  | 'readReceipt'
  | 'readOwnPolicy'
  | 'writeOwnPolicy'
  | 'listSubmissions'
  | 'review'
  | 'backtest'
  | 'createVerification'
  | 'readVerification'
  | 'reportVerification'
  | 'cancelVerification'
  | 'readIntegratorPolicy'
  | 'publicAgent'
  | 'publicTransactions'
  | 'publicTransaction'
  | 'agentMetrics'

/** What the routes work with. */
export type Services = Readonly<{
  policy: Pick<PolicyService, PolicyOperation>
  auth: Auth
  agents: Agents
  integrators: Integrators
  /** Sign-in, sessions, connection codes and keys of users. */
  identity: Identity
  /** Counts requests against their limits; without one there are none. */
  limiter?: Limiter | undefined
  verificationServices: readonly VerificationService[]
  metrics: Metrics
  validator: Validator
  /** The audit log, newest first. */
  audit: Pick<Stores['audit'], 'list'>
  health: HealthService
  version: string
}>

/** `publicUrl` is the API's address as clients see it, without a slash at the end. */
export type Settings = Readonly<{ publicUrl: string; validationIsPublic?: boolean }>

/** What a handler is given: the services, and what the server knows of itself. The document is made when it is first asked for. */
export type Surroundings = Services &
  Readonly<{ settings: Settings; endpoints: readonly string[]; document(): OpenApi }>
