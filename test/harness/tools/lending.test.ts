// What the tools propose is what the policy's decoders read.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resolveAmount } from '../../../src/harness/amount.ts'
import type { Deposit } from '../../../src/harness/tool.ts'
import { tools } from '../../../src/harness/tools/index.ts'
import { decode } from '../../../src/policy/decode.ts'
import { lendingPools, tokenBySymbol, vaultsOf, wrappedNative } from '../../../src/registry/index.ts'
import { evmSteps } from '../../support/evm-steps.ts'
import { STRANGER, standInContext, WALLET, type World } from '../stand-in-reader.ts'

const usdc = tokenBySymbol(1, 'USDC') ?? assert.fail()
const [pool] = lendingPools(1)
const vault = vaultsOf(1).find(({ asset }) => asset === usdc.address) ?? assert.fail()
assert.ok(pool)
const deposits: readonly Deposit[] = [
  {
    venue: 'aave',
    market: pool.market,
    address: pool.pool,
    token: usdc,
    supplied: 50_000_000n,
    debt: 0n,
    shares: null,
  },
  {
    venue: vault.venue,
    market: vault.name,
    address: vault.vault,
    token: usdc,
    supplied: 9_000_000n,
    debt: 0n,
    shares: 8n,
  },
]

async function propose(name: string, args: object, world: World = {}) {
  const tool = tools.find((one) => one.name === name)
  assert.ok(tool?.kind === 'action')
  return tool.propose(args, standInContext({ deposits, ...world }))
}

async function read(name: string, args: object, world: World = {}) {
  const proposal = await propose(name, args, world)
  assert.ok(proposal.ok, proposal.ok ? '' : proposal.reason)
  return evmSteps(proposal.value).map(({ summary, tx }) => {
    const decoded = decode(tx, WALLET)
    assert.ok(decoded.ok, decoded.ok ? '' : decoded.reason)
    return { summary, tx, protocol: decoded.value.protocol, legs: decoded.value.legs }
  })
}

describe('lending tools', () => {
  test('supply is an exact approval and a deposit for the wallet itself', async () => {
    const steps = await read('lend_supply', { token: 'USDC', amount: '100' })
    assert.deepEqual(
      steps.map(({ protocol }) => protocol),
      ['erc20', 'aave'],
    )
    assert.match(steps[0]?.summary ?? '', /^Approve 100 USDC for 0x/)
    assert.equal(steps[1]?.summary, `Supply 100 USDC to ${pool.market}`)
    assert.equal((await read('lend_supply', { token: 'USDC', amount: '100' }, { allowance: 100_000_000n })).length, 1)
    const reset = await read('lend_supply', { token: 'USDC', amount: '100' }, { allowance: 1n })
    assert.deepEqual([reset.length, reset[0]?.summary.startsWith('Reset')], [3, true])
  })

  test('withdrawals name the amount, or take all', async () => {
    const [some] = await read('lend_withdraw', { token: 'USDC', amount: '50%' })
    assert.equal(some?.summary, `Withdraw 25 USDC from ${pool.market}`)
    const [all] = await read('lend_withdraw', { token: 'USDC', amount: 'all' })
    assert.match(all?.summary ?? '', /^Withdraw 50 USDC \(all, with the interest/)
    assert.match(all?.tx.data ?? '', /f{64}/)
    const none = await propose('lend_withdraw', { token: 'WETH', amount: 'all' })
    assert.ok(!none.ok && /nothing of WETH/.test(none.reason))
  })

  test('vaults by their name, and no others', async () => {
    const steps = await read('vault_deposit', { vault: vault.name.toUpperCase(), amount: '10' })
    assert.deepEqual(
      steps.map(({ protocol }) => protocol),
      ['erc20', vault.venue],
    )
    assert.match(
      (await read('vault_withdraw', { vault: vault.vault, amount: '4' }))[0]?.summary ?? '',
      /^Withdraw 4 USDC/,
    )
    assert.match((await read('vault_withdraw', { vault: vault.vault, amount: 'all' }))[0]?.summary ?? '', /all shares/)
    const other = await propose('vault_deposit', { vault: STRANGER, amount: '1' })
    assert.ok(!other.ok && /is none that is known/.test(other.reason))
  })

  test('wrap, unwrap and revoke', async () => {
    assert.equal((await read('wrap', { amount: '1' }))[0]?.protocol, 'weth')
    assert.equal((await read('unwrap', { amount: '0.0000000001' }))[0]?.tx.to, wrappedNative(1))
    assert.match((await read('revoke_approval', { token: 'USDC', spender: STRANGER }))[0]?.summary ?? '', /^Revoke/)
    const native = await propose('lend_supply', { token: 'ETH', amount: '1' })
    assert.ok(!native.ok && /wrap the ETH first/.test(native.reason))
  })
})

describe('amounts', () => {
  const of = (text: string, available = 1_000_001n, token = usdc as Parameters<typeof resolveAmount>[1]['token']) =>
    resolveAmount(text, { token, available: async () => available })

  test('are exact integers, shares of a holding rounded down', async () => {
    assert.deepEqual(await of('1.5'), { ok: true, value: 1_500_000n })
    assert.deepEqual(await of('all'), { ok: true, value: 1_000_001n })
    assert.deepEqual(await of('ALL '), { ok: true, value: 1_000_001n })
    assert.deepEqual(await of('50%'), { ok: true, value: 500_000n })
    assert.deepEqual(await of('33.3333 %'), { ok: true, value: 333_333n })
  })

  test('that are nothing, too much, or would leave nothing for fees are refused', async () => {
    for (const text of ['0', '0%', '101%', '-1', '1e6', '50 %%', 'half', '%', '', '1,5', 'all of it', '∞', '0x10'])
      assert.equal((await of(text)).ok, false, text)
    assert.equal((await of('all', 0n)).ok, false)
    const native = { address: 'native', symbol: 'ETH', decimals: 18 } as const
    for (const text of ['all', '100%']) assert.equal((await of(text, 10n ** 18n, native)).ok, false)
    assert.equal((await of('99%', 10n ** 18n, native)).ok, true)
  })
})
