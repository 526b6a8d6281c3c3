import type { Generated } from 'kysely'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { MicroUsd } from '../lib/usd.ts'
import type { TransactionStatus } from '../schema/action.ts'
import type { KeyType } from '../schema/api-key.ts'
import type { PaperTables } from './paper-tables.ts'

/** What became of a hold. Held, then exactly one of the others. */
export type HoldState = 'held' | 'posted' | 'voided' | 'expired'

/** How far a signed transaction got. Signed, broadcast, then mined, reverted or dropped, then final. */
export type ExecutionState = 'signed' | 'broadcast' | 'mined' | 'reverted' | 'dropped' | 'final'

/** A message: it waits, its turn runs, or it is answered. */
export type InboxState = 'waiting' | 'running' | 'done'

/** A message to people: it waits, it is on its way (whether it arrived is not known), it arrived, or it never will. */
export type OutboxState = 'waiting' | 'sending' | 'sent' | 'failed'

/** A question to a person: open, then exactly one of the others. */
export type ConfirmationState = 'open' | 'used' | 'cancelled'

/** How a run of a scheduled skill goes. `skipped`: the one before it was not over. */
export type ScheduleState = 'running' | 'done' | 'failed' | 'skipped'

/** How far a signed action of a venue got: `refused` by the venue, or `placed`. */
export type VenueActionState = 'signed' | 'sent' | 'placed' | 'refused'

/** Where nothing is said: moments are milliseconds of the database's clock, and JSON is kept as text, byte for byte. */
export type Tables = PaperTables & {
  agents: {
    seq: Generated<number>
    id: string
    name: string
    ethereum_address: Address
    created_at: number
  }
  /** One row a wallet: the row that is locked while the wallet's ledger is read and written. */
  wallets: { address: Address; created_at: number }
  wallet_chains: { address: Address; chain_id: number; agent_id: string }
  policies: { wallet_address: Address; version: number; policy: string; created_at: number; created_by: string }
  api_keys: {
    seq: Generated<number>
    id: string
    type: KeyType
    digest: string
    prefix: string
    agent_id: string | null
    /** The integrator that an INTEGRATION key speaks for. */
    app_id: string | null
    /** The signed-in user that a USER key acts for. */
    user_id: string | null
    name: string | null
    scopes: string
    created_at: number
    expires_at: number | null
    last_used_at: number | null
    revoked_at: number | null
  }
  transactions: {
    seq: Generated<number>
    id: string
    request_hash: Hex
    action_hash: Hex
    agent_id: string
    wallet: Address
    chain_id: number
    proposed_tx: string
    description: string
    metadata: string | null
    context_logs: string | null
    principal: string
    status: TransactionStatus
    report: string | null
    reported_at: number | null
    /** Until when a process is at the decision; null once there is a verdict. */
    lease_until: number | null
    created_at: number
    updated_at: number
  }
  /** At most one verdict that awaits a person (`decided` 0) and one that is decided (1) a request. */
  verdicts: {
    seq: Generated<number>
    request_hash: Hex
    decided: 0 | 1
    verdict: string
    approved_until: number | null
    receipt: string | null
    created_at: number
  }
  holds: {
    request_hash: Hex
    wallet: Address
    /** Read as text: an 8-byte integer does not fit a JavaScript number. */
    micro_usd: MicroUsd
    state: HoldState
    expires_at: number | null
    posted_at: number | null
    created_at: number
  }
  /** What was posted of a wallet's holds in a minute since 1970. */
  outflow_minutes: { wallet: Address; minute: number; micro_usd: MicroUsd }
  executions: {
    seq: Generated<number>
    request_hash: Hex
    chain_id: number
    address: Address
    nonce: number
    raw_tx: Hex
    tx_hash: Hex
    state: ExecutionState
    block_number: number | null
    error: string | null
    created_at: number
    updated_at: number
  }
  venue_actions: {
    request_hash: Hex
    venue: string
    signer: Address
    nonce: number
    body: string
    state: VenueActionState
    error: string | null
    created_at: number
    updated_at: number
  }
  venue_orders: {
    request_hash: Hex
    leg: number
    venue: string
    account: Address
    key: string
    placeable_until: number
    state: 'open' | 'ended'
    filled: 0 | 1
    said: string | null
    asked_at: number
  }
  nonces: { chain_id: number; address: Address; next: number }
  audit: { seq: number; previous_hash: Hex; hash: Hex; at: number; kind: string; subject: string; payload: string }
  settings: { key: string; value: string; created_at: number }
  /** A partner. What it submits belongs to an agent of its own, which is in no list of agents. */
  integrators: { seq: Generated<number>; app_id: string; name: string; agent_id: string; created_at: number }
  integrator_wallets: { app_id: string; address: Address; chain_id: number }
  /** `answer` is the text that was answered, kept by whoever had it first. */
  idempotency_keys: {
    app_id: string
    operation: string
    key: string
    body_digest: Hex
    request_hash: Hex
    answer: string | null
    created_at: number
  }
  /** Rows that are locked by name. */
  locks: { name: string }
  /** What an agent did in an hour (ms of its beginning): how often, and for how much. */
  activity: { agent_id: string; hour: number; kind: string; name: string; count: number; micro_usd: MicroUsd }
  /** Up to which row of the audit log a rollup has counted. */
  rollups: { name: string; through: number }
  /** Each slot of a bucket admits one request, again once its last admission is a window old. */
  rate_limits: { bucket: string; slot: number; at: number }
  /** Chain 0 is every chain: the wallet's own key signed. Else a contract on that chain vouched for it. */
  users: { id: string; address: Address; chain_id: number; created_at: number }
  sign_in_nonces: {
    nonce: string
    purpose: string
    wallet: Address | null
    created_at: number
    expires_at: number
    used_at: number | null
  }
  sessions: { id: string; user_id: string; created_at: number; expires_at: number; revoked_at: number | null }
  refresh_tokens: {
    digest: string
    session_id: string
    created_at: number
    expires_at: number
    used_at: number | null
  }
  connections: {
    digest: string
    request_id: string
    client_name: string | null
    scopes: string
    user_id: string | null
    created_at: number
    expires_at: number
    decided_at: number | null
    delivered_at: number | null
  }
  oauth_records: {
    model: string
    id: string
    payload: string
    grant_id: string | null
    uid: string | null
    expires_at: number | null
    consumed_at: number | null
  }
  token_keys: { id: string; jwk: string; created_at: number }
  /** One turn of a conversation with an agent: its messages as JSON. */
  exchanges: { seq: Generated<number>; conversation: string; agent_id: string; messages: string; created_at: number }
  /** What the exchanges said that were put away. */
  summaries: { conversation: string; agent_id: string; summary: string; created_at: number }
  /** Times that they are told are in this zone. */
  people: { person: string; time_zone: string; updated_at: number }
  facts: { seq: Generated<number>; person: string; fact: string; created_at: number }
  /** `day` is YYYY-MM-DD of the database's clock in UTC. */
  model_usage: {
    agent_id: string
    conversation: string
    day: string
    calls: number
    tokens: number
    micro_usd: number
  }
  /** One row a slot of a scheduled skill: who inserts it, runs it. */
  schedule_runs: {
    skill: string
    slot: number
    state: ScheduleState
    detail: string | null
    started_at: number
    /** Told now and then while it runs: one that is silent has ended with its process. */
    alive_at: number
    ended_at: number | null
  }
  /** What people wrote, each once a platform's id. `owner` is the process that answers it. */
  inbox: {
    seq: Generated<number>
    channel: string
    account: string
    message_id: string
    conversation: string
    message: string | null
    state: InboxState
    owner: string
    attempts: number
    created_at: number
  }
  /** What goes out. `turn` is the inbox row that it answers. */
  outbox: {
    key: string
    turn: number | null
    channel: string
    account: string
    conversation: string
    body: string
    state: OutboxState
    platform_id: string | null
    created_at: number
  }
  confirmations: {
    id: string
    kind: 'execute' | 'review'
    steps: string
    channel: string
    account: string
    conversation: string
    person: string
    state: ConfirmationState
    used_by: string | null
    expires_at: number
    created_at: number
  }
  pairings: {
    channel: string
    account: string
    sender: string
    code: string
    approved_by: string | null
    expires_at: number
    created_at: number
  }
  leases: { name: string; holder: string; expires_at: number }
  /** What all processes together asked of a venue in the last minute. */
  venue_budgets: { name: string; spent: string }
  bookmarks: { channel: string; account: string; conversation: string; last_id: string }
  switches: { name: string; thrown_by: string | null; thrown_at: number | null }
}
