// How far trades in pools would be from the pools' prices, by the logs of a trial.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { numberToHex } from 'viem'
import { readPoolImpacts } from '../../src/chain/index.ts'
import type { PoolTrade } from '../../src/chain/pool-trades.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { ok } from '../../src/lib/result.ts'

const MANAGER = toAddress(`0x${'22'.repeat(20)}`)
const LIAR = toAddress(`0x${'66'.repeat(20)}`)
const ID = `0x${'ab'.repeat(32)}` as const
const Q96 = 2n ** 96n
const block = { number: 1n, timestamp: 1, baseFeePerGas: 0n }
/** Every pool stands at a price of 1. */
const chain = { readMany: async () => ({ block, results: [ok(numberToHex(Q96, { size: 32 }))] }) }

const trade = (pool: typeof MANAGER, got: bigint, sqrtPriceAfter: bigint, id: Hex = ID): PoolTrade => ({
  kind: 'v4',
  pool,
  id,
  paid: 100n,
  got,
  zeroForOne: true,
  sqrtPriceAfter,
  feePips: 0,
})

it('a trade in a pool is measured by the logs of its own manager, whoever else writes of a pool of that id', async () => {
  const real = trade(MANAGER, 25n, Q96 / 2n)
  assert.deepEqual(await readPoolImpacts(chain, [real]), [{ pool: ID, impactBps: 7_500 }])
  const impacts = await readPoolImpacts(chain, [trade(LIAR, 100n, Q96 / 2n), real])
  assert.deepEqual(
    impacts.map(({ impactBps }) => impactBps),
    [0, 7_500],
  )
})

it('the node is not asked of more pools than an honest trade has', async () => {
  let asked = 0
  const counting = { readMany: () => ((asked += 1), chain.readMany()) }
  const trades = Array.from({ length: 33 }, (_, i) => trade(LIAR, 100n, Q96, numberToHex(i + 1, { size: 32 })))
  assert.deepEqual(await readPoolImpacts(counting, trades), [{ pool: numberToHex(1, { size: 32 }), impactBps: null }])
  assert.equal(asked, 0)
})
