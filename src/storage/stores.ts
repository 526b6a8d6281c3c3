import type { Database } from './database.ts'
import { agents } from './stores/agents.ts'
import { apiKeys } from './stores/api-keys.ts'
import { audit } from './stores/audit.ts'
import { executions } from './stores/executions.ts'
import { holds } from './stores/holds.ts'
import { policies } from './stores/policies.ts'
import { settings } from './stores/settings.ts'
import { transactions } from './stores/transactions.ts'
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
  } as const
}
