// What is decided together: one of a batch that cannot be stored, or not yet, costs those beside it nothing.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CountersignError } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Attestor } from '../../src/policy/attestor.ts'
import { prepare } from '../../src/policy/decide.ts'
import type { Stored, Undecided } from '../../src/policy/store-decisions.ts'
import { draftOf } from '../../src/policy/submission.ts'
import { workOf } from '../../src/policy/work.ts'
import type { Policy } from '../../src/schema/policy.ts'
import type { Storage } from '../../src/storage/index.ts'
import { auditOf, openService, outflow, POLICY, requestOf, sourcesFor } from '../policy/operations/service.ts'
import { decoded, swap, transfer, USDC, unavailable, WALLET } from '../support/actions.ts'
import { attestor } from '../support/attestor.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

type Service = Awaited<ReturnType<typeof openService>>

const BY = { decision: 'APPROVED', analysis: 'Agreed.', by: 'a person' } as const
const HUNDRED = 100_000_000n

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const DATABASES = { 'SQLite in memory': async () => undefined, PostgreSQL: () => server.createDatabase() } as const

const outcomeOf = (stored: Stored | undefined) =>
  stored instanceof CountersignError ? stored.code : typeof stored === 'object' ? stored.verdict.outcome : stored

for (const [name, urlOf] of Object.entries(DATABASES))
  describe(`a batch on ${name}`, () => {
    let service: Service
    const open = async (policy: Policy = POLICY, change: Partial<Readonly<{ storage: Storage }>> = {}) => {
      await service?.close()
      const databaseUrl = await urlOf()
      service = await openService({ ...(databaseUrl !== undefined && { databaseUrl }), ...change }, policy)
    }
    after(() => service?.close())

    const work = (change: Partial<Readonly<{ storage: Storage; attestor: Attestor }>> = {}) => {
      const { storage } = service
      const sources = sourcesFor(decoded(swap()))
      return workOf({ storage, sources, log: silentLog, attestor, approvalTtlSeconds: 120, ...change })
    }
    const draft = (change: object = {}) =>
      draftOf(requestOf(swap(), change), service.principal.agentId ?? '', service.principal)
    const submitted = async (by: ReturnType<typeof work>): Promise<Undecided> => {
      const transaction = await by.keep(draft())
      return { transaction, ...(await prepare(by, transaction)), review: null, isNew: true }
    }
    const hashes = (list: readonly Undecided[]) => list.map(({ transaction }) => transaction.requestHash)
    const verdicts = async (list: readonly Undecided[]) => {
      const found = await service.storage.stores.verdicts.byRequestHashes(hashes(list))
      return hashes(list).map((hash) => found.get(hash)?.verdict.outcome)
    }

    it('leaves a review held for which a fact is missing, and decides the others', async () => {
      await open({ ...POLICY, review: { aboveUsd: 50 } })
      const own = work()
      const held = [await submitted(own), await submitted(own), await submitted(own)]
      assert.deepEqual((await Promise.all(held.map(own.store))).map(outcomeOf), ['pending', 'pending', 'pending'])
      const reviewed = held.map((one): Undecided => ({ ...one, review: BY, isNew: false }))
      const blind = reviewed.map((one, i) =>
        i === 1 ? { ...one, facts: { ...one.facts, sanctions: unavailable('sanctions') } } : one,
      )
      const words = await Promise.all(blind.map(own.store))
      assert.deepEqual(words.map(outcomeOf), ['approved', 'unavailable', 'approved'])
      assert.deepEqual(await verdicts(held), ['approved', 'pending', 'approved'])
      assert.equal(await outflow(service.storage), 2n * HUNDRED)
      const [, waiting] = reviewed
      assert.ok(waiting)
      assert.equal(outcomeOf(await own.store(waiting)), 'approved')
    })

    it('says of one that its policy changed, and decides the others by the current one', async () => {
      await open()
      const own = work()
      const old = await submitted(own)
      await service.policy.writePolicy(WALLET, { ...POLICY, approvalTtlSeconds: 60 }, 'test')
      const fresh = work()
      const [one, two] = [await submitted(fresh), await submitted(fresh)]
      const batch = [one, old, two]
      assert.deepEqual((await Promise.all(batch.map(own.store))).map(outcomeOf), [
        'approved',
        'policy changed',
        'approved',
      ])
      assert.deepEqual(await verdicts(batch), ['approved', undefined, 'approved'])
      const again = { ...old, ...(await prepare(own, old.transaction)) }
      assert.equal(again.policy?.version, 2, 'the old one is not remembered')
      assert.equal(outcomeOf(await own.store(again)), 'approved')
    })

    it('keeps and decides the others where one cannot be stored', async () => {
      await open()
      const own = work()
      const kept = await Promise.allSettled([draft(), { ...draft(), agentId: 'nobody' }, draft()].map(own.keep))
      assert.deepEqual(
        kept.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.ok(kept[1]?.status === 'rejected' && kept[1].reason instanceof CountersignError)
      assert.equal(kept[1].reason.code, 'conflict')

      const three = [await submitted(own), await submitted(own), await submitted(own)]
      const [, stray] = three
      assert.ok(stray)
      const unsigned = stray.transaction.requestHash
      const forgetful: Attestor = {
        ...attestor,
        sign(receipt) {
          if (receipt.requestHash === unsigned) throw new RangeError('This one cannot be signed.')
          return attestor.sign(receipt)
        },
      }
      const stored = await Promise.all(three.map(work({ attestor: forgetful }).store))
      assert.deepEqual(stored.map(outcomeOf), ['approved', 'internal', 'approved'])
      assert.deepEqual(await verdicts(three), ['approved', undefined, 'approved'])
      assert.equal(await outflow(service.storage), 2n * HUNDRED)
    })

    it('gives one request that is in it twice one verdict and one hold', async () => {
      await open()
      const own = work()
      const [one, two] = [await submitted(own), await submitted(own)]
      const stored = await Promise.all([one, two, one].map((each) => own.store({ ...each })))
      assert.deepEqual(stored.map(outcomeOf), ['approved', 'approved', 'approved'])
      assert.equal(JSON.stringify(stored[0]), JSON.stringify(stored[2]))
      assert.equal(await outflow(service.storage), 2n * HUNDRED)
      assert.deepEqual(await auditOf(service.storage, one.transaction.requestHash), ['submission', 'verdict'])
    })

    it('rejects what no hold can hold', async () => {
      await open({ recipients: { allow: [WALLET, '0x0000000000000000000000000000000000f41e4d'] } })
      const own = work()
      const proposedTx = transfer(USDC, '0x0000000000000000000000000000000000f41e4d', 2n ** 64n)
      const change = { proposedTx }
      const transaction = await own.keep(
        draftOf({ ...requestOf(), ...change }, service.principal.agentId ?? '', service.principal),
      )
      const beyond: Undecided = { transaction, ...(await prepare(own, transaction)), review: null, isNew: true }
      const beside = await submitted(own)
      const stored = await Promise.all([beyond, beside].map(own.store))
      assert.deepEqual(stored.map(outcomeOf), ['rejected', 'approved'])
      assert.ok(typeof stored[0] === 'object' && 'verdict' in stored[0])
      assert.equal(stored[0].verdict.reasonCode, 'outflow_24h_exceeded')
    })

    it('has a whole audit log', async () => {
      assert.equal(await service.storage.stores.audit.verify(), null)
    })
  })
