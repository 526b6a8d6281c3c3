import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { CountersignError } from '../../src/lib/errors.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { newAgent, newTransaction, randomAddress, randomHex, transactionOf, verdictOf } from '../storage/fixtures.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
let folder: string
before(async () => {
  server = await startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'countersign-storage-'))
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const DATABASES = {
  'SQLite in memory': async () => undefined,
  'SQLite on disk': async () => `file:${join(folder, 'conformance.db')}`,
  PostgreSQL: () => server.createDatabase(),
} as const

const code = (expected: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof CountersignError, `expected a CountersignError, not ${String(thrown)}`)
  assert.equal(thrown.code, expected)
  return true
}

for (const [name, urlOf] of Object.entries(DATABASES)) {
  describe(name, () => {
    let storage: Storage
    before(async () => {
      storage = await openStorage({ url: await urlOf() })
    })
    after(() => storage.close())

    describe('venue orders', () => {
      it('journals one action a request, and one of each nonce of a signer', async () => {
        const { venueOrders } = storage.stores
        const [one, other] = [await newTransaction(storage), await newTransaction(storage)]
        const signer = randomAddress()
        const action = {
          requestHash: one.requestHash,
          venue: 'hyperliquid',
          signer,
          nonce: 1_700_000_000_000,
          body: '{"a":1}',
        }
        const stored = await venueOrders.insertAction(action)
        assert.deepEqual(stored, { ...action, state: 'signed', error: null })
        await assert.rejects(venueOrders.insertAction({ ...action, nonce: 1 }), code('conflict'))
        await assert.rejects(venueOrders.insertAction({ ...action, requestHash: other.requestHash }), code('conflict'))
        assert.ok((await venueOrders.unsettledActions()).some(({ requestHash }) => requestHash === one.requestHash))
        const advances = [1, 2, 3].map(() => venueOrders.advance(one.requestHash, ['signed'], 'sent'))
        assert.equal((await Promise.all(advances)).filter(Boolean).length, 1)
        assert.ok(await venueOrders.advance(one.requestHash, ['sent'], 'refused', 'no margin'))
        assert.deepEqual(await venueOrders.action(one.requestHash), { ...action, state: 'refused', error: 'no margin' })
      })

      it('hands an open order to one asker at a time, and ends it once', async () => {
        const { venueOrders } = storage.stores
        const { requestHash } = await newTransaction(storage)
        const order = {
          requestHash,
          leg: 0,
          venue: 'hyperliquid',
          account: randomAddress(),
          key: '0x01',
          placeableUntil: 2 ** 45,
        }
        await venueOrders.follow(order)
        await venueOrders.follow({ ...order, key: '0x02' })
        assert.deepEqual(await venueOrders.ofRequest(requestHash), [{ ...order, state: 'open', filled: 0, said: null }])
        const now = await storage.now()
        const taken = await Promise.all([1, 2, 3].map(() => venueOrders.takeDue(now, 50)))
        assert.equal(taken.flat().filter((one) => one.requestHash === requestHash).length, 1)
        assert.ok(!(await venueOrders.takeDue(now, 50)).some((one) => one.requestHash === requestHash))
        await venueOrders.note(requestHash, 0, 'open')
        const ends = await Promise.all([1, 2, 3].map(() => venueOrders.end(requestHash, 0, 'filled', true)))
        assert.equal(ends.filter(Boolean).length, 1)
        assert.deepEqual(await venueOrders.ofRequest(requestHash), [
          { ...order, state: 'ended', filled: 1, said: 'filled' },
        ])
      })
    })

    describe('venue budgets', () => {
      it('let exactly as much through in a minute as is allowed, however many ask', async () => {
        const spend = (budget: string, weight = 20, limit = 200) =>
          storage.transaction(({ venueBudgets }) => venueBudgets.spend(budget, weight, limit))
        const answers = await Promise.all(Array.from({ length: 40 }, () => spend('venue')))
        assert.equal(answers.filter(Boolean).length, 10)
        assert.equal(await spend('venue', 1), false)
        assert.equal(await spend('another'), true)
        assert.equal(await spend('third', 201), false)
        assert.equal(await spend('third', 200), true)
      })
    })

    describe('transaction', () => {
      it('keeps all of the work or none of it', async () => {
        const [kept, undone] = [randomHex(8), randomHex(8)]
        await storage.transaction((stores) => stores.settings.put(kept, 'yes'))
        const failing = storage.transaction(async (stores) => {
          await stores.settings.put(undone, 'yes')
          assert.equal(await stores.settings.get(undone), 'yes')
          throw new RangeError('undo')
        })
        await assert.rejects(failing, RangeError)
        assert.equal(await storage.stores.settings.get(kept), 'yes')
        assert.equal(await storage.stores.settings.get(undone), undefined)
      })

      it('refuses a query beside it instead of waiting for itself, and lets others wait', async () => {
        const beside = (query: () => Promise<unknown>) => assert.rejects(storage.transaction(query), code('internal'))
        await beside(() => storage.stores.settings.get('x'))
        await beside(() =>
          storage.stores.policies.write({ walletAddress: randomAddress(), policy: {}, createdBy: 'x' }),
        )
        await beside(() => storage.transaction(async () => {}))
        const many = Array.from({ length: 30 }, (_, i) =>
          i % 2 ? storage.stores.settings.get('x') : storage.transaction((stores) => stores.settings.get('x')),
        )
        assert.equal((await Promise.all(many)).length, 30)
      })

      it('does not hold a query that is made after it against it', async () => {
        let release = () => {}
        const released = new Promise<void>((resolve) => (release = resolve))
        let later: Promise<unknown> = Promise.resolve()
        await storage.transaction(async () => {
          later = released.then(() => storage.stores.settings.get('x'))
        })
        release()
        assert.equal(await later, undefined)
      })

      it('tells the time inside and outside', async () => {
        const first = await storage.now()
        const inside = await storage.transaction(() => storage.now())
        const last = await storage.now()
        assert.ok(Number.isInteger(first) && first > 1.7e12 && first <= inside && inside <= last)
        await storage.check()
      })
    })

    describe('agents', () => {
      it('are found by id and by address, and one address is one agent', async () => {
        const { agents } = storage.stores
        const address = randomAddress()
        const agent = await agents.create({ name: 'Ada', ethereumAddress: address })
        assert.deepEqual(agent, { id: agent.id, name: 'Ada', ethereumAddress: address, createdAt: agent.createdAt })
        assert.deepEqual(await agents.get(agent.id), agent)
        assert.deepEqual(await agents.byEthereumAddress(address), agent)
        assert.equal(await agents.get('nobody'), undefined)
        await assert.rejects(agents.create({ name: 'Eve', ethereumAddress: address }), code('conflict'))
      })

      it('are listed newest first, each once', async () => {
        const { agents } = storage.stores
        const made: string[] = []
        for (let i = 0; i < 5; i++)
          made.push((await agents.create({ name: `${i}`, ethereumAddress: randomAddress() })).id)
        const first = await agents.list({ limit: 3 })
        const second = await agents.list({ limit: 2, cursor: first.nextCursor ?? undefined })
        const listed = [...first.items, ...second.items].map((agent) => agent.id)
        assert.deepEqual(listed, made.toReversed())
        assert.equal((await agents.list({ limit: 100 })).nextCursor, null)
        for (const cursor of ['', '0', '-1', '1e3', 'x', '1'.repeat(30)]) {
          await assert.rejects(agents.list({ limit: 1, cursor }), code('invalid_request'))
        }
      })
    })

    describe('wallets', () => {
      it('belong to one agent a chain', async () => {
        const { wallets } = storage.stores
        const [{ agentId }, other] = [await newAgent(storage), await newAgent(storage)]
        const address = randomAddress()
        await wallets.register({ address, chainIds: [8453, 1], agentId })
        await wallets.register({ address, chainIds: [1, 999], agentId })
        await wallets.register({ address, chainIds: [137], agentId: other.agentId })
        const taken = wallets.register({ address, chainIds: [10, 999], agentId: other.agentId })
        await assert.rejects(taken, code('conflict'))
        assert.equal(await wallets.ownerOf(address, 999), agentId)
        assert.equal(await wallets.ownerOf(address, 137), other.agentId)
        assert.equal(await wallets.ownerOf(address, 10), undefined)
        const own = (await wallets.ofAgent(agentId)).find((wallet) => wallet.address === address)
        assert.deepEqual(own, { address, chainIds: [1, 999, 8453] })
        await assert.rejects(wallets.register({ address, chainIds: [42161], agentId: 'nobody' }), code('conflict'))
      })

      it('go to exactly one of two agents that register at once', async () => {
        const [a, b] = [await newAgent(storage), await newAgent(storage)]
        const address = randomAddress()
        const race = await Promise.allSettled([
          storage.stores.wallets.register({ address, chainIds: [1, 137, 8453], agentId: a.agentId }),
          storage.stores.wallets.register({ address, chainIds: [8453, 137, 1], agentId: b.agentId }),
        ])
        assert.deepEqual(race.map((one) => one.status).sort(), ['fulfilled', 'rejected'])
        const winner = race[0]?.status === 'fulfilled' ? a.agentId : b.agentId
        for (const chain of [1, 137, 8453]) assert.equal(await storage.stores.wallets.ownerOf(address, chain), winner)
      })

      it('are locked in a transaction, and only when they exist', async () => {
        const { wallet } = await newAgent(storage)
        await storage.transaction((stores) => stores.wallets.lock(wallet))
        await assert.rejects(storage.stores.wallets.lock(wallet), code('internal'))
        const unknown = storage.transaction((stores) => stores.wallets.lock(randomAddress()))
        await assert.rejects(unknown, code('wallet_not_registered'))
      })
    })

    describe('policies', () => {
      it('have versions, of which the last is current', async () => {
        const { policies } = storage.stores
        const walletAddress = randomAddress()
        assert.equal(await policies.current(walletAddress), undefined)
        const first = { walletAddress, policy: { caps: { perTxUsd: 0.1 } }, createdBy: 'key-1' }
        const one = await policies.write({ ...first, ifVersion: 0 })
        assert.deepEqual(one, { ...first, version: 1, createdAt: one.createdAt })
        const two = await policies.write({ walletAddress, policy: {}, createdBy: 'key-2', ifVersion: 1 })
        assert.deepEqual(await policies.current(walletAddress), two)
        assert.deepEqual(await policies.versions(walletAddress), [two, one])
        for (const ifVersion of [0, 1, 3]) {
          await assert.rejects(policies.write({ ...first, ifVersion }), code('precondition_failed'))
        }
      })

      it('are numbered without gap or double when many write at once', async () => {
        const { policies } = storage.stores
        const walletAddress = randomAddress()
        const writing = Array.from({ length: 8 }, () => policies.write({ walletAddress, policy: {}, createdBy: 'x' }))
        const written = (await Promise.all(writing)).map((one) => one.version)
        assert.deepEqual(
          written.toSorted((a, b) => a - b),
          [1, 2, 3, 4, 5, 6, 7, 8],
        )
        const racing = Array.from({ length: 8 }, () =>
          policies.write({ walletAddress, policy: {}, createdBy: 'x', ifVersion: 8 }),
        )
        const won = (await Promise.allSettled(racing)).filter((one) => one.status === 'fulfilled')
        assert.equal(won.length, 1)
        assert.equal((await policies.current(walletAddress))?.version, 9)
      })
    })

    describe('API keys', () => {
      it('work until they are revoked or expire', async () => {
        const { apiKeys } = storage.stores
        const { agentId } = await newAgent(storage)
        const now = await storage.now()
        const make = (expiresAt: number | null) => {
          const digest = randomHex(32)
          const scopes = ['verdicts:create:own'] as const
          const key = { type: 'AGENT', prefix: 'cs_agent_x', agentId, name: null, scopes, expiresAt } as const
          return apiKeys.create({ ...key, digest }).then((made) => ({ ...made, digest }))
        }
        const [lasting, expiring, expired] = [await make(null), await make(now + 60_000), await make(now - 1)]
        const { digest, ...known } = lasting
        assert.deepEqual(await apiKeys.byDigest(digest), known)
        assert.deepEqual(known.scopes, ['verdicts:create:own'])
        assert.equal((await apiKeys.byDigest(expiring.digest))?.id, expiring.id)
        assert.equal(await apiKeys.byDigest(expired.digest), undefined)
        assert.equal(await apiKeys.byDigest(randomHex(32)), undefined)
        assert.equal(await apiKeys.revoke(lasting.id), true)
        assert.equal(await apiKeys.revoke(lasting.id), false)
        assert.equal(await apiKeys.byDigest(digest), undefined)
        const listed = (await apiKeys.list({ limit: 3 })).items
        assert.deepEqual(
          listed.map((key) => key.id),
          [expired.id, expiring.id, lasting.id],
        )
        assert.ok((listed[2]?.revokedAt ?? 0) >= now)
        assert.ok(!JSON.stringify(listed).includes(digest))
      })

      it('know when they were last used, and one digest is one key', async () => {
        const { apiKeys } = storage.stores
        const digest = randomHex(32)
        const key = {
          type: 'ADMIN',
          digest,
          prefix: 'cs_admin_x',
          agentId: null,
          name: 'ops',
          scopes: [],
          expiresAt: null,
        } as const
        const { id, lastUsedAt } = await apiKeys.create(key)
        assert.equal(lastUsedAt, null)
        await apiKeys.touch(id)
        const used = (await apiKeys.byDigest(digest))?.lastUsedAt
        assert.ok(typeof used === 'number' && used <= (await storage.now()))
        await assert.rejects(apiKeys.create(key), code('conflict'))
      })
    })

    describe('transactions', () => {
      it('are given back as they were received', async () => {
        const { agentId, wallet } = await newAgent(storage)
        const odd = { z: 1, a: ['\u0000', '\ud800', '🦊'], n: 0.1, nested: { b: null, a: [1.5e300] } }
        const sent = transactionOf(agentId, wallet, {
          proposedTx: { protocol: 'hyperliquid', z: 1, chainId: 999, a: { y: '0x00', x: ['1.10'] } },
          metadata: odd,
          contextLogs: {},
        })
        const stored = await storage.stores.transactions.insert(sent)
        const { status, report, reportedAt, createdAt, updatedAt, ...same } = stored
        assert.deepEqual(same, sent)
        assert.equal(JSON.stringify(same.proposedTx), JSON.stringify(sent.proposedTx))
        assert.deepEqual([status, report, reportedAt, updatedAt], ['PENDING', null, null, createdAt])
        assert.deepEqual(await storage.stores.transactions.byRequestHash(sent.requestHash), stored)
        assert.equal(await storage.stores.transactions.byRequestHash(randomHex(32)), undefined)
        await assert.rejects(storage.stores.transactions.insert(sent), code('conflict'))
      })

      it('are listed by agent, newest first', async () => {
        const { agentId, wallet } = await newAgent(storage)
        const hashes: string[] = []
        for (let i = 0; i < 4; i++) {
          hashes.push((await storage.stores.transactions.insert(transactionOf(agentId, wallet))).requestHash)
        }
        await newTransaction(storage)
        const { list } = storage.stores.transactions
        const first = await list({ agentId, limit: 3 })
        const rest = await list({ agentId, limit: 3, cursor: first.nextCursor ?? undefined })
        assert.deepEqual(
          [...first.items, ...rest.items].map((one) => one.requestHash),
          hashes.toReversed(),
        )
        assert.equal(rest.nextCursor, null)
        assert.equal((await list({ limit: 5 })).items.length, 5)
      })

      it('are moved by exactly one of those that try', async () => {
        const { requestHash } = await newTransaction(storage)
        const { move, byRequestHash } = storage.stores.transactions
        assert.equal(await move(requestHash, ['APPROVED'], 'EXECUTED'), false)
        const tries = Array.from({ length: 10 }, () => move(requestHash, ['PENDING'], 'APPROVED'))
        assert.equal((await Promise.all(tries)).filter(Boolean).length, 1)
        const report = { txHash: randomHex(32) }
        assert.equal(await move(requestHash, ['APPROVED', 'PENDING'], 'EXECUTED', report), true)
        const moved = await byRequestHash(requestHash)
        assert.deepEqual([moved?.status, moved?.report], ['EXECUTED', report])
        assert.ok((moved?.reportedAt ?? 0) >= (moved?.createdAt ?? Number.NaN))
        assert.equal(await move(randomHex(32), ['PENDING'], 'APPROVED'), false)
      })

      it('are undecided while they are pending without a verdict, oldest first', async () => {
        const [a, b, c, d] = [
          await newTransaction(storage),
          await newTransaction(storage),
          await newTransaction(storage),
          await newTransaction(storage),
        ]
        await storage.stores.verdicts.insert({
          requestHash: b.requestHash,
          verdict: verdictOf('pending'),
          approvedUntil: null,
          receipt: null,
        })
        await storage.stores.transactions.move(c.requestHash, ['PENDING'], 'CANCELLED')
        await storage.stores.undecided.decide([b.requestHash], 'PENDING')
        const undecided = (await storage.stores.undecided.takeUp(1000, 0)).map((one) => one.requestHash)
        assert.deepEqual(undecided.slice(-2), [a.requestHash, d.requestHash])
        assert.equal((await storage.stores.undecided.takeUp(1, 60_000)).length, 1)
      })
    })

    describe('verdicts', () => {
      it('are stored once', async () => {
        const { requestHash } = await newTransaction(storage)
        const sent = {
          requestHash,
          verdict: verdictOf('approved'),
          approvedUntil: 5,
          receipt: null,
        }
        const stored = await storage.stores.verdicts.insert(sent)
        assert.deepEqual(stored, { ...sent, createdAt: stored.createdAt })
        assert.deepEqual(await storage.stores.verdicts.byRequestHash(requestHash), stored)
        const second = { ...sent, verdict: verdictOf('rejected') }
        await assert.rejects(storage.stores.verdicts.insert(second), code('conflict'))
        await assert.rejects(storage.stores.verdicts.insert({ ...sent, requestHash: randomHex(32) }), code('conflict'))
        assert.deepEqual(await storage.stores.verdicts.byRequestHash(requestHash), stored)
      })

      it('stand while their holds do, and from when they were executed', async () => {
        const { approvals, verdicts, transactions, holds, undecided } = storage.stores
        const { requestHash, wallet, chainId } = await newTransaction(storage)
        const now = await storage.now()
        const standing = async (since: number) =>
          (await approvals.standing(wallet, { since, limit: 5 })).map((one) => [one.requestHash, one.executedAt])
        await verdicts.insert({
          requestHash,
          verdict: verdictOf('approved'),
          approvedUntil: now + 60_000,
          receipt: null,
        })
        await undecided.decide([requestHash], 'APPROVED')
        assert.deepEqual(await standing(0), [])
        await holds.take({ requestHash, wallet, microUsd: 1n, expiresAt: now + 60_000 })
        assert.deepEqual(await standing(now + 60_000), [[requestHash, null]])
        const [one] = await approvals.standing(wallet, { since: 0, limit: 5 })
        assert.deepEqual([one?.proposedTx.chainId, one?.verdict.outcome], [chainId, 'approved'])
        // An order that was placed keeps its hold, a transaction has it posted.
        assert.ok(await transactions.move(requestHash, ['APPROVED'], 'EXECUTED'))
        const executedAt = (await approvals.standing(wallet, { since: 0, limit: 5 }))[0]?.executedAt ?? 0
        assert.ok(executedAt >= now)
        assert.deepEqual(
          [await standing(executedAt), await standing(executedAt + 1)],
          [[[requestHash, executedAt]], []],
        )
        assert.ok(await holds.settle(requestHash, 'posted'))
        assert.deepEqual(await standing(0), [[requestHash, executedAt]])
        assert.deepEqual(await standing((await storage.now()) + 1), [])
      })

      it('that ran out or were voided stand no more', async () => {
        const { approvals, verdicts, holds, undecided } = storage.stores
        const now = await storage.now()
        for (const expiresAt of [now - 1, now + 60_000]) {
          const { requestHash, wallet } = await newTransaction(storage)
          await verdicts.insert({
            requestHash,
            verdict: verdictOf('approved'),
            approvedUntil: expiresAt,
            receipt: null,
          })
          await undecided.decide([requestHash], 'APPROVED')
          await holds.take({ requestHash, wallet, microUsd: 1n, expiresAt })
          if (expiresAt > now) await holds.settle(requestHash, 'voided')
          assert.deepEqual(await approvals.standing(wallet, { since: 0, limit: 5 }), [])
          await holds.settle(requestHash, 'expired')
        }
      })

      it('that await a person are followed by one that is decided', async () => {
        const { requestHash, agentId, wallet } = await newTransaction(storage)
        const { verdicts } = storage.stores
        const insert = (outcome: 'pending' | 'rejected') =>
          verdicts.insert({ requestHash, verdict: verdictOf(outcome), approvedUntil: null, receipt: null })
        assert.equal(await verdicts.latestOf(agentId), undefined)
        const pending = await insert('pending')
        assert.deepEqual(await verdicts.byRequestHash(requestHash), pending)
        const decided = await insert('rejected')
        assert.deepEqual(await verdicts.byRequestHash(requestHash), decided)
        assert.deepEqual(await verdicts.latestOf(agentId), decided)
        await assert.rejects(insert('pending'), code('conflict'))
        const next = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
        await verdicts.insert({
          requestHash: next.requestHash,
          verdict: verdictOf('approved'),
          approvedUntil: 1,
          receipt: null,
        })
        assert.equal((await verdicts.latestOf(agentId))?.requestHash, next.requestHash)
      })
    })

    describe('holds', () => {
      it('count while they are held, and once they are posted in the window', async () => {
        const { holds } = storage.stores
        const { agentId, wallet } = await newAgent(storage)
        const now = await storage.now()
        const hold = async (microUsd: bigint, expiresAt = now + 60_000) => {
          const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
          await holds.take({ requestHash, wallet, microUsd, expiresAt })
          return requestHash
        }
        assert.equal(await holds.outflowSince(wallet, 0), 0n)
        const [posted, voided, over] = [await hold(1_000_001n), await hold(20n), await hold(300n, now - 1)]
        assert.equal(await holds.outflowSince(wallet, 0), 1_000_021n)
        assert.equal(await holds.settle(voided, 'voided'), true)
        assert.equal(await holds.settle(posted, 'posted'), true)
        assert.equal(await holds.outflowSince(wallet, now), 1_000_001n)
        assert.equal(await holds.outflowSince(wallet, now + 3_600_000), 0n)
        assert.equal(await holds.keep(over), false)
        assert.equal(await holds.settle(over, 'posted'), true)
        assert.equal(await holds.outflowSince(wallet, now), 1_000_301n)
        assert.equal(await holds.outflowSince(randomAddress(), 0), 0n)
      })

      it('expire when they are due, unless their transaction is signed', async () => {
        const { holds } = storage.stores
        const { agentId, wallet } = await newAgent(storage)
        const now = await storage.now()
        const hold = async (expiresAt: number) => {
          const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
          await holds.take({ requestHash, wallet, microUsd: 1n, expiresAt })
          return requestHash
        }
        const [kept, due, later] = [await hold(now + 50_000), await hold(now + 50_000), await hold(now + 50_001)]
        assert.equal(await storage.transaction((stores) => stores.holds.keep(kept)), true)
        assert.deepEqual(await holds.expireDue(now + 50_000), [due])
        assert.deepEqual(await holds.expireDue(now + 50_000), [])
        assert.equal(await holds.settle(due, 'posted'), false)
        assert.equal(await holds.keep(due), false)
        assert.equal(await holds.keep(randomHex(32)), false)
        assert.equal(await holds.outflowSince(wallet, 0), 2n)
        assert.equal(await holds.settle(later, 'voided'), true)
        assert.equal(await holds.settle(kept, 'posted'), true)
      })

      it('are exact beyond what a JavaScript number holds, and refused beyond what the databases hold', async () => {
        const { holds } = storage.stores
        const { agentId, wallet } = await newAgent(storage)
        const expiresAt = (await storage.now()) + 60_000
        for (const microUsd of [2n ** 60n + 1n, 2n ** 61n + 1n, 1n]) {
          const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
          await holds.take({ requestHash, wallet, microUsd, expiresAt })
          await assert.rejects(holds.take({ requestHash, wallet, microUsd, expiresAt }), code('conflict'))
        }
        assert.equal(await holds.outflowSince(wallet, 0), 2n ** 60n + 2n ** 61n + 3n)
        for (const microUsd of [2n ** 63n, -1n]) {
          const out = holds.take({ requestHash: randomHex(32), wallet, microUsd, expiresAt })
          await assert.rejects(out, code('invalid_request'))
        }
      })
    })

    describe('executions', () => {
      const signed = async (nonce: number, address = randomAddress()) => {
        const { requestHash } = await newTransaction(storage)
        return { requestHash, chainId: 8453, address, nonce, rawTx: randomHex(110), txHash: randomHex(32) }
      }

      it('are journalled once a request and once a nonce', async () => {
        const { executions } = storage.stores
        const sent = await signed(7)
        const stored = await executions.insert(sent)
        const { createdAt } = stored
        assert.deepEqual(stored, {
          ...sent,
          state: 'signed',
          blockNumber: null,
          error: null,
          createdAt,
          updatedAt: createdAt,
        })
        assert.deepEqual(await executions.byRequestHash(sent.requestHash), stored)
        await assert.rejects(executions.insert({ ...sent, nonce: 8 }), code('conflict'))
        await assert.rejects(executions.insert(await signed(7, sent.address)), code('conflict'))
        await executions.insert({ ...(await signed(7, sent.address)), chainId: 1 })
      })

      it('advance by exactly one of those that try, and are unfinished until they are final', async () => {
        const { executions } = storage.stores
        const [a, b] = [await signed(1), await signed(1)]
        await executions.insert(a)
        await executions.insert(b)
        const tries = Array.from({ length: 5 }, () => executions.advance(a.requestHash, ['signed'], 'broadcast'))
        assert.equal((await Promise.all(tries)).filter(Boolean).length, 1)
        assert.equal(await executions.advance(b.requestHash, ['broadcast'], 'mined'), false)
        assert.equal(await executions.advance(b.requestHash, ['signed'], 'dropped', { error: 'nonce too low' }), true)
        assert.equal(
          await executions.advance(a.requestHash, ['signed', 'broadcast'], 'mined', { blockNumber: 21_000_000 }),
          true,
        )
        const open = (await executions.unfinished()).slice(-2)
        assert.deepEqual(
          open.map((one) => [one.requestHash, one.state, one.blockNumber, one.error]),
          [
            [a.requestHash, 'mined', 21_000_000, null],
            [b.requestHash, 'dropped', null, 'nonce too low'],
          ],
        )
        assert.equal(await executions.advance(a.requestHash, ['mined'], 'final'), true)
        assert.equal((await executions.unfinished()).at(-1)?.requestHash, b.requestHash)
        assert.equal(
          (await executions.unfinished()).some((one) => one.requestHash === a.requestHash),
          false,
        )
      })

      it('get each nonce once, and a nonce that was not used again', async () => {
        const account = { chainId: 8453, address: randomAddress(), chainNonce: 5 }
        const next = (chainNonce = 5) =>
          storage.transaction((stores) => stores.executions.nextNonce({ ...account, chainNonce }))
        assert.equal(await next(), 5)
        const many = await Promise.all(Array.from({ length: 8 }, () => next()))
        assert.deepEqual(
          many.toSorted((a, b) => a - b),
          [6, 7, 8, 9, 10, 11, 12, 13],
        )
        const failing = storage.transaction(async (stores) => {
          assert.equal(await stores.executions.nextNonce(account), 14)
          throw new RangeError('not signed')
        })
        await assert.rejects(failing, RangeError)
        assert.equal(await next(), 14)
        assert.equal(await next(40), 40)
        assert.equal(await next(3), 41)
      })
    })

    describe('audit', () => {
      it('is a chain without gap, however many append at once', async () => {
        const { audit } = storage.stores
        const payload = { z: [1, null, { b: '\u0000' }], a: 0.1, left: undefined }
        const first = await audit.append({ kind: 'policy', subject: randomAddress(), payload })
        await Promise.all(
          Array.from({ length: 10 }, (_, i) => audit.append({ kind: 'x', subject: `${i}`, payload: i })),
        )
        const failing = storage.transaction(async (stores) => {
          await stores.audit.append({ kind: 'undone', subject: 'x', payload: null })
          throw new RangeError('undo')
        })
        await assert.rejects(failing, RangeError)
        const rows = (await audit.list({ limit: 11 })).items
        assert.deepEqual(
          rows.map((row) => row.seq),
          Array.from({ length: 11 }, (_, i) => first.seq + 10 - i),
        )
        for (const [i, row] of rows.slice(0, -1).entries()) assert.equal(row.previousHash, rows[i + 1]?.hash)
        const { left: _, ...written } = payload
        assert.deepEqual(rows.at(-1), { ...first, payload: written })
        assert.equal(await audit.verify(), null)
      })
    })

    describe('settings', () => {
      it('are kept by the first who puts them', async () => {
        const { settings } = storage.stores
        const key = randomHex(8)
        assert.equal(await settings.get(key), undefined)
        const put = await Promise.all(Array.from({ length: 6 }, (_, i) => settings.put(key, `${i}`)))
        assert.equal(new Set(put).size, 1)
        assert.equal(await settings.get(key), put[0])
      })
    })
  })
}
