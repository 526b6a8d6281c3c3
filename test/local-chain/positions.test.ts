// Accounts at Aave's own contracts: what the source reads, and what is decided on it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData, maxUint256, parseAbi, parseEther, parseUnits } from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { createChains } from '../../src/chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { known } from '../../src/policy/facts.ts'
import { gather } from '../../src/policy/gather.ts'
import { type Principal, positions, sanctions, tokenIdentity, usdPrice } from '../../src/policy/index.ts'
import { questionAbout } from '../../src/policy/source.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { decide } from '../policy/operations/service.ts'
import { decoded } from '../support/actions.ts'
import { startService } from '../support/app.ts'
import { createWallet, type Wallet } from './wallet.ts'

const abi = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referral)',
  'function withdraw(address asset, uint256 amount, address to)',
  'function borrow(address asset, uint256 amount, uint256 mode, uint16 referral, address onBehalfOf)',
  'function approve(address spender, uint256 amount)',
])

let chain: LocalChain
let wallet: Wallet

before(async () => {
  chain = await startLocalChain()
  wallet = createWallet(chain)
  await chain.fund(wallet.address, {
    native: parseEther('10'),
    tokens: { WETH: parseEther('20'), USDC: parseUnits('10000', 6) },
  })
  for (const token of [WETH(), USDC()])
    await wallet.send(token, encodeFunctionData({ abi, functionName: 'approve', args: [pool(), maxUint256] }))
})
after(() => chain?.stop())

const pool = () => toAddress(chain.addresses.aave.pool)
const WETH = () => toAddress(chain.addresses.tokens.WETH)
const USDC = () => toAddress(chain.addresses.tokens.USDC)

const supply = (asset: string, amount: bigint) =>
  call(encodeFunctionData({ abi, functionName: 'supply', args: [toAddress(asset), amount, wallet.address, 0] }))
const withdraw = (asset: string, amount: bigint) =>
  call(encodeFunctionData({ abi, functionName: 'withdraw', args: [toAddress(asset), amount, wallet.address] }))
const borrow = (asset: string, amount: bigint) =>
  call(encodeFunctionData({ abi, functionName: 'borrow', args: [toAddress(asset), amount, 2n, 0, wallet.address] }))

function call(data: EvmTx['data']): EvmTx {
  return { protocol: 'aave', chainId: 1, to: pool(), data, value: '0x0' }
}

/** New sources each time: nothing is cached. */
function sources() {
  const deps = { chains: createChains([{ id: 1, name: 'Ethereum', rpcUrl: chain.rpcUrl }]), now: () => new Date() }
  const prices = usdPrice(deps)
  return [prices, tokenIdentity(deps), sanctions({ ...deps, maxAgeDays: 0 }), positions({ ...deps, prices })]
}

async function account() {
  const about = questionAbout(decoded(borrow(USDC(), 1n), toAddress(wallet.address)), new AbortController().signal)
  const facts = await gather(['positions'], sources(), about)
  const found = known(facts.positions)?.accounts.find(({ market }) => market === pool())
  assert.ok(found, JSON.stringify(facts))
  return found
}

async function deciding(policy: Policy, run: (verdictOn: (tx: EvmTx) => ReturnType<typeof decide>) => Promise<void>) {
  const service = await startService({ sources: sources() })
  try {
    const principal: Principal = await service.agentOf(toAddress(wallet.address), [1], policy)
    await run((proposedTx) =>
      decide(service.policy, principal, { escrowAddress: toAddress(wallet.address), prompt: 'Lend.', proposedTx }),
    )
  } finally {
    await service.close()
  }
}

test('a deposit and a debt are read and valued', async () => {
  await wallet.send(pool(), supply(WETH(), parseEther('10')).data)
  await wallet.send(pool(), borrow(USDC(), parseUnits('6000', 6)).data)
  const { supplied, borrowed, suppliedMicroUsd, borrowedMicroUsd } = await account()
  const near = (value: unknown, dollars: number) => {
    const off = Math.abs(Number(value) / 1e6 - dollars)
    assert.ok(off < 0.01, `${String(value)} is ${off} off`)
  }
  near(suppliedMicroUsd, 30_000)
  near(borrowedMicroUsd, 6_000)
  assert.ok(BigInt(supplied[WETH()] ?? 0) >= parseEther('10'))
  assert.ok(BigInt(borrowed[USDC()] ?? 0) >= parseUnits('6000', 6))
})

test('the amount that a refusal names is approved, and is what the venue then counts', async () => {
  await deciding({ leverage: { maxPortfolio: 1.5 } }, async (verdictOn) => {
    const { verdict } = await verdictOn(borrow(USDC(), parseUnits('5000', 6)))
    assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'leverage_cap_exceeded'])
    const [, named] = /up to ([\d,.]+) USDC could be borrowed/.exec(verdict.humanReason) ?? []
    assert.ok(named, verdict.humanReason)
    const most = parseUnits(named.replaceAll(',', ''), 6)
    assert.ok(most > parseUnits('3999', 6) && most <= parseUnits('4000', 6), named)
    // A block later there is a little more interest.
    const amount = most - 10_000n
    const tx = borrow(USDC(), amount)
    const { verdict: second } = await verdictOn(tx)
    assert.equal(second.outcome, 'approved', second.humanReason)
    assert.equal((await verdictOn(borrow(USDC(), amount + 20_000n))).verdict.outcome, 'rejected')
    await wallet.send(pool(), tx.data)
    const { suppliedMicroUsd, borrowedMicroUsd } = await account()
    const [s, b] = [Number(suppliedMicroUsd), Number(borrowedMicroUsd)]
    assert.ok(s / (s - b) <= 1.500001 && s / (s - b) > 1.49, String(s / (s - b)))
  })
})

test('all there is taken out is valued by the venue, and refused while something is owed', async () => {
  await deciding({ leverage: { maxPortfolio: 5 }, caps: { perTxUsd: 1_000_000 } }, async (verdictOn) => {
    const { verdict } = await verdictOn(withdraw(WETH(), maxUint256))
    assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'leverage_cap_exceeded'])
    assert.ok(Math.abs((verdict.usdNotional ?? 0) - 30_000) < 1, String(verdict.usdNotional))
  })
})

test('exposure counts what lies there already', async () => {
  await deciding({ exposure: { perProtocolUsd: { aave: 30_500 } } }, async (verdictOn) => {
    const { verdict } = await verdictOn(supply(USDC(), parseUnits('600', 6)))
    assert.equal(verdict.reasonCode, 'protocol_exposure_exceeded', verdict.humanReason)
    assert.match(verdict.humanReason, /up to 49\d\.\d+ USDC could be supplied|up to 500 USDC could be supplied/)
    assert.equal((await verdictOn(supply(USDC(), parseUnits('400', 6)))).verdict.outcome, 'approved')
  })
})
