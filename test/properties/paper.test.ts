// The books of a paper portfolio, over generated days: what is held is what there was and what was filled.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, FRIEND, paperWorld, START } from '../support/paper-world.ts'
import { volume } from '../support/volume.ts'

it('nothing is made and nothing is lost: the opening and all fills are what is held', async () => {
  const amount = fc.integer({ min: 1, max: 4_000 }).map((n) => String(n / 10))
  const token = fc.constantFrom('USDC', 'WETH', 'ETH', 'DAI')
  const action = fc.oneof(
    fc.record({
      name: fc.constant('swap'),
      args: fc.record({ sell: token, buy: token, amount, side: fc.constantFrom('exact-in', 'exact-out') }),
    }),
    fc.record({ name: fc.constant('transfer'), args: fc.record({ token, to: fc.constant(FRIEND), amount }) }),
    fc.record({
      name: fc.constantFrom('wrap', 'unwrap'),
      args: fc.record({ amount: fc.constantFrom('0.1', '1', '50%') }),
    }),
    fc.record({
      name: fc.constantFrom('lend_supply', 'lend_withdraw'),
      args: fc.record({ token, amount: fc.oneof(amount, fc.constantFrom('all', '50%')) }),
    }),
    fc.record({ name: fc.constant('day'), args: fc.constant({}) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), async (actions) => {
      const world = await paperWorld({ USDC: '2000', ETH: '2', WETH: '1', DAI: '500' })
      try {
        let day = 0
        for (const { name, args } of actions)
          if (name === 'day') world.moveTo(START + (day = Math.min(day + 1, 3)) * DAY_MS)
          else await world.use(name, args, () => (day % 2 === 0 ? 'chat' : 'schedule dca'))
        const account = await world.paper.account()
        const fills = await world.paper.fills()
        assert.ok(account)
        const expected = new Map<string, bigint>()
        for (const { place, asset, amount: n } of [
          ...account.portfolio.opening,
          ...fills.flatMap(({ flows }) => flows),
        ])
          expected.set(`${place} ${asset}`, (expected.get(`${place} ${asset}`) ?? 0n) + n)
        for (const { place, asset, amount: n } of account.held) {
          assert.equal(n, expected.get(`${place} ${asset}`), `${place} ${asset}`)
          assert.ok(n >= 0n)
          expected.delete(`${place} ${asset}`)
        }
        assert.equal(expected.size, 0)
        const statement = await world.paper.statement()
        assert.ok(statement)
        const made = statement.origins.reduce((sum, { profit }) => sum + profit, 0n)
        const rounded = made - (statement.worth - statement.hold)
        assert.ok(rounded <= 20n && rounded >= -20n, String(rounded))
      } finally {
        await world.close()
      }
    }),
    { numRuns: volume(25, 1_000), seed: 8 },
  )
})
