import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { numberToHex, pad, toEventSelector } from 'viem'
import { createChains } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { createExecutor, type Executor } from '../../src/harness/executor.ts'
import { type Address, toAddress } from '../../src/lib/address.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Approval } from '../../src/policy/index.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import {
  type ApprovedAction,
  approvedAction,
  forgedApproval,
  hashOf,
  registerWallet,
} from '../support/approved-action.ts'
import { attestor } from '../support/attestor.ts'
import { type Lie, type RpcStandIn, startRpcStandIn } from '../support/rpc-stand-in.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const OTHER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const signer = createSigner(KEY)
const WALLET = signer.address
const OTHER_WALLET = createSigner(OTHER_KEY).address
const TOKEN = toAddress(`0x${'33'.repeat(20)}`)
const PAYEE = toAddress(`0x${'22'.repeat(20)}`)
const ETHER = 10n ** 18n

let salt = 0
function transfer(fields: Partial<EvmTx> = {}): EvmTx {
  salt += 1
  return { protocol: 'native', chainId: 1, to: PAYEE, data: numberToHex(salt, { size: 4 }), value: '0x5', ...fields }
}

function transferLog(asset: Address, from: Address, to: Address, amount: bigint): object {
  const topics = [toEventSelector('Transfer(address,address,uint256)'), pad(from, { size: 32 }), pad(to, { size: 32 })]
  return { address: asset, topics, data: numberToHex(amount, { size: 32 }) }
}

describe('executor', () => {
  let rpc: RpcStandIn
  let storage: Storage
  let agentId: string
  let executor: Executor
  const running: Executor[] = []

  beforeEach(async () => {
    rpc = await startRpcStandIn()
    storage = await openStorage({ url: undefined })
    agentId = await registerWallet(storage, WALLET, [1, 8453])
    executor = start()
  })
  afterEach(async () => {
    for (const one of running.splice(0)) one.stop()
    await rpc.stop()
    await storage.close()
  })

  function start(settings: Partial<Parameters<typeof createExecutor>[0]> = {}): Executor {
    const chains = createChains(
      [
        { id: 1, name: 'Ethereum', rpcUrl: rpc.url },
        { id: 8453, name: 'Base', rpcUrl: rpc.url },
      ],
      { timeoutMs: 1_000 },
    )
    const patience = { firstMs: 5, longestMs: 20, totalMs: 20_000 }
    const paused = async () => false
    const one = createExecutor({
      chains,
      storage,
      signer,
      wallet: WALLET,
      publicKey: attestor.publicKey,
      paused,
      log: silentLog,
      patience,
      ...settings,
    })
    running.push(one)
    return one
  }

  /** One that does not wait for long. */
  const startHasty = () => start({ patience: { firstMs: 5, longestMs: 5, totalMs: 40 } })

  function approve(action: Partial<ApprovedAction> = {}): Promise<Approval> {
    return approvedAction(storage, agentId, { wallet: WALLET, tx: transfer(), ...action })
  }

  async function stateOf({ requestHash }: Approval) {
    const hash = requestHash
    const execution = await storage.stores.executions.byRequestHash(hash)
    const transaction = await storage.stores.transactions.byRequestHash(hash)
    return {
      execution: execution?.state,
      status: transaction?.status,
      outflow: await storage.stores.holds.outflowSince(WALLET, 0),
    }
  }

  /** Nothing may have been sent nor signed, for a reason. */
  async function assertRefused(approval: Approval, reason: RegExp, with_ = executor): Promise<void> {
    const done = await with_.execute(approval)
    assert.deepEqual({ ok: done.ok, status: done.status }, { ok: false, status: 'refused' })
    assert.match(done.ok ? '' : done.reason, reason)
    assert.equal(rpc.sent.length, 0)
    assert.equal((await storage.stores.executions.unfinished()).length, 0)
  }

  it('sends exactly the stored bytes, and writes down what became of them', async () => {
    const tx = transfer({ value: '1000', data: '0xABCDEF01' })
    const approval = await approve({ tx })
    const done = await executor.execute(approval)
    const [sent] = rpc.sent
    assert.ok(sent && done.ok)
    assert.deepEqual(done, { mode: 'direct', ok: true, status: 'mined', txHash: sent.hash })
    assert.equal(sent.from, WALLET)
    const { chainId, to, data, value, type, nonce = 0, gas, maxFeePerGas, maxPriorityFeePerGas, accessList } = sent.tx
    assert.deepEqual(
      { chainId, to, data, value, type, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, accessList },
      {
        chainId: 1,
        to: PAYEE,
        data: '0xabcdef01',
        value: 1000n,
        type: 'eip1559',
        nonce: 0,
        gas: 60_000n,
        maxFeePerGas: 2_100_000_000n,
        maxPriorityFeePerGas: 100_000_000n,
        accessList: undefined,
      },
    )
    assert.deepEqual(await stateOf(approval), { execution: 'mined', status: 'EXECUTED', outflow: 5_000_000n })
    const stored = await storage.stores.transactions.byRequestHash(approval.requestHash)
    assert.deepEqual(stored?.report, { txHash: sent.hash })
    const { items } = await storage.stores.audit.list({ limit: 10 })
    assert.deepEqual(
      items.map(({ kind, subject }) => [kind, subject]),
      [
        ['execution.mined', approval.requestHash],
        ['execution.signed', approval.requestHash],
      ],
    )
  })

  describe('refuses', () => {
    const wrong: readonly (readonly [string, Partial<ApprovedAction>, RegExp])[] = [
      ['stored bytes that were changed', { stored: transfer({ to: TOKEN }) }, /stored bytes are not/],
      [
        'a stored value that was changed',
        { tx: transfer({ data: '0x' }), stored: transfer({ data: '0x', value: '0x6' }) },
        /stored bytes are not/,
      ],
      ['a hash that is not of the stored bytes', { storedActionHash: `0x${'ab'.repeat(32)}` }, /stored bytes are not/],
      ['a verdict on other bytes', { verdictActionHash: `0x${'ab'.repeat(32)}` }, /verdict is of another action/],
      ['a rejected verdict', { verdict: 'rejected' }, /no approved verdict/],
      ['a verdict without a receipt', { receipt: 'missing' }, /has no receipt/],
      ['a receipt of another key', { receipt: 'of another key' }, /signed by another key/],
      ['a receipt of another verdict', { receipt: 'of another verdict' }, /not of the stored verdict/],
      ['a missing verdict', { verdict: 'none' }, /no approved verdict/],
      ['a cancelled request', { status: 'CANCELLED' }, /is CANCELLED/],
      ['a request that is pending', { status: 'PENDING' }, /is PENDING/],
      ['an approval that ran out', { approvedFor: -1 }, /expired/],
      ['an approval whose hold has ended', { hold: 'voided' }, /hold of the approval has ended/],
      ['a request of another wallet', { storedWallet: OTHER_WALLET }, /another wallet/],
      ['a chain without an RPC', { tx: transfer({ chainId: 137 }) }, /No RPC is configured for chain 137/],
      ['a node of another chain', { tx: transfer({ chainId: 8453 }) }, /is of chain 1, not of chain 8453/],
      ['a nonce that is not the next', { tx: transfer({ nonce: 7 }) }, /names nonce 7, and the next one is 0/],
      ['a nonce that is none', { tx: transfer({ nonce: '1e3' }) }, /nonce of the action is none/],
    ]
    for (const [what, action, reason] of wrong) {
      it(what, async () => assertRefused(await approve(action), reason))
    }

    it('the forged approval of a request that nobody made', async () => {
      const tx = transfer()
      const forged = forgedApproval({
        requestHash: hashOf('nothing'),
        actionHash: hashOf(tx),
        wallet: WALLET,
        tx,
        expiresAt: new Date(Date.now() + 60_000),
      })
      await assertRefused(forged, /does not know the request/)
      await assertRefused({ ...forged, requestHash: '0x' }, /does not know the request/)
    })

    it('an approval that was changed in any field', async () => {
      const approval = await approve()
      const tx = transfer()
      await assertRefused({ ...approval, tx }, /not the ones that were approved/)
      await assertRefused({ ...approval, tx, actionHash: hashOf(tx) }, /not the ones that were approved/)
      await assertRefused({ ...approval, actionHash: hashOf(tx) }, /not the ones that were approved/)
      await assertRefused({ ...approval, wallet: OTHER_WALLET }, /another wallet/)
      await assertRefused({ ...approval, expiresAt: new Date(0) }, /expired/)
      assert.deepEqual(await stateOf(approval), { execution: undefined, status: 'APPROVED', outflow: 5_000_000n })
    })

    it('an approval that was given a longer life than the store says', async () => {
      const approval = await approve({ approvedFor: -1 })
      await assertRefused({ ...approval, expiresAt: new Date(Date.now() + 60_000) }, /expired/)
    })

    it('a key that is not the wallet’s', async () => {
      await assertRefused(await approve(), /key does not control/, start({ signer: createSigner(OTHER_KEY) }))
    })

    it('while paused, and when nobody can say whether', async () => {
      const approval = await approve()
      await assertRefused(approval, /paused/, start({ paused: async () => true }))
      await assertRefused(approval, /paused/, start({ paused: () => Promise.reject(new Error('no answer')) }))
      assert.equal((await executor.execute(approval)).status, 'mined')
    })
  })

  describe('holds against a node that lies', () => {
    const lies: readonly (readonly [string, string, Lie, RegExp])[] = [
      [
        '36,000 ETH of fees',
        'eth_feeHistory',
        { result: { oldestBlock: '0x1', baseFeePerGas: [numberToHex(36_000n * ETHER)], reward: [['0x1']] } },
        /above the cap/,
      ],
      [
        '36,000 ETH of tip',
        'eth_feeHistory',
        { result: { oldestBlock: '0x1', baseFeePerGas: ['0x1'], reward: [[numberToHex(36_000n * ETHER)]] } },
        /above the cap/,
      ],
      ['all gas of a block', 'eth_estimateGas', { result: '0x1c9c380' }, /above the cap/],
      ['no gas', 'eth_estimateGas', { result: '0x0' }, /below what any transaction needs/],
      ['an empty wallet', 'eth_getBalance', { result: '0x1' }, /has 1 wei/],
      ['another chain id', 'eth_chainId', { result: '0x5' }, /is of chain 5/],
      ['an error page', 'eth_simulateV1', { status: 500, body: 'down' }, /status 500/],
      ['no JSON', 'eth_feeHistory', { status: 200, body: '<html>' }, /JSON-RPC/],
      ['a nonce that is none', 'eth_getTransactionCount', { result: '0x-1' }, /wrong shape/],
      ['nothing at all', 'eth_getTransactionCount', 'hang up', /could not be reached/],
    ]
    for (const [what, method, lie, reason] of lies) {
      it(`and says ${what}: nothing is signed, and the approval is as it was`, async () => {
        rpc.lie(method, lie)
        const approval = await approve()
        await assertRefused(approval, reason)
        assert.deepEqual(await stateOf(approval), { execution: undefined, status: 'APPROVED', outflow: 5_000_000n })
      })
    }

    it('about the nonce: the journal’s own count is never gone below', async () => {
      assert.equal((await executor.execute(await approve())).status, 'mined')
      rpc.lie('eth_getTransactionCount', { result: '0x0' })
      assert.equal((await executor.execute(await approve())).status, 'mined')
      assert.deepEqual(
        rpc.sent.map(({ tx }) => tx.nonce ?? 0),
        [0, 1],
      )
    })

    it('about a receipt of another transaction: it is not taken', async () => {
      const receipt = {
        status: '0x1',
        blockNumber: '0x1',
        blockHash: `0x${'ab'.repeat(32)}`,
        from: WALLET,
        gasUsed: '0x1',
      }
      rpc.mining('never')
      rpc.lie('eth_getTransactionReceipt', { result: { ...receipt, transactionHash: `0x${'cd'.repeat(32)}` } })
      const approval = await approve()
      assert.equal((await startHasty().execute(approval)).status, 'pending')
      assert.equal((await stateOf(approval)).status, 'APPROVED')
    })
  })

  describe('simulates first', () => {
    it('and fails what would revert: not sent, its room given back, and never tried again', async () => {
      rpc.lie('eth_simulateV1', { result: [{ calls: [{ status: '0x0', gasUsed: '0x1', returnData: '0x' }] }] })
      const approval = await approve()
      await assertRefused(approval, /reverted/)
      assert.deepEqual(await stateOf(approval), { execution: undefined, status: 'FAILED', outflow: 0n })
      rpc.lie('eth_simulateV1', undefined)
      await assertRefused(approval, /is FAILED/)
    })

    it('and fails what takes more than was approved', async () => {
      const spends = [{ asset: TOKEN, amount: 10n }]
      for (const logs of [
        [transferLog(TOKEN, WALLET, PAYEE, 11n)],
        [transferLog(TOKEN, WALLET, PAYEE, 10n), transferLog(TOKEN, WALLET, PAYEE, 1n)],
        [transferLog(PAYEE, WALLET, PAYEE, 1n)],
        [transferLog(toAddress(`0x${'ee'.repeat(20)}`), WALLET, PAYEE, 1n)],
      ]) {
        rpc.simulates(logs)
        const approval = await approve({ spends })
        await assertRefused(approval, /leave the wallet/)
        assert.equal((await stateOf(approval)).status, 'FAILED')
      }
    })

    it('and sends what takes no more than that on balance', async () => {
      const spends = [
        { asset: TOKEN, amount: 10n },
        { asset: 'native', amount: 5n },
      ]
      rpc.simulates([
        transferLog(TOKEN, WALLET, PAYEE, 12n),
        transferLog(TOKEN, PAYEE, WALLET, 2n),
        transferLog(TOKEN, PAYEE, TOKEN, 99n),
        transferLog(toAddress(`0x${'ee'.repeat(20)}`), WALLET, PAYEE, 5n),
      ])
      assert.equal((await executor.execute(await approve({ spends }))).status, 'mined')
    })
  })

  describe('uses a verdict once', () => {
    it('however many ask at the same time, in one process or several', async () => {
      const approval = await approve()
      const second = start()
      const all = await Promise.all([executor, second, executor, second, executor].map((one) => one.execute(approval)))
      assert.equal(all.filter((one) => one.ok).length, 1)
      const [sent] = rpc.sent
      assert.equal(new Set(rpc.sent.map(({ hash }) => hash)).size, 1)
      for (const one of all.filter(({ ok }) => !ok)) {
        assert.equal(one.status, 'refused')
        assert.equal(one.txHash, sent?.hash)
      }
      assert.deepEqual(await stateOf(approval), { execution: 'mined', status: 'EXECUTED', outflow: 5_000_000n })
    })

    it('also when it reverted on the chain', async () => {
      rpc.mining('reverting')
      const approval = await approve()
      assert.equal((await executor.execute(approval)).status, 'reverted')
      assert.deepEqual(await stateOf(approval), { execution: 'reverted', status: 'FAILED', outflow: 0n })
      assert.equal((await executor.execute(approval)).status, 'refused')
      assert.equal(rpc.sent.length, 1)
    })
  })

  it('gives 10 approvals at once 10 nonces in a row, and all are mined', async () => {
    const approvals = await Promise.all(Array.from({ length: 10 }, () => approve()))
    const all = await Promise.all(approvals.map((approval) => executor.execute(approval)))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set(['mined']))
    assert.deepEqual(
      rpc.sent.map(({ tx }) => tx.nonce ?? 0),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
  })

  it('leaves no gap behind one that fails among many', async () => {
    const approvals = await Promise.all(
      Array.from({ length: 6 }, (_, i) => approve(i % 2 === 0 ? {} : { hold: 'voided' })),
    )
    const all = await Promise.all(approvals.map((approval) => executor.execute(approval)))
    assert.deepEqual(
      all.map(({ status }) => status),
      ['mined', 'refused', 'mined', 'refused', 'mined', 'refused'],
    )
    assert.deepEqual(
      rpc.sent.map(({ tx }) => tx.nonce ?? 0),
      [0, 1, 2],
    )
  })

  describe('after a crash', () => {
    it('before the broadcast: sends the same bytes, signed once', async () => {
      rpc.lie('eth_sendRawTransaction', 'hang up')
      const approval = await approve()
      const first = executor.execute(approval)
      const given = () => rpc.calls.filter(({ method }) => method === 'eth_sendRawTransaction')
      while (given().length === 0) await new Promise((resolve) => setImmediate(resolve))
      executor.stop()
      assert.equal((await first).status, 'pending')
      assert.deepEqual(await stateOf(approval), { execution: 'signed', status: 'APPROVED', outflow: 5_000_000n })

      rpc.lie('eth_sendRawTransaction', undefined)
      const unable = { ...signer, sign: () => assert.fail('signed again') }
      await start({ signer: unable }).recover()
      assert.equal(rpc.sent.length, 1)
      assert.deepEqual(given()[0]?.params, [rpc.sent[0]?.raw])
      assert.deepEqual(await stateOf(approval), { execution: 'mined', status: 'EXECUTED', outflow: 5_000_000n })
    })

    it('after the broadcast: looks it up, and neither signs nor sends', async () => {
      rpc.mining('never')
      const approval = await approve()
      const first = executor.execute(approval)
      while (rpc.sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
      executor.stop()
      const done = await first
      assert.equal(done.status, 'pending')
      rpc.mining('at once')
      const unable = { ...signer, sign: () => assert.fail('signed again') }
      await start({ signer: unable }).recover()
      assert.equal(rpc.sent.length, 1)
      assert.deepEqual(await stateOf(approval), { execution: 'mined', status: 'EXECUTED', outflow: 5_000_000n })
      assert.equal((await start({ signer: unable }).execute(approval)).status, 'refused')
    })

    it('does nothing twice, and forgets what lies deep', async () => {
      const approval = await approve()
      await executor.execute(approval)
      await executor.recover()
      assert.equal((await stateOf(approval)).execution, 'mined')
      rpc.lie('eth_blockNumber', { result: '0x60' })
      await executor.recover()
      assert.deepEqual(await stateOf(approval), { execution: 'final', status: 'EXECUTED', outflow: 5_000_000n })
      assert.equal(rpc.sent.length, 1)
    })

    it('sends again what a reorganisation took back', async () => {
      const approval = await approve()
      await executor.execute(approval)
      rpc.lie('eth_getTransactionReceipt', { result: null })
      await executor.recover()
      assert.equal(rpc.sent.length, 2)
      assert.equal(rpc.sent[0]?.raw, rpc.sent[1]?.raw)
      assert.equal((await stateOf(approval)).status, 'EXECUTED')
    })
  })

  describe('takes no word of a refusing node for the truth', () => {
    for (const said of [
      'already known',
      'transaction already imported',
      'nonce too low',
      'insufficient funds',
      'rejected',
    ]) {
      it(`not "${said}"`, async () => {
        let first = true
        rpc.lie('eth_sendRawTransaction', () => {
          if (!first) return 'truth'
          first = false
          return { error: { code: -32003, message: said } }
        })
        const approval = await approve()
        assert.equal((await executor.execute(approval)).status, 'mined')
        assert.equal(rpc.sent.length, 1)
        assert.equal((await stateOf(approval)).status, 'EXECUTED')
      })
    }

    it('and keeps the room of bytes that it may yet send', async () => {
      rpc.lie('eth_sendRawTransaction', { error: { code: -32000, message: 'insufficient funds' } })
      const approval = await approve({ approvedFor: 5_000 })
      assert.equal((await startHasty().execute(approval)).status, 'pending')
      assert.deepEqual(await stateOf(approval), { execution: 'signed', status: 'APPROVED', outflow: 5_000_000n })
      assert.deepEqual(await storage.stores.holds.expireDue((await storage.now()) + 3_600_000), [])
    })
  })

  it('gives up on bytes whose nonce another transaction used', async () => {
    rpc.lie('eth_sendRawTransaction', { error: { code: -32003, message: 'nonce too low' } })
    rpc.lie('eth_getTransactionCount', ([, tag]) => ({ result: tag === 'pending' ? '0x0' : '0x1' }))
    const approval = await approve()
    const done = await startHasty().execute(approval)
    assert.equal(done.status, 'dropped')
    assert.deepEqual(await stateOf(approval), { execution: 'dropped', status: 'FAILED', outflow: 0n })
  })
})
