// What the chat relies on, on both databases.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

for (const [name, urlOf] of [
  ['SQLite', async () => undefined],
  ['PostgreSQL', () => server.createDatabase()],
] as const)
  describe(name, () => {
    let storage: Storage
    before(async () => {
      storage = await openStorage({ url: await urlOf() })
    })
    after(() => storage.close())

    const letter = {
      channel: 'c',
      account: 'a',
      messageId: '1',
      conversation: 'x',
      message: { text: 'hi' },
      owner: 'me',
    }

    it('takes a message once, and leaves it to one process', async () => {
      const { inbox } = storage.stores
      const taken = await Promise.all(Array.from({ length: 10 }, () => inbox.take(letter)))
      const [seq = 0] = taken.filter((one) => one !== undefined)
      assert.equal(taken.filter((one) => one !== undefined).length, 1)
      assert.equal(await inbox.begin(seq, 'another'), false)
      assert.equal(await inbox.begin(seq, 'me'), true)
      assert.equal(await inbox.adopt('c', 'a', 'another'), 1)
      assert.equal(await inbox.begin(seq, 'me'), false)
      assert.deepEqual(
        (await inbox.unanswered('another')).map(({ state, attempts, message }) => [state, attempts, message]),
        [['running', 1, { text: 'hi' }]],
      )
      await inbox.finish(seq)
      assert.deepEqual(await inbox.unanswered('another'), [])
      assert.equal(await inbox.take(letter), undefined)
    })

    it('gives a lease to one, until it is given back or runs out', async () => {
      const { leases } = storage.stores
      const taken = await Promise.all(['a', 'b', 'c'].map((holder) => leases.take('bot', holder, 60_000)))
      assert.equal(taken.filter(Boolean).length, 1)
      const holder = ['a', 'b', 'c'][taken.indexOf(true)] ?? ''
      assert.equal(await leases.take('bot', holder, 60_000), true)
      await leases.release('bot', 'nobody')
      assert.equal(await leases.take('bot', 'd', 60_000), false)
      await leases.release('bot', holder)
      assert.equal(await leases.take('bot', 'd', -1), true)
      assert.equal(await leases.take('bot', 'e', 60_000), true)
    })

    it('leaves messages to their process while it lives', async () => {
      const { inbox, leases } = storage.stores
      await leases.take('process living', 'living', 60_000)
      await inbox.take({ ...letter, channel: 'web', messageId: 'w1', owner: 'living' })
      await inbox.take({ ...letter, channel: 'web', messageId: 'w2', owner: 'dead' })
      assert.equal(await inbox.adoptOrphans('web', 'new'), 1)
      assert.deepEqual(
        (await inbox.unanswered('new')).map(({ messageId }) => messageId),
        ['w2'],
      )
    })

    it('has a question answered once, in time, and again only by the same message', async () => {
      const { confirmations } = storage.stores
      const question = {
        kind: 'execute',
        steps: [],
        channel: 'c',
        account: 'a',
        conversation: 'x',
        person: 'p',
      } as const
      const expiresAt = (await storage.now()) + 60_000
      await confirmations.insert({ ...question, id: 'one', expiresAt })
      const answers = await Promise.all(['1', '2', '3'].map((by) => confirmations.answer('one', 'used', by)))
      assert.equal(answers.filter(Boolean).length, 1)
      const by = ['1', '2', '3'][answers.indexOf(true)] ?? ''
      assert.equal(await confirmations.answer('one', 'used', by), true)
      assert.equal(await confirmations.answer('one', 'cancelled', by), false)
      await confirmations.insert({ ...question, id: 'late', expiresAt: (await storage.now()) - 1 })
      assert.equal(await confirmations.answer('late', 'used', '1'), false)
      assert.equal((await confirmations.byId('late'))?.isExpired, true)
      assert.equal(await confirmations.latestOpen('c', 'x', 'p'), undefined)
    })

    it('throws the switch for whoever signs, and waits for who is at it', async () => {
      const { killSwitch } = storage.stores
      assert.equal(await killSwitch.read(), undefined)
      const order: string[] = []
      const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const signing = storage.transaction(async (stores) => {
        assert.equal(await stores.killSwitch.read(), undefined)
        begun.resolve()
        await held.promise
        order.push('signed')
      })
      await begun.promise
      const paused = killSwitch.set('owner').then(() => order.push('paused'))
      setTimeout(held.resolve, 50)
      await Promise.all([signing, paused])
      assert.deepEqual(order, ['signed', 'paused'])
      assert.equal((await killSwitch.read())?.by, 'owner')
      assert.equal(await killSwitch.set('another'), false)
      assert.equal(await killSwitch.set(null), true)
      assert.equal(await killSwitch.read(), undefined)
    })
  })
