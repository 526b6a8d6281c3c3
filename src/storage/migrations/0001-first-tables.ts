import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

type Columns = readonly Readonly<[name: string, type: 'text' | 'bigint' | 'smallint', nullable?: 'nullable']>[]

/** Agents, wallets, policies, keys, transactions, verdicts, holds, executions, the audit log and settings. */
export const firstTables = ({ serial }: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const table = (name: string) => db.schema.createTable(name)
    const counted = (name: string) => table(name).addColumn('seq', serial)
    await columns(counted('agents'), AGENTS)
      .addUniqueConstraint('agents_id', ['id'])
      .addUniqueConstraint('agents_address', ['ethereum_address'])
      .execute()
    await columns(table('wallets'), WALLETS).addPrimaryKeyConstraint('wallets_key', ['address']).execute()
    await columns(table('wallet_chains'), WALLET_CHAINS)
      .addPrimaryKeyConstraint('wallet_chains_key', ['address', 'chain_id'])
      .addForeignKeyConstraint('wallet_chains_wallet', ['address'], 'wallets', ['address'])
      .addForeignKeyConstraint('wallet_chains_agent', ['agent_id'], 'agents', ['id'])
      .execute()
    await columns(table('policies'), POLICIES)
      .addPrimaryKeyConstraint('policies_key', ['wallet_address', 'version'])
      .execute()
    await columns(counted('api_keys'), API_KEYS)
      .addUniqueConstraint('api_keys_id', ['id'])
      .addUniqueConstraint('api_keys_digest', ['digest'])
      .addForeignKeyConstraint('api_keys_agent', ['agent_id'], 'agents', ['id'])
      .execute()
    await columns(counted('transactions'), TRANSACTIONS)
      .addUniqueConstraint('transactions_id', ['id'])
      .addUniqueConstraint('transactions_request', ['request_hash'])
      .addForeignKeyConstraint('transactions_agent', ['agent_id'], 'agents', ['id'])
      .execute()
    await columns(counted('verdicts'), VERDICTS)
      .addUniqueConstraint('verdicts_request', ['request_hash', 'decided'])
      .addForeignKeyConstraint('verdicts_transaction', ['request_hash'], 'transactions', ['request_hash'])
      .execute()
    await columns(table('holds'), HOLDS)
      .addPrimaryKeyConstraint('holds_key', ['request_hash'])
      .addForeignKeyConstraint('holds_transaction', ['request_hash'], 'transactions', ['request_hash'])
      .execute()
    await columns(counted('executions'), EXECUTIONS)
      .addUniqueConstraint('executions_request', ['request_hash'])
      .addUniqueConstraint('executions_nonce', ['chain_id', 'address', 'nonce'])
      .addForeignKeyConstraint('executions_transaction', ['request_hash'], 'transactions', ['request_hash'])
      .execute()
    await columns(table('nonces'), NONCES).addPrimaryKeyConstraint('nonces_key', ['chain_id', 'address']).execute()
    await columns(table('audit'), AUDIT).addPrimaryKeyConstraint('audit_key', ['seq']).execute()
    await columns(table('settings'), SETTINGS).addPrimaryKeyConstraint('settings_key', ['key']).execute()
    await indexes(db)
  },
})

async function indexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('wallet_chains_by_agent').on('wallet_chains').column('agent_id').execute()
  await db.schema.createIndex('transactions_by_agent').on('transactions').columns(['agent_id', 'seq']).execute()
  await db.schema.createIndex('transactions_by_status').on('transactions').columns(['status', 'seq']).execute()
  await db.schema.createIndex('holds_by_wallet').on('holds').columns(['wallet', 'state']).execute()
  await db.schema.createIndex('holds_by_state').on('holds').columns(['state', 'expires_at']).execute()
  await db.schema.createIndex('executions_by_state').on('executions').columns(['state', 'seq']).execute()
}

function columns(table: CreateTableBuilder<string>, list: Columns): CreateTableBuilder<string, string> {
  return list.reduce<CreateTableBuilder<string, string>>(
    (built, [name, type, nullable]) => built.addColumn(name, type, (column) => (nullable ? column : column.notNull())),
    table,
  )
}

const AGENTS: Columns = [
  ['id', 'text'],
  ['name', 'text'],
  ['ethereum_address', 'text'],
  ['created_at', 'bigint'],
]
const WALLETS: Columns = [
  ['address', 'text'],
  ['created_at', 'bigint'],
]
const WALLET_CHAINS: Columns = [
  ['address', 'text'],
  ['chain_id', 'bigint'],
  ['agent_id', 'text'],
]
const POLICIES: Columns = [
  ['wallet_address', 'text'],
  ['version', 'bigint'],
  ['policy', 'text'],
  ['created_at', 'bigint'],
  ['created_by', 'text'],
]
const API_KEYS: Columns = [
  ['id', 'text'],
  ['type', 'text'],
  ['digest', 'text'],
  ['prefix', 'text'],
  ['agent_id', 'text', 'nullable'],
  ['name', 'text', 'nullable'],
  ['scopes', 'text'],
  ['created_at', 'bigint'],
  ['expires_at', 'bigint', 'nullable'],
  ['last_used_at', 'bigint', 'nullable'],
  ['revoked_at', 'bigint', 'nullable'],
]
const TRANSACTIONS: Columns = [
  ['id', 'text'],
  ['request_hash', 'text'],
  ['action_hash', 'text'],
  ['agent_id', 'text'],
  ['wallet', 'text'],
  ['chain_id', 'bigint'],
  ['proposed_tx', 'text'],
  ['description', 'text'],
  ['metadata', 'text', 'nullable'],
  ['context_logs', 'text', 'nullable'],
  ['principal', 'text'],
  ['status', 'text'],
  ['report', 'text', 'nullable'],
  ['reported_at', 'bigint', 'nullable'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
]
const VERDICTS: Columns = [
  ['request_hash', 'text'],
  ['decided', 'smallint'],
  ['verdict', 'text'],
  ['approved_until', 'bigint', 'nullable'],
  ['created_at', 'bigint'],
]
const HOLDS: Columns = [
  ['request_hash', 'text'],
  ['wallet', 'text'],
  ['micro_usd', 'bigint'],
  ['state', 'text'],
  ['expires_at', 'bigint', 'nullable'],
  ['posted_at', 'bigint', 'nullable'],
  ['created_at', 'bigint'],
]
const EXECUTIONS: Columns = [
  ['request_hash', 'text'],
  ['chain_id', 'bigint'],
  ['address', 'text'],
  ['nonce', 'bigint'],
  ['raw_tx', 'text'],
  ['tx_hash', 'text'],
  ['state', 'text'],
  ['block_number', 'bigint', 'nullable'],
  ['error', 'text', 'nullable'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
]
const NONCES: Columns = [
  ['chain_id', 'bigint'],
  ['address', 'text'],
  ['next', 'bigint'],
]
const AUDIT: Columns = [
  ['seq', 'bigint'],
  ['previous_hash', 'text'],
  ['hash', 'text'],
  ['at', 'bigint'],
  ['kind', 'text'],
  ['subject', 'text'],
  ['payload', 'text'],
]
const SETTINGS: Columns = [
  ['key', 'text'],
  ['value', 'text'],
  ['created_at', 'bigint'],
]
