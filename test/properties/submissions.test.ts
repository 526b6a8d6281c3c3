// The same operations from several processes at once: on SQLite one connection takes them in turn, on PostgreSQL they
// come through three pools.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Address } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { actionHashOf, requestHashOf } from '../../src/policy/action-hash.ts'
import type { Principal } from '../../src/policy/index.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { requestOf, sourcesFor, TX_HASH } from '../policy/operations/service.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { decoded, FRIEND, transfer, USDC } from '../support/actions.ts'
import { startService } from '../support/app.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { volume } from '../support/volume.ts'

type Service = Awaited<ReturnType<typeof startService>>

const CAP_USD = 1_000
const POLICY: Policy = { recipients: { allow: [FRIEND] }, caps: { outflow24hUsd: CAP_USD } }
const sources = sourcesFor(decoded(transfer(USDC, FRIEND, 1n)))

type Database = Readonly<{ open(): Promise<TestPostgres | undefined>; replicas: number }>

const DATABASES: Readonly<Record<string, Database>> = {
  'SQLite in memory': { open: async () => undefined, replicas: 1 },
  'PostgreSQL through three pools': { open: startPostgres, replicas: 3 },
}
const RUNS = 6

for (const [name, { open, replicas }] of Object.entries(DATABASES))
  describe(`at once on ${name}`, () => {
    let server: TestPostgres | undefined
    let services: readonly Service[] = []
    before(async () => {
      server = await open()
      const databaseUrl = await server?.createDatabase()
      services = await Promise.all(
        Array.from({ length: replicas }, () =>
          startService({ sources, ...(databaseUrl !== undefined && { databaseUrl }) }),
        ),
      )
    })
    after(async () => {
      await Promise.all(services.map((service) => service.close()))
      await server?.stop()
    })

    const replica = (i: number): Service => {
      const service = services[i % replicas]
      assert.ok(service)
      return service
    }
    const newWallet = async (policy: Policy = POLICY) => {
      const wallet = randomAddress()
      const principal = await replica(0).agentOf(wallet, [1], policy)
      return { wallet, principal }
    }
    const submit = async (i: number, wallet: Address, principal: Principal, amount: bigint) => {
      const request = requestOf(transfer(USDC, FRIEND, amount), { escrowAddress: wallet })
      const { record, decided } = await replica(i).policy.submit(principal, request)
      return { hash: record.requestHash as Hex, ...(await decided) }
    }
    const outflow = async (wallet: Address) => {
      const { stores, now } = replica(0).storage
      return stores.holds.outflowSince(wallet, (await now()) - 86_400_000)
    }

    it('20 submissions never exceed the limit of 24 hours, and none is refused that fits', async () => {
      const amounts = fc.array(fc.bigInt(1n, 200_000_000n), { minLength: 20, maxLength: 20 })
      const property = fc.asyncProperty(amounts, async (wanted) => {
        const { wallet, principal } = await newWallet()
        const decisions = await Promise.all(wanted.map((amount, i) => submit(i, wallet, principal, amount)))
        const yes = wanted.filter((_, i) => decisions[i]?.verdict.outcome === 'approved')
        const total = yes.reduce((sum, amount) => sum + amount, 0n)
        assert.ok(total <= BigInt(CAP_USD) * 1_000_000n, `${total} approved`)
        assert.equal(await outflow(wallet), total)
        for (const [i, { verdict, approval }] of decisions.entries()) {
          const amount = wanted[i] ?? 0n
          assert.equal(approval !== undefined, verdict.outcome === 'approved')
          if (verdict.outcome === 'approved') continue
          assert.equal(verdict.reasonCode, 'outflow_24h_exceeded')
          assert.ok(total + amount > BigInt(CAP_USD) * 1_000_000n, `${amount} was refused beside ${total}`)
        }
      })
      await fc.assert(property, { seed: 21, numRuns: RUNS })
    })

    it('what was left undecided gets one verdict and one hold, whoever decides it', async () => {
      const { wallet, principal } = await newWallet()
      const { transactions, audit } = replica(0).storage.stores
      const hashes: Hex[] = []
      for (let i = 0; i < 5; i++) {
        const proposedTx = transfer(USDC, FRIEND, 10_000_000n)
        const id = crypto.randomUUID()
        const requestHash = requestHashOf({ id, escrowAddress: wallet, proposedTx })
        const agent = { agentId: principal.agentId ?? '', wallet, chainId: 1, principal: {} }
        const words = { description: 'left behind', metadata: undefined, contextLogs: undefined }
        await transactions.insert({
          id,
          requestHash,
          actionHash: actionHashOf(proposedTx),
          proposedTx,
          ...agent,
          ...words,
        })
        hashes.push(requestHash)
      }
      await Promise.all(Array.from({ length: 6 }, (_, i) => replica(i).policy.decideUndecided()))
      assert.equal(await outflow(wallet), 50_000_000n)
      const { items } = await audit.list({ limit: 10_000 })
      for (const hash of hashes) {
        assert.equal(items.filter(({ subject }) => subject === hash).length, 1)
        const readings = await Promise.all([0, 1, 2].map((i) => replica(i).policy.readVerdict(principal, hash)))
        assert.equal(new Set(readings.map((reading) => JSON.stringify(reading))).size, 1)
        assert.equal(readings[0]?.verdict?.outcome, 'approved')
      }
    })

    it('an approval has one end, whoever races for it', async () => {
      const acts = {
        cancel: (i: number, who: Principal, hash: Hex) => replica(i).policy.cancel(who, hash),
        reportAnother: (i: number, who: Principal, hash: Hex) =>
          replica(i).policy.reportExecution(who, hash, { txHash: `0x${'ee'.repeat(32)}` }),
        report: (i: number, who: Principal, hash: Hex) =>
          replica(i).policy.reportExecution(who, hash, { txHash: TX_HASH }),
        expire: async (i: number) => {
          const { storage } = replica(i)
          const late = await startService({ storage: { ...storage, now: async () => (await storage.now()) + 121_000 } })
          return late.policy.expireApprovals()
        },
      } as const
      const kinds = Object.keys(acts) as (keyof typeof acts)[]
      const ends: string[] = []
      const property = fc.asyncProperty(
        fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 8 }),
        async (tried) => {
          const { wallet, principal } = await newWallet()
          const { hash } = await submit(0, wallet, principal, 10_000_000n)
          const races = await Promise.allSettled(tried.map((kind, i) => acts[kind](i, principal, hash)))
          const status = (await replica(0).storage.stores.transactions.byRequestHash(hash))?.status ?? ''
          ends.push(status)
          const won = new Set(tried.filter((kind, i) => kind !== 'expire' && races[i]?.status === 'fulfilled'))
          const winners: Readonly<Record<string, readonly string[]>> = {
            CANCELLED: ['cancel'],
            EXECUTED: ['report', 'reportAnother'],
            EXPIRED: [],
          }
          // Who wins may win several times over with the same word; two words never win together.
          const may = winners[status] ?? []
          const said = `${status} after ${tried.join(', ')}: ${JSON.stringify(races)}`
          assert.equal(won.size, may.length === 0 ? 0 : 1, said)
          assert.ok(
            [...won].every((kind) => may.includes(kind)),
            said,
          )
          assert.equal(await outflow(wallet), status === 'EXECUTED' ? 10_000_000n : 0n)
          assert.equal(await replica(1).storage.stores.holds.settle(hash, 'voided'), false)
        },
      )
      await fc.assert(property, { seed: 22, numRuns: volume(60, 5_000) })
      assert.deepEqual([...new Set(ends)].sort(), ['CANCELLED', 'EXECUTED', 'EXPIRED'])
    })

    it('a version of a policy is written once, and every decision rests on one of them', async () => {
      const { wallet, principal } = await newWallet({ recipients: { allow: [FRIEND] } })
      const writes = Array.from({ length: 6 }, (_, i) =>
        replica(i).policy.writePolicy(wallet, { ...POLICY, approvalTtlSeconds: 60 + i }, 'test', 1),
      )
      const decisions = Array.from({ length: 6 }, (_, i) => submit(i, wallet, principal, 1_000_000n))
      const written = await Promise.allSettled(writes)
      assert.equal(written.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const { verdict } of await Promise.all(decisions)) {
        assert.equal(verdict.outcome, 'approved', verdict.humanReason)
        assert.ok(verdict.policyVersion === 1 || verdict.policyVersion === 2)
      }
      const versions = await replica(0).policy.policyVersions(wallet)
      assert.deepEqual(
        versions.map(({ version }) => version),
        [2, 1],
      )
    })

    it('leaves a whole audit log', async () => {
      assert.equal(await replica(0).storage.stores.audit.verify(), null)
    })
  })
