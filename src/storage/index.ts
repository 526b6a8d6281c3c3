export type { Json } from './json.ts'
export { openStorage, type Storage, type StorageOptions } from './open-storage.ts'
export type { Page, PageRequest } from './page.ts'
export type { Count, Happening, Sum } from './stores/activity.ts'
export type { Agent } from './stores/agents.ts'
export type { ApiKey, NewApiKey } from './stores/api-keys.ts'
export type { AuditEntry, AuditRow } from './stores/audit.ts'
export type { Confirmation } from './stores/confirmations.ts'
export type { Connection } from './stores/connections.ts'
export type { Execution, NewExecution } from './stores/executions.ts'
export type { Fact } from './stores/facts.ts'
export type { StoredExchange } from './stores/histories.ts'
export type { NewHold } from './stores/holds.ts'
export type { IdempotencyScope, UsedKey } from './stores/idempotency-keys.ts'
export type { InboxRow } from './stores/inbox.ts'
export type { Integrator } from './stores/integrators.ts'
export type { Pause } from './stores/kill-switch.ts'
export type { Spent } from './stores/model-usage.ts'
export type { OauthRecord } from './stores/oauth-records.ts'
export type { OutboxRow } from './stores/outbox.ts'
export type {
  NewPaperFill,
  PaperAmount,
  PaperDay,
  PaperFill,
  PaperGrant,
  PaperOwner,
  PaperPortfolio,
} from './stores/paper.ts'
export type { NewPolicy, PolicyVersion } from './stores/policies.ts'
export type { Admitted } from './stores/rate-limits.ts'
export type { ScheduleRun } from './stores/schedule-runs.ts'
export type { TokenKey } from './stores/token-keys.ts'
export type { User } from './stores/users.ts'
export type { NewVenueOrder, StoredVenueAction, StoredVenueOrder } from './stores/venue-orders.ts'
export type { NewVerdict, RecordedVerdict, StoredVerdict } from './stores/verdicts.ts'
export type { Stores } from './stores.ts'
export type { ExecutionState, HoldState } from './tables.ts'
export type { ExecutionReport, NewTransaction, StoredTransaction } from './transaction-row.ts'
