// Where another process decided: nothing leaves before it has taken the word that its approval is used.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { numberToHex } from 'viem'
import { createChains } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import { createBroadcaster } from '../../src/harness/broadcaster.ts'
import { createExecutor, type Executor } from '../../src/harness/executor.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Approval, Claimed } from '../../src/policy/index.ts'
import { type ExecutionReport, openStorage, type Storage } from '../../src/storage/index.ts'
import { approvedAction, registerWallet } from '../support/approved-action.ts'
import { attestor } from '../support/attestor.ts'
import { type RpcStandIn, startRpcStandIn } from '../support/rpc-stand-in.ts'

const signer = createSigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const WALLET = signer.address
const PAYEE = toAddress(`0x${'22'.repeat(20)}`)
const SILENT: Claimed = { kind: 'unknown', reason: 'The policy service did not answer in time.' }
const GONE: Claimed = { kind: 'refused', reason: 'The policy service refused (409): the approval has expired.' }
const TAKEN: Claimed = { kind: 'taken' }

describe('the clearance of signed bytes', () => {
  let rpc: RpcStandIn
  let storage: Storage
  let agentId: string
  let answer: Claimed = TAKEN
  let claims: (readonly [Hex, ExecutionReport])[] = []
  const running: Executor[] = []

  beforeEach(async () => {
    rpc = await startRpcStandIn()
    storage = await openStorage({ url: undefined })
    agentId = await registerWallet(storage, WALLET, [1])
    answer = TAKEN
    claims = []
  })
  afterEach(async () => {
    for (const one of running.splice(0)) one.stop()
    await rpc.stop()
    await storage.close()
  })

  function start(): Executor {
    const one = createExecutor({
      chains: createChains([{ id: 1, name: 'Ethereum', rpcUrl: rpc.url }], { timeoutMs: 1_000 }),
      storage,
      signer,
      wallet: WALLET,
      publicKey: attestor.publicKey,
      paused: async () => false,
      log: silentLog,
      patience: { firstMs: 2, longestMs: 2, totalMs: 20 },
      claim: async (requestHash, report) => {
        assert.equal(rpc.sent.length, sentBefore(requestHash), 'it was claimed after it was sent')
        claims.push([requestHash, report])
        return answer
      },
    })
    running.push(one)
    return one
  }
  /** Only those that were taken before may have been sent. */
  const sentBefore = (requestHash: Hex) =>
    new Set(claims.map(([hash]) => hash).filter((hash) => hash !== requestHash)).size
  let salt = 0
  function approve(): Promise<Approval> {
    salt += 1
    const tx = {
      protocol: 'native',
      chainId: 1,
      to: PAYEE,
      data: numberToHex(salt, { size: 4 }),
      value: '0x5',
    } as const
    return approvedAction(storage, agentId, { wallet: WALLET, tx })
  }
  /** A round may be too short for it, as in the product: the next one takes it up. */
  async function recover(approval: Approval): Promise<void> {
    const { execution } = await stateOf(approval)
    for (let round = 0; round < 100 && (await stateOf(approval)).execution === execution; round++)
      await start().recover()
  }

  async function stateOf({ requestHash }: Approval) {
    const { executions, transactions, holds } = storage.stores
    return {
      execution: (await executions.byRequestHash(requestHash))?.state,
      status: (await transactions.byRequestHash(requestHash))?.status,
      held: (await holds.inForce()).count,
    }
  }

  it('what is taken is sent, once, and is reported by the hash that is then on the chain', async () => {
    const approval = await approve()
    const done = await start().execute(approval)
    assert.ok(done.ok && done.status === 'mined')
    assert.deepEqual(claims, [[approval.requestHash, { txHash: done.txHash }]])
    assert.deepEqual(
      rpc.sent.map(({ hash }) => hash),
      [done.txHash],
    )
  })

  it('while nothing is said nothing is sent, and nothing else is signed; with the word it goes out as it was', async () => {
    answer = SILENT
    const executor = start()
    const approval = await approve()
    const done = await executor.execute(approval)
    assert.ok(done.ok && done.status === 'pending')
    assert.match(done.words ?? '', /not sent before the policy service has taken the report/)
    assert.deepEqual(
      [rpc.sent.length, await stateOf(approval)],
      [0, { execution: 'signed', status: 'APPROVED', held: 1 }],
    )
    const second = await executor.execute(await approve())
    assert.ok(!second.ok)
    assert.match(second.reason, /earlier transaction waits/)

    // Another process takes it up, as after a crash.
    answer = TAKEN
    await recover(approval)
    assert.deepEqual(
      rpc.sent.map(({ hash }) => hash),
      [done.txHash],
    )
    assert.ok(claims.length > 1, 'it is asked again')
    assert.deepEqual(new Set(claims.map(([, report]) => JSON.stringify(report))).size, 1)
    assert.equal((await stateOf(approval)).status, 'EXECUTED')
  })

  it('what is refused is withdrawn: it never left, its room is free, and its nonce is the next one', async () => {
    answer = GONE
    const executor = start()
    const approval = await approve()
    const done = await executor.execute(approval)
    assert.deepEqual(done, { mode: 'direct', ok: false, status: 'refused', txHash: null, reason: GONE.reason })
    assert.deepEqual(
      [rpc.sent.length, await stateOf(approval)],
      [0, { execution: undefined, status: 'FAILED', held: 0 }],
    )
    const { items } = await storage.stores.audit.list({ limit: 3 })
    assert.deepEqual(items.map(({ kind }) => kind).slice(0, 2), ['execution.withdrawn', 'execution.signed'])
    const again = await executor.execute(approval)
    assert.ok(!again.ok, 'an approval that was withdrawn is used up')

    answer = TAKEN
    claims = []
    const next = await executor.execute(await approve())
    assert.ok(next.ok)
    assert.deepEqual(
      rpc.sent.map(({ tx }) => tx.nonce ?? 0),
      [0],
    )
  })

  it('what waits and is refused in the end is withdrawn by whoever takes it up', async () => {
    answer = SILENT
    const approval = await approve()
    await start().execute(approval)
    answer = GONE
    await recover(approval)
    assert.deepEqual(
      [rpc.sent.length, await stateOf(approval)],
      [0, { execution: undefined, status: 'FAILED', held: 0 }],
    )
  })

  it('while all is paused what waits is neither reported nor sent', async () => {
    answer = SILENT
    const approval = await approve()
    await start().execute(approval)
    await storage.stores.killSwitch.set('an owner')
    answer = TAKEN
    claims = []
    await start().recover()
    assert.deepEqual([claims.length, rpc.sent.length, (await stateOf(approval)).execution], [0, 0, 'signed'])
    await storage.stores.killSwitch.set(null)
    await recover(approval)
    assert.equal(rpc.sent.length, 1)
  })

  it('what one process withdrew another never sends, whatever it still has in hand', async () => {
    answer = SILENT
    const approval = await approve()
    await start().execute(approval)
    const inHand = await storage.stores.executions.byRequestHash(approval.requestHash)
    assert.ok(inHand)
    answer = GONE
    await recover(approval)
    const chains = createChains([{ id: 1, name: 'Ethereum', rpcUrl: rpc.url }], { timeoutMs: 1_000 })
    const other = createBroadcaster({ chains, storage, log: silentLog, claim: async () => TAKEN })
    const sent = await other.send(inHand)
    assert.match(sent?.withdrawn ?? '', /withdrawn/)
    assert.equal(rpc.sent.length, 0)
  })

  it('a refusal that comes after the bytes went out withdraws nothing, and says nothing else', async () => {
    const approval = await approve()
    const { requestHash } = approval
    answer = SILENT
    await start().execute(approval)
    const inHand = await storage.stores.executions.byRequestHash(requestHash)
    assert.ok(inHand)
    const claim = async () => {
      await storage.stores.executions.advance(requestHash, ['signed'], 'broadcast')
      return GONE
    }
    const chains = createChains([{ id: 1, name: 'Ethereum', rpcUrl: rpc.url }], { timeoutMs: 1_000 })
    const sent = await createBroadcaster({ chains, storage, log: silentLog, claim }).send(inHand)
    assert.equal(sent, undefined)
    assert.deepEqual(await stateOf(approval), { execution: 'broadcast', status: 'APPROVED', held: 1 })
  })

  it('what was sent before is not asked about again: it is followed', async () => {
    rpc.lie('eth_sendRawTransaction', { error: { code: -32000, message: 'not now' } })
    const approval = await approve()
    const done = await start().execute(approval)
    assert.ok(done.ok && done.status === 'pending')
    assert.equal((await stateOf(approval)).execution, 'broadcast')
    answer = GONE
    rpc.lie('eth_sendRawTransaction', undefined)
    await recover(approval)
    assert.equal(claims.length, 1)
    assert.equal((await stateOf(approval)).status, 'EXECUTED')
  })
})
