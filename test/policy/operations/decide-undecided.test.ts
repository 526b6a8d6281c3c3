import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CountersignError } from '../../../src/lib/errors.ts'
import { actionHashOf, requestHashOf } from '../../../src/policy/action-hash.ts'
import type { AnySource, Principal } from '../../../src/policy/index.ts'
import type { EvmTx } from '../../../src/schema/action.ts'
import type { Storage } from '../../../src/storage/index.ts'
import { decoded, STRANGER, swap, WALLET } from '../../support/actions.ts'
import { startService } from '../../support/app.ts'
import { auditOf, barrier, decide, openService, outflow, POLICY, requestOf, sourcesFor } from './service.ts'

/** A submission as a crash leaves it: stored, and never decided. */
async function leftBehind(storage: Storage, principal: Principal, proposedTx: EvmTx = swap()) {
  const id = crypto.randomUUID()
  const { requestHash } = await storage.stores.transactions.insert({
    id,
    requestHash: requestHashOf({ id, escrowAddress: WALLET, proposedTx }),
    actionHash: actionHashOf(proposedTx),
    agentId: principal.agentId ?? '',
    wallet: WALLET,
    chainId: proposedTx.chainId,
    proposedTx,
    description: 'left behind',
    metadata: undefined,
    contextLogs: undefined,
    principal: { id: principal.id, agentId: principal.agentId },
  })
  return requestHash
}

/** Sources that wait at a barrier before they answer. */
function waiting(wait: () => Promise<void>): readonly AnySource[] {
  return sourcesFor(decoded(swap())).map(
    (source): AnySource =>
      source.fact === 'sanctions'
        ? {
            ...source,
            timeoutMs: 10_000,
            ask: async (question) => {
              await wait()
              return source.ask(question)
            },
          }
        : source,
  )
}

describe('what a crash left undecided', () => {
  it('is decided, each once, oldest first', async () => {
    const { policy, principal, storage, close } = await openService()
    const left = [
      await leftBehind(storage, principal),
      await leftBehind(storage, principal, swap({ to: STRANGER })),
      await leftBehind(storage, principal),
    ]
    assert.equal(await policy.decideUndecided(), 3)
    const verdicts = await Promise.all(left.map((hash) => policy.readVerdict(principal, hash)))
    assert.deepEqual(
      verdicts.map(({ verdict }) => verdict?.reasonCode),
      ['allowed', 'recipient_not_allowed', 'allowed'],
    )
    assert.equal(await outflow(storage), 200_000_000n)
    assert.equal(await policy.decideUndecided(), 0)
    for (const hash of left) assert.deepEqual(await auditOf(storage, hash), ['verdict'])
    await close()
  })

  it('is decided though another one cannot be', async () => {
    const said: object[] = []
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void said.push(fields) }
    const { policy, principal, storage, close } = await openService({ log })
    // A wallet that nobody registered cannot be locked, so nothing about it can be stored.
    const id = crypto.randomUUID()
    const requestHash = requestHashOf({ id, escrowAddress: STRANGER, proposedTx: swap() })
    const stray = {
      id,
      requestHash,
      actionHash: actionHashOf(swap()),
      agentId: principal.agentId ?? '',
      wallet: STRANGER,
    }
    const rest = {
      chainId: 1,
      proposedTx: swap(),
      description: 'x',
      metadata: undefined,
      contextLogs: undefined,
      principal: {},
    }
    await storage.stores.transactions.insert({ ...stray, ...rest })
    const hash = await leftBehind(storage, principal)
    assert.equal(await policy.decideUndecided(), 1)
    assert.equal((await policy.readVerdict(principal, hash)).verdict?.outcome, 'approved')
    assert.deepEqual(said, [{ requestHash, error: 'The wallet is not registered.' }])
    await close()
  })

  it('is decided once by all who decide it at the same time, with one hold', async () => {
    const held = barrier()
    const first = await openService({ sources: waiting(held.wait) })
    const { storage, principal } = first
    const second = await startService({ storage, sources: sourcesFor(decoded(swap())) })
    const hash = await leftBehind(storage, principal)
    const slow = first.policy.decideUndecided()
    await held.arrived
    await storage.stores.undecided.endLeases()
    await Promise.all([second.policy.decideUndecided(), second.policy.decideUndecided()])
    const { verdict } = await second.policy.readVerdict(principal, hash)
    held.open()
    await slow
    assert.deepEqual((await first.policy.readVerdict(principal, hash)).verdict, verdict)
    assert.deepEqual(await auditOf(storage, hash), ['verdict'])
    assert.equal(await outflow(storage), 100_000_000n)
    await first.close()
  })

  it('gives whoever submitted it the decision of whoever was faster', async () => {
    const held = barrier()
    const { policy, principal, storage, close } = await openService({ sources: waiting(held.wait) })
    const other = await startService({ storage, sources: sourcesFor(decoded(swap())) })
    const { record, decided } = await policy.submit(principal, requestOf())
    await held.arrived
    assert.equal(await other.policy.decideUndecided(), 0, 'its own process is at it')
    await storage.stores.undecided.endLeases()
    assert.equal(await other.policy.decideUndecided(), 1)
    held.open()
    const { verdict, approval } = await decided
    assert.deepEqual((await other.policy.readVerdict(principal, record.requestHash)).verdict, verdict)
    assert.equal(approval?.requestHash, record.requestHash)
    assert.deepEqual(await auditOf(storage, record.requestHash), ['submission', 'verdict'])
    await close()
  })
})

describe('a policy that changes while facts are gathered', () => {
  it('is the one that decides, in both directions', async () => {
    for (const [before, after, outcome] of [
      [POLICY, { ...POLICY, caps: { perTxUsd: 99 } }, 'rejected'],
      [{ ...POLICY, caps: { perTxUsd: 99 } }, POLICY, 'approved'],
    ] as const) {
      const held = barrier()
      const { policy, principal, storage, close } = await openService({ sources: waiting(held.wait) }, before)
      const { decided } = await policy.submit(principal, requestOf())
      await held.arrived
      await policy.writePolicy(WALLET, after, 'test')
      held.open()
      const { verdict } = await decided
      assert.deepEqual([verdict.outcome, verdict.policyVersion], [outcome, 2])
      assert.equal(await outflow(storage), outcome === 'approved' ? 100_000_000n : 0n)
      await close()
    }
  })

  it('asks for the facts that the new one needs', async () => {
    const held = barrier()
    const sources = waiting(held.wait)
    const { policy, principal, close } = await openService({ sources }, {})
    const { decided } = await policy.submit(principal, requestOf())
    await held.arrived
    await policy.writePolicy(WALLET, { caps: { outflow24hUsd: 100 } }, 'test')
    held.open()
    const { verdict } = await decided
    assert.deepEqual([verdict.outcome, verdict.policyVersion], ['approved', 2])
    assert.equal((await decide(policy, principal)).verdict.reasonCode, 'outflow_24h_exceeded')
    await close()
  })
})

describe('a store that fails', () => {
  it('approves nothing, and what it could not store is decided later', async () => {
    const { policy, principal, storage, close } = await openService()
    let failing = true
    const faulty: Storage = {
      ...storage,
      transaction: (work) =>
        storage.transaction(async (stores) => {
          const appendTo = async (...[head, entries]: Parameters<typeof stores.audit.appendTo>) => {
            if (failing && entries.some(({ kind }) => kind === 'verdict'))
              throw new CountersignError('unavailable', 'The database did not answer.')
            return stores.audit.appendTo(head, entries)
          }
          return work({ ...stores, audit: { ...stores.audit, appendTo } })
        }),
    }
    const other = await startService({ storage: faulty, sources: sourcesFor(decoded(swap())) })
    const { record, decided } = await other.policy.submit(principal, requestOf())
    await assert.rejects(decided, (thrown) => thrown instanceof CountersignError && thrown.code === 'unavailable')
    assert.deepEqual(await policy.readVerdict(principal, record.requestHash), { verdict: null, review: null })
    assert.equal(await outflow(storage), 0n)
    failing = false
    assert.equal(await other.policy.decideUndecided(), 1)
    assert.equal((await policy.readVerdict(principal, record.requestHash)).verdict?.outcome, 'approved')
    assert.equal(await outflow(storage), 100_000_000n)
    await close()
  })
})
