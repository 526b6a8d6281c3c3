import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { Database } from '../database.ts'
import type { ExecutionState } from '../tables.ts'

/** A transaction that was signed, to journal before it is broadcast. */
export type NewExecution = Readonly<{
  requestHash: Hex
  chainId: number
  address: Address
  nonce: number
  rawTx: Hex
  txHash: Hex
}>

/** A signed transaction and how far it got. */
export type Execution = NewExecution &
  Readonly<{
    state: ExecutionState
    blockNumber: number | null
    error: string | null
    createdAt: number
    updatedAt: number
  }>

const COLUMNS = [
  'request_hash as requestHash',
  'chain_id as chainId',
  'address',
  'nonce',
  'raw_tx as rawTx',
  'tx_hash as txHash',
  'state',
  'block_number as blockNumber',
  'error',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** All but `final`, named one by one: an index is searched for what is there, and not for what is not. */
const UNFINISHED = ['signed', 'broadcast', 'mined', 'reverted', 'dropped'] as const satisfies readonly ExecutionState[]

/** The journal of signed transactions: what to look up, or send again as it is, after a crash. */
export function executions(database: Database) {
  const { query, dialect } = database
  return {
    /** @throws CountersignError conflict when the request was signed already, or the nonce is another's */
    async insert(execution: NewExecution): Promise<Execution> {
      return query
        .insertInto('executions')
        .values({
          request_hash: execution.requestHash,
          chain_id: execution.chainId,
          address: execution.address,
          nonce: execution.nonce,
          raw_tx: execution.rawTx,
          tx_hash: execution.txHash,
          state: 'signed',
          created_at: dialect.now,
          updated_at: dialect.now,
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
    },

    async byRequestHash(requestHash: Hex): Promise<Execution | undefined> {
      return query.selectFrom('executions').select(COLUMNS).where('request_hash', '=', requestHash).executeTakeFirst()
    },

    /** Whether this call advanced it: of several at once, one does. */
    async advance(
      requestHash: Hex,
      from: readonly ExecutionState[],
      to: ExecutionState,
      detail: Readonly<{ blockNumber?: number; error?: string }> = {},
    ): Promise<boolean> {
      const { blockNumber, error } = detail
      const advanced = await query
        .updateTable('executions')
        .set({
          state: to,
          updated_at: dialect.now,
          ...(blockNumber !== undefined && { block_number: blockNumber }),
          ...(error !== undefined && { error }),
        })
        .where('request_hash', '=', requestHash)
        .where('state', 'in', from)
        .returning('request_hash')
        .executeTakeFirst()
      return advanced !== undefined
    },

    /**
     * Takes back what was signed and never left, so that its nonce is the next one again. Whether this call did. Only
     * while nothing was signed after it.
     */
    withdraw: (requestHash: Hex): Promise<boolean> => withdraw(database, requestHash),

    /** All that are not final yet, oldest first. */
    async unfinished(): Promise<readonly Execution[]> {
      return query.selectFrom('executions').select(COLUMNS).where('state', 'in', UNFINISHED).orderBy('seq').execute()
    },

    /**
     * The nonce to sign with: the next one here or on the chain, whichever is further. It is spent when the transaction
     * commits, and given back when it does not; until then nobody else gets a nonce of this address.
     *
     * @param account.chainNonce the number of transactions that the chain has of the address
     */
    async nextNonce(account: Readonly<{ chainId: number; address: Address; chainNonce: number }>): Promise<number> {
      const { chainId, address, chainNonce } = account
      const { next } = await query
        .insertInto('nonces')
        .values({ chain_id: chainId, address, next: chainNonce + 1 })
        .onConflict((on) =>
          on.columns(['chain_id', 'address']).doUpdateSet((e) => ({
            next: e
              .case()
              .when('nonces.next', '<', e.ref('excluded.next'))
              .then(e.ref('excluded.next'))
              .else(e('nonces.next', '+', 1))
              .end(),
          })),
        )
        .returning('next')
        .executeTakeFirstOrThrow()
      return next - 1
    },
  } as const
}

async function withdraw({ query }: Database, requestHash: Hex): Promise<boolean> {
  const gone = await query
    .deleteFrom('executions')
    .where('request_hash', '=', requestHash)
    .where('state', '=', 'signed')
    .returning(['chain_id', 'address', 'nonce'])
    .executeTakeFirst()
  if (gone === undefined) return false
  await query
    .updateTable('nonces')
    .set({ next: gone.nonce })
    .where('chain_id', '=', gone.chain_id)
    .where('address', '=', gone.address)
    .where('next', '=', gone.nonce + 1)
    .execute()
  return true
}
