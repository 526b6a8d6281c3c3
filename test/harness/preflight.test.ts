import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetChange } from '../../src/chain/index.ts'
import { covered } from '../../src/harness/preflight.ts'
import type { Address } from '../../src/lib/address.ts'
import { lendingPools, reservesOf, vaultsOf } from '../../src/registry/index.ts'
import type { DecodedLeg } from '../../src/schema/decoded-action.ts'
import { STRANGER, USDC, WALLET } from '../support/actions.ts'

const [pool] = lendingPools(1)
assert.ok(pool)
const reserve = reservesOf(1, pool.pool).find(({ asset }) => asset === USDC)
const [vault] = vaultsOf(1)
assert.ok(reserve && vault)

const leaves = (asset: Address, amount: bigint, to: Address = STRANGER): AssetChange => ({
  asset,
  from: WALLET,
  to,
  amount,
})

function leg(change: Partial<DecodedLeg>): DecodedLeg {
  return {
    protocol: 'aave',
    chainId: 1,
    kind: 'withdraw',
    spends: [],
    receives: [],
    grants: [],
    deadline: null,
    ...change,
  }
}

function position(market: Address, asset: Address, change: Partial<NonNullable<DecodedLeg['positions']>[number]> = {}) {
  return leg({
    positions: [{ market, asset, side: 'supply', change: 'decrease', amount: '100', party: WALLET, ...change }],
  })
}

describe('what leaves in simulation', () => {
  const spends = leg({ spends: [{ asset: USDC, amount: '100', bound: 'max', party: WALLET }] })

  it('is covered up to what was approved', () => {
    assert.equal(covered([leaves(USDC, 100n)], [spends], WALLET).ok, true)
    assert.equal(covered([leaves(USDC, 60n), leaves(USDC, 41n)], [spends], WALLET).ok, false)
    assert.equal(covered([leaves(reserve.aToken, 1n)], [spends], WALLET).ok, false)
  })

  it('may be the token of a position that gets smaller, and no other', () => {
    const withdraw = position(pool.pool, USDC)
    assert.equal(covered([leaves(reserve.aToken, 101n)], [withdraw], WALLET).ok, true)
    assert.equal(covered([leaves(USDC, 1n)], [withdraw], WALLET).ok, false)
    const repay = position(pool.pool, USDC, { side: 'debt' })
    assert.equal(covered([leaves(reserve.variableDebtToken, 1n)], [repay], WALLET).ok, true)
    assert.equal(covered([leaves(vault.vault, 5n)], [position(vault.vault, vault.asset)], WALLET).ok, true)
    assert.equal(covered([leaves(vault.vault, 5n)], [withdraw], WALLET).ok, false)
  })

  it("may not be the token of a position that grows, or of somebody else's", () => {
    const supply = position(pool.pool, USDC, { change: 'increase' })
    const theirs = position(pool.pool, USDC, { party: STRANGER })
    for (const one of [supply, theirs]) assert.equal(covered([leaves(reserve.aToken, 1n)], [one], WALLET).ok, false)
    const unknown = position(STRANGER, USDC)
    assert.equal(covered([leaves(STRANGER, 1n)], [unknown], WALLET).ok, false)
  })
})
