import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { createChains } from '../../src/chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { gather } from '../../src/policy/gather.ts'
import type { AnySource } from '../../src/policy/source.ts'
import { sanctions } from '../../src/policy/sources/sanctions.ts'
import { tokenIdentity } from '../../src/policy/sources/token-identity.ts'
import { usdPrice } from '../../src/policy/sources/usd-price.ts'
import { flow, question, TARGET, WALLET } from '../policy/sources/contracts.ts'

let chain: LocalChain

before(async () => {
  chain = await startLocalChain()
})
after(() => chain?.stop())

/** New sources each time: nothing is cached. */
function sources(): readonly AnySource[] {
  const deps = { chains: createChains([{ id: 1, name: 'Ethereum', rpcUrl: chain.rpcUrl }]), now: () => new Date() }
  return [usdPrice(deps), tokenIdentity(deps), sanctions({ ...deps, maxAgeDays: 0 })]
}

function facts() {
  const weth = toAddress(chain.addresses.tokens.WETH)
  const pair = toAddress(chain.addresses.pools.v2UsdcWeth)
  const asked = question({ spends: [flow('native')], receives: [flow(weth), flow(pair)] })
  return gather(['prices', 'tokens', 'sanctions'], sources(), asked)
}

test('real contracts give prices, identities and a clear screening', async () => {
  const { prices, tokens, sanctions: screening } = await facts()
  assert.ok(prices?.status === 'fresh' && tokens?.status === 'fresh' && screening?.status === 'fresh')
  const weth = toAddress(chain.addresses.tokens.WETH)
  const pair = toAddress(chain.addresses.pools.v2UsdcWeth)
  assert.equal(prices.value.native?.usdE8, '300000000000')
  assert.equal(prices.value[weth]?.usdE8, '300000000000')
  assert.equal(prices.value[pair], null)
  assert.deepEqual(tokens.value[pair], { symbol: 'UNI-V2', decimals: 18, listed: false, stable: false })
  assert.deepEqual(screening.value, { screened: [WALLET, TARGET, weth, pair].sort(), hits: [] })
})

test('a price that moves is the new one, and one that is old or negative is none', async () => {
  await chain.setPrice('ETH/USD', 2_900_00000000n)
  const moved = await facts()
  assert.ok(moved.prices?.status === 'fresh')
  assert.equal(moved.prices.value.native?.usdE8, '290000000000')
  const now = Math.floor(Date.now() / 1000)
  await chain.setPrice('ETH/USD', 2_900_00000000n, now - 3 * 3600)
  assert.equal((await facts()).prices?.status, 'unavailable')
  await chain.setPrice('ETH/USD', -1n, now)
  assert.equal((await facts()).prices?.status, 'unavailable')
})

test('a price is what its pool agrees with: within a tenth it stands, beyond it there is none', async () => {
  const usdE8Of = async (answer: bigint) => {
    await chain.setPrice('ETH/USD', answer)
    const { prices } = await facts()
    return prices?.status === 'fresh'
      ? prices.value.native
      : prices?.status === 'unavailable'
        ? prices.reason
        : undefined
  }
  const agreed = await usdE8Of(3_200_00000000n)
  assert.ok(typeof agreed === 'object')
  assert.equal(agreed?.usdE8, '320000000000')
  assert.equal(agreed?.pool?.address, toAddress(chain.addresses.pools.v3UsdcWeth500))
  assert.ok(Math.abs(Number(agreed.pool.usdE8) / 1e8 - 3_000) < 3, agreed.pool.usdE8)
  for (const answer of [3_400_00000000n, 2_700_00000000n, 30_00000000n, 300_000_00000000n])
    assert.match(JSON.stringify(await usdE8Of(answer)), /% away from what/)
  await chain.setPrice('ETH/USD', 3_000_00000000n)
  assert.equal((await facts()).prices?.status, 'fresh')
})

test('an address that the oracle lists is a hit', async () => {
  await chain.sanction(TARGET)
  const { sanctions: screening } = await facts()
  assert.ok(screening?.status === 'fresh')
  assert.deepEqual(screening.value.hits, [TARGET])
})
