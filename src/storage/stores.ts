import type { Database } from './database.ts'
import { agents } from './stores/agents.ts'
import { apiKeys } from './stores/api-keys.ts'
import { audit } from './stores/audit.ts'
import { connections } from './stores/connections.ts'
import { executions } from './stores/executions.ts'
import { holds } from './stores/holds.ts'
import { oauthRecords } from './stores/oauth-records.ts'
import { policies } from './stores/policies.ts'
import { sessions } from './stores/sessions.ts'
import { settings } from './stores/settings.ts'
import { signInNonces } from './stores/sign-in-nonces.ts'
import { tokenKeys } from './stores/token-keys.ts'
import { transactions } from './stores/transactions.ts'
import { users } from './stores/users.ts'
import { verdicts } from './stores/verdicts.ts'
import { wallets } from './stores/wallets.ts'

/** One store a resource, all over the same connection or transaction. */
export type Stores = ReturnType<typeof createStores>

/** Every store there is, over one database or one transaction. */
export function createStores(database: Database) {
  return {
    agents: agents(database),
    wallets: wallets(database),
    policies: policies(database),
    apiKeys: apiKeys(database),
    transactions: transactions(database),
    verdicts: verdicts(database),
    holds: holds(database),
    executions: executions(database),
    audit: audit(database),
    settings: settings(database),
    users: users(database),
    signInNonces: signInNonces(database),
    sessions: sessions(database),
    connections: connections(database),
    oauthRecords: oauthRecords(database),
    tokenKeys: tokenKeys(database),
  } as const
}
