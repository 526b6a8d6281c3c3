import type { Database } from './database.ts'
import { activity } from './stores/activity.ts'
import { agents } from './stores/agents.ts'
import { apiKeys } from './stores/api-keys.ts'
import { approvals } from './stores/approvals.ts'
import { audit } from './stores/audit.ts'
import { bookmarks } from './stores/bookmarks.ts'
import { confirmations } from './stores/confirmations.ts'
import { connections } from './stores/connections.ts'
import { executions } from './stores/executions.ts'
import { facts } from './stores/facts.ts'
import { histories } from './stores/histories.ts'
import { holds } from './stores/holds.ts'
import { idempotencyKeys } from './stores/idempotency-keys.ts'
import { inbox } from './stores/inbox.ts'
import { integrators } from './stores/integrators.ts'
import { killSwitch } from './stores/kill-switch.ts'
import { leases } from './stores/leases.ts'
import { modelUsage } from './stores/model-usage.ts'
import { oauthRecords } from './stores/oauth-records.ts'
import { outbox } from './stores/outbox.ts'
import { pairings } from './stores/pairings.ts'
import { paper } from './stores/paper.ts'
import { people } from './stores/people.ts'
import { policies } from './stores/policies.ts'
import { rateLimits } from './stores/rate-limits.ts'
import { scheduleRuns } from './stores/schedule-runs.ts'
import { sessions } from './stores/sessions.ts'
import { settings } from './stores/settings.ts'
import { signInNonces } from './stores/sign-in-nonces.ts'
import { tokenKeys } from './stores/token-keys.ts'
import { transactions } from './stores/transactions.ts'
import { undecided } from './stores/undecided.ts'
import { users } from './stores/users.ts'
import { venueBudgets } from './stores/venue-budgets.ts'
import { venueOrders } from './stores/venue-orders.ts'
import { verdicts } from './stores/verdicts.ts'
import { wallets } from './stores/wallets.ts'

/** One store a resource, all over the same connection or transaction. */
export type Stores = ReturnType<typeof createStores>

/** Every store there is, over one database or one transaction. */
export function createStores(database: Database) {
  return {
    agents: agents(database),
    wallets: wallets(database),
    people: people(database),
    policies: policies(database),
    apiKeys: apiKeys(database),
    transactions: transactions(database),
    undecided: undecided(database),
    verdicts: verdicts(database),
    approvals: approvals(database),
    holds: holds(database),
    executions: executions(database),
    venueOrders: venueOrders(database),
    venueBudgets: venueBudgets(database),
    audit: audit(database),
    settings: settings(database),
    integrators: integrators(database),
    activity: activity(database),
    rateLimits: rateLimits(database),
    idempotencyKeys: idempotencyKeys(database),
    histories: histories(database),
    facts: facts(database),
    modelUsage: modelUsage(database),
    scheduleRuns: scheduleRuns(database),
    users: users(database),
    signInNonces: signInNonces(database),
    sessions: sessions(database),
    connections: connections(database),
    oauthRecords: oauthRecords(database),
    tokenKeys: tokenKeys(database),
    inbox: inbox(database),
    outbox: outbox(database),
    confirmations: confirmations(database),
    pairings: pairings(database),
    paper: paper(database),
    leases: leases(database),
    bookmarks: bookmarks(database),
    killSwitch: killSwitch(database),
  } as const
}
