import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type Chains, createChains } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { createGate, type Gate } from '../../src/harness/gate.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { type ApprovedAction, approvedAction, registerWallet } from '../support/approved-action.ts'
import { attestor } from '../support/attestor.ts'
import { type RpcStandIn, startRpcStandIn } from '../support/rpc-stand-in.ts'

const KEY: Hex = `0x${'5a'.repeat(32)}`
const signer = createSigner(KEY)
const WALLET = signer.address
const PAYEE = toAddress(`0x${'22'.repeat(20)}`)
const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
const USDC = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
const ETHER = 10n ** 18n
const abi = parseAbi([
  'function transfer(address,uint256) returns (bool)',
  'function deposit() payable',
  'function withdraw(uint256)',
])

function send(value: bigint, to: string = PAYEE, data: Hex = '0x'): EvmTx {
  return { protocol: 'native', chainId: 1, to: toAddress(to), data, value: numberToHex(value) }
}

function pay(amount: bigint): EvmTx {
  return send(0n, USDC, encodeFunctionData({ abi, functionName: 'transfer', args: [PAYEE, amount] }))
}

function connect(rpcUrl: string | undefined): Chains {
  return createChains([{ id: 1, name: 'Ethereum', rpcUrl }])
}

describe('gate in dry-run', () => {
  let rpc: RpcStandIn
  let storage: Storage
  let agentId: string

  beforeEach(async () => {
    rpc = await startRpcStandIn()
    storage = await openStorage({ url: undefined })
    agentId = await registerWallet(storage, WALLET, [1])
  })
  afterEach(async () => {
    await rpc.stop()
    await storage.close()
  })

  it('simulates and sends nothing', async () => {
    const approval = await approvedAction(storage, agentId, { wallet: WALLET, tx: send(5n) })
    const gate = createGate({ mode: 'dry-run', chains: connect(rpc.url), wallet: WALLET, log: silentLog })
    assert.deepEqual(await gate.execute(approval), { mode: 'dry-run', ok: true, assetChanges: [] })
    await gate.recover()
    gate.stop()
    assert.deepEqual(
      rpc.calls.map(({ method }) => method),
      ['eth_chainId', 'eth_simulateV1'],
    )
    assert.equal((await storage.stores.executions.unfinished()).length, 0)
  })

  it('says what would fail, what cannot be known, and that there is no node', async () => {
    const approval = await approvedAction(storage, agentId, { wallet: WALLET, tx: send(5n) })
    const gate = createGate({ mode: 'dry-run', chains: connect(rpc.url), wallet: WALLET, log: silentLog })
    rpc.lie('eth_simulateV1', { result: [{ calls: [{ status: '0x0', gasUsed: '0x1', returnData: '0x' }] }] })
    const reverts = { mode: 'dry-run', ok: false, reason: 'The call reverted without a reason.' }
    assert.deepEqual(await gate.execute(approval), reverts)
    rpc.lie('eth_simulateV1', { status: 502, body: 'bad' })
    const down = await gate.execute(approval)
    assert.ok(!down.ok && /could not be run.*status 502/.test(down.reason))
    const offline = createGate({ mode: 'dry-run', chains: connect(undefined), wallet: WALLET, log: silentLog })
    assert.deepEqual(await offline.execute(approval), { mode: 'dry-run', ok: true, assetChanges: null })
    const other = createGate({ mode: 'dry-run', chains: connect(rpc.url), wallet: PAYEE, log: silentLog })
    assert.equal((await other.execute(approval)).ok, false)
    assert.equal(rpc.sent.length, 0)
  })

  it('is not built for direct mode with the key of another wallet', () => {
    const settings = { mode: 'direct', chains: connect(rpc.url), storage, signer, publicKey, log: silentLog } as const
    assert.throws(() => createGate({ ...settings, wallet: PAYEE }), {
      code: 'invalid_request',
      message: /does not control/,
    })
  })
})

const { publicKey } = attestor

describe('gate in direct mode, on a real chain', () => {
  let chain: LocalChain
  let chains: Chains
  let storage: Storage
  let agentId: string
  let gate: Gate
  let clean: Hex

  before(async () => {
    chain = await startLocalChain()
    chains = connect(chain.rpcUrl)
    await chain.fund(WALLET, { native: 10n * ETHER, tokens: { USDC: 1_000_000_000n } })
  })
  after(() => chain.stop())
  beforeEach(async () => {
    clean = await chain.snapshot()
    storage = await openStorage({ url: undefined })
    agentId = await registerWallet(storage, WALLET, [1])
    const patience = { firstMs: 10, longestMs: 100, totalMs: 30_000 }
    gate = createGate({ mode: 'direct', chains, storage, signer, publicKey, wallet: WALLET, log: silentLog, patience })
  })
  afterEach(async () => {
    gate.stop()
    await storage.close()
    await chain.revert(clean)
  })

  function approve(tx: EvmTx, spends: ApprovedAction['spends'] = []) {
    return approvedAction(storage, agentId, { wallet: WALLET, tx, spends })
  }

  async function usdcOf(address: string): Promise<bigint> {
    const data: Hex = `0x70a08231${address.slice(2).padStart(64, '0')}`
    const balance = await chains.of(1)?.call({ to: USDC, data })
    assert.ok(balance?.ok)
    return BigInt(balance.value)
  }

  it('pays in a token, in the chain’s own coin, and wraps and unwraps it', async () => {
    const native = (amount: bigint) => [{ asset: 'native', amount }]
    const wrap = send(2n * ETHER, WETH, encodeFunctionData({ abi, functionName: 'deposit' }))
    const unwrap = send(0n, WETH, encodeFunctionData({ abi, functionName: 'withdraw', args: [ETHER] }))
    for (const approval of [
      await approve(send(ETHER), native(ETHER)),
      await approve(pay(7n), [{ asset: USDC, amount: 7n }]),
      await approve(wrap, native(2n * ETHER)),
      await approve(unwrap, [{ asset: WETH, amount: ETHER }]),
    ]) {
      const done = await gate.execute(approval)
      assert.ok(done.mode === 'direct' && done.ok, JSON.stringify(done))
      assert.equal(done.status, 'mined')
    }
    assert.equal(await usdcOf(PAYEE), 7n)
    assert.equal(await chains.of(1)?.transactionCount(WALLET, 'latest'), 4)
  })

  it('does not send what takes more out of the wallet than was approved', async () => {
    for (const approval of [
      await approve(pay(8n), [{ asset: USDC, amount: 7n }]),
      await approve(send(ETHER), [{ asset: 'native', amount: ETHER - 1n }]),
    ]) {
      const done = await gate.execute(approval)
      assert.ok(!done.ok && /leave the wallet/.test(done.reason), JSON.stringify(done))
    }
    assert.equal(await chains.of(1)?.transactionCount(WALLET, 'latest'), 0)
  })

  it('does not send what reverts', async () => {
    const done = await gate.execute(await approve(pay(10n ** 15n), [{ asset: USDC, amount: 10n ** 15n }]))
    assert.ok(!done.ok && done.mode === 'direct' && done.status === 'refused', JSON.stringify(done))
    assert.equal(await chains.of(1)?.transactionCount(WALLET, 'latest'), 0)
  })

  it('mines 10 approvals that come at once, each once', async () => {
    const approvals = await Promise.all(
      Array.from({ length: 10 }, (_, i) => approve(pay(BigInt(i + 1)), [{ asset: USDC, amount: BigInt(i + 1) }])),
    )
    const all = await Promise.all([...approvals, ...approvals].map((approval) => gate.execute(approval)))
    assert.equal(all.filter(({ ok }) => ok).length, 10)
    assert.equal(await usdcOf(PAYEE), 55n)
    assert.equal(await chains.of(1)?.transactionCount(WALLET, 'latest'), 10)
  })

  it('takes up after a stop what was sent and not mined, with the same bytes', async () => {
    await chain.request('evm_setAutomine', [false])
    const approval = await approve(pay(3n), [{ asset: USDC, amount: 3n }])
    const first = gate.execute(approval)
    const pool = async () => Object.keys(((await chain.request('txpool_content')) as { pending: object }).pending)
    while ((await pool()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    gate.stop()
    const done = await first
    assert.ok(done.mode === 'direct' && done.ok)
    assert.ok(done.status === 'pending' && done.txHash !== null)
    await chain.request('anvil_dropAllTransactions')
    await chain.request('evm_setAutomine', [true])
    await createGate({ mode: 'direct', chains, storage, signer, publicKey, wallet: WALLET, log: silentLog }).recover()
    const receipt = await chains.of(1)?.receipt(done.txHash)
    assert.equal(receipt?.status, 'success')
    assert.equal(await usdcOf(PAYEE), 3n)
    const stored = await storage.stores.transactions.byRequestHash(approval.requestHash)
    assert.equal(stored?.status, 'EXECUTED')
  })
})
