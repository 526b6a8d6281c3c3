import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { encodeErrorResult } from 'viem'
import { type ChainClient, createChains } from '../../src/chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { type Lie, type RpcStandIn, startRpcStandIn } from '../support/rpc-stand-in.ts'

const WALLET = toAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
const TOKEN = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
const HASH = `0x${'12'.repeat(32)}` as const
const REVERT = encodeErrorResult({
  abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }],
  args: ['not enough'],
})

/** The fault must be one of the upstream, and must not say where that is. */
async function assertUnavailable(work: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(work, (thrown) => {
    assert.ok(thrown instanceof CountersignError)
    assert.equal(thrown.code, 'unavailable')
    assert.match(thrown.message, message)
    assert.doesNotMatch(`${thrown.message} ${String(thrown.cause)}`, /127\.0\.0\.1|http|secret/)
    return true
  })
}

describe('chain client', () => {
  let rpc: RpcStandIn
  let client: ChainClient

  before(async () => {
    rpc = await startRpcStandIn()
  })
  after(() => rpc.stop())
  beforeEach(() => {
    for (const method of new Set(rpc.calls.map((call) => call.method))) rpc.lie(method, undefined)
    client = connect()
  })

  function connect(id = 1, timeoutMs = 2_000): ChainClient {
    const found = createChains([{ id, name: 'Ethereum', rpcUrl: rpc.url }], { timeoutMs, maxBytes: 20_000 }).of(id)
    assert.ok(found)
    return found
  }

  it('has no client for a chain without an RPC', () => {
    assert.equal(createChains([{ id: 1, name: 'Ethereum', rpcUrl: undefined }]).of(1), undefined)
    assert.equal(createChains([]).of(1), undefined)
  })

  it('reads a chain', async () => {
    assert.deepEqual(await client.block(), { number: 16n, timestamp: 0x68000000, baseFeePerGas: 10n ** 9n })
    assert.equal(await client.blockNumber(), 16n)
    assert.equal(await client.balanceOf(WALLET), 10n ** 20n)
    assert.equal(await client.transactionCount(WALLET, 'pending'), 0)
    assert.deepEqual(await client.feeHistory(1), { baseFeesPerGas: [10n ** 9n, 10n ** 9n], tips: [10n ** 8n] })
    assert.equal(await client.receipt(HASH), null)
    assert.equal(await client.transactionByHash(HASH), null)
  })

  it('asks for the chain id once, and before anything else', async () => {
    const from = rpc.calls.length
    await client.blockNumber()
    await client.blockNumber()
    assert.deepEqual(
      rpc.calls.slice(from).map((call) => call.method),
      ['eth_chainId', 'eth_blockNumber', 'eth_blockNumber'],
    )
  })

  it('asks nothing further of a node of another chain', async () => {
    const other = connect(8453)
    const from = rpc.calls.length
    await assertUnavailable(other.sendRaw('0x02'), /is of chain 1, not of chain 8453/)
    await assertUnavailable(other.balanceOf(WALLET), /is of chain 1, not of chain 8453/)
    assert.deepEqual(new Set(rpc.calls.slice(from).map((call) => call.method)), new Set(['eth_chainId']))
  })

  const faults: readonly (readonly [string, Lie, RegExp])[] = [
    ['an error status', { status: 500, body: 'upstream http://secret broke' }, /status 500/],
    ['no JSON', { status: 200, body: '<html>secret</html>' }, /not answer in JSON-RPC/],
    ['an array', { status: 200, body: '[]' }, /not answer in JSON-RPC/],
    ['another call id', { status: 200, body: '{"jsonrpc":"2.0","id":99999,"result":"0x1"}' }, /another call/],
    ['no result', { status: 200, body: '{"jsonrpc":"2.0","id":1}' }, /without a result|another call/],
    ['a redirect', { status: 302, body: '' }, /reached|status 302/],
    ['too much', { status: 200, body: `{"jsonrpc":"2.0","id":1,"result":"${'0'.repeat(40_000)}"}` }, /too much/],
    ['a number', { result: 7 }, /wrong shape/],
    ['null', { result: null }, /wrong shape/],
    ['a negative quantity', { result: '-0x1' }, /wrong shape/],
    ['more than 256 bits', { result: `0x${'f'.repeat(65)}` }, /wrong shape/],
    ['an error of its own', { error: { code: -32005, message: 'limit for key http://secret' } }, /code -32005/],
    ['a closed connection', 'hang up', /could not be reached/],
  ]
  for (const [what, lie, message] of faults) {
    it(`is unavailable when the node answers ${what}`, async () => {
      rpc.lie('eth_getBalance', lie)
      await assertUnavailable(client.balanceOf(WALLET), message)
    })
  }

  it('gives up on a node that hangs, and when the caller does', async () => {
    rpc.lie('eth_getBalance', 'hang')
    await assertUnavailable(connect(1, 60).balanceOf(WALLET), /in time/)
    await assertUnavailable(client.balanceOf(WALLET, 'latest', { signal: AbortSignal.abort() }), /was not waited for/)
  })

  it('is unavailable where nobody listens', async () => {
    const gone = await startRpcStandIn()
    await gone.stop()
    const chain = createChains([{ id: 1, name: 'Ethereum', rpcUrl: gone.url }]).of(1)
    assert.ok(chain)
    await assertUnavailable(chain.blockNumber(), /could not be reached/)
  })

  it('tells a revert from a fault', async () => {
    rpc.lie('eth_call', { error: { code: 3, message: 'execution reverted', data: REVERT } })
    assert.deepEqual(await client.call({ to: TOKEN, data: '0x' }), {
      ok: false,
      reason: 'The call reverted: not enough',
    })
    rpc.lie('eth_call', { error: { code: -32000, message: 'header not found' } })
    await assertUnavailable(client.call({ to: TOKEN, data: '0x' }), /code -32000/)
  })

  it('makes many reads against one block', async () => {
    const from = rpc.calls.length
    rpc.lie('eth_call', ([call]) => ({ result: (call as { data: string }).data }))
    const { block, results } = await client.readMany([
      { to: TOKEN, data: '0x01' },
      { to: TOKEN, data: '0x02', from: WALLET, value: 5n },
    ])
    assert.equal(block.number, 16n)
    assert.deepEqual(results, [
      { ok: true, value: '0x01' },
      { ok: true, value: '0x02' },
    ])
    const reads = rpc.calls.slice(from).filter((call) => call.method === 'eth_call')
    assert.deepEqual(
      reads.map(({ params }) => params[1]),
      ['0x10', '0x10'],
    )
    assert.ok(reads.some(({ params }) => JSON.stringify(params[0]).includes('"value":"0x5"')))
  })

  it('does not take the answer for another transaction', async () => {
    const other = `0x${'34'.repeat(32)}`
    const receipt = { status: '0x1', blockNumber: '0x1', blockHash: HASH, from: WALLET, gasUsed: '0x1' }
    rpc.lie('eth_getTransactionReceipt', { result: { ...receipt, transactionHash: other } })
    await assertUnavailable(client.receipt(HASH), /another transaction/)
    rpc.lie('eth_getTransactionByHash', { result: { hash: other, from: WALLET, nonce: '0x0', blockNumber: null } })
    await assertUnavailable(client.transactionByHash(HASH), /another transaction/)
  })

  it('sends user and password of a URL in a header', async () => {
    for (const [login, sent] of [
      ['user:pass', 'user:pass'],
      ['us%40er:p%3Aass', 'us@er:p:ass'],
      ['user:100%', 'user:100%'],
    ]) {
      const rpcUrl = rpc.url.replace('http://', `http://${login}@`)
      const chain = createChains([{ id: 1, name: 'Ethereum', rpcUrl }]).of(1)
      assert.equal(await chain?.blockNumber(), 16n)
      assert.equal(rpc.calls.at(-1)?.authorization, `Basic ${btoa(sent ?? '')}`)
    }
  })
})
