import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { encodeAbiParameters, encodeErrorResult, numberToHex, pad, toEventSelector } from 'viem'
import { type ChainClient, createChains, outgoing } from '../../src/chain/index.ts'
import { toAddress, ZERO_ADDRESS } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { type RpcStandIn, startRpcStandIn } from '../support/rpc-stand-in.ts'

const ME = toAddress(`0x${'11'.repeat(20)}`)
const POOL = toAddress(`0x${'22'.repeat(20)}`)
const TOKEN = toAddress(`0x${'33'.repeat(20)}`)
const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
const NATIVE = toAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const CALL = { from: ME, to: POOL, data: '0x', value: 0n } as const

const topic = (value: Hex) => pad(value, { size: 32 })
const amount = (value: bigint) => numberToHex(value, { size: 32 })

function log(address: Hex, event: string, indexed: readonly Hex[], data: Hex) {
  return { address, topics: [toEventSelector(event), ...indexed.map(topic)], data }
}

describe('simulation', () => {
  let rpc: RpcStandIn
  let client: ChainClient

  before(async () => {
    rpc = await startRpcStandIn()
    const found = createChains([{ id: 1, name: 'Ethereum', rpcUrl: rpc.url }]).of(1)
    assert.ok(found)
    client = found
  })
  after(() => rpc.stop())
  afterEach(() => {
    rpc.simulates([])
    rpc.lie('eth_simulateV1', undefined)
    rpc.lie('eth_call', undefined)
  })

  async function changes() {
    const simulation = await client.simulate(CALL)
    assert.ok(simulation.ok)
    assert.ok(simulation.assetChanges)
    return simulation.assetChanges
  }

  it('asks for transfers to be traced', async () => {
    await client.simulate({ ...CALL, value: 7n })
    const asked = rpc.calls.findLast(({ method }) => method === 'eth_simulateV1')
    assert.deepEqual(asked?.params, [
      { blockStateCalls: [{ calls: [{ from: ME, to: POOL, data: '0x', value: '0x7' }] }], traceTransfers: true },
      'latest',
    ])
  })

  it('reads transfers of tokens and of the chain’s own coin', async () => {
    const transfer = 'Transfer(address,address,uint256)'
    rpc.simulates([log(TOKEN, transfer, [ME, POOL], amount(5n)), log(NATIVE, transfer, [POOL, ME], amount(9n))])
    assert.deepEqual(await changes(), [
      { asset: TOKEN, from: ME, to: POOL, amount: 5n },
      { asset: 'native', from: POOL, to: ME, amount: 9n },
    ])
  })

  it('counts a token that is one of a kind as one', async () => {
    rpc.simulates([
      log(TOKEN, 'Transfer(address,address,uint256)', [ME, POOL, '0x2a'], '0x'),
      log(
        TOKEN,
        'TransferSingle(address,address,address,uint256,uint256)',
        [POOL, ME, POOL],
        encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [1n, 50n]),
      ),
    ])
    assert.deepEqual(await changes(), [
      { asset: TOKEN, from: ME, to: POOL, amount: 1n },
      { asset: TOKEN, from: ME, to: POOL, amount: 1n },
    ])
  })

  it('reads what the wrapped coin mints and burns, and takes the same events of nobody else', async () => {
    rpc.simulates([
      log(WETH, 'Deposit(address,uint256)', [ME], amount(4n)),
      log(WETH, 'Withdrawal(address,uint256)', [ME], amount(3n)),
      log(TOKEN, 'Withdrawal(address,uint256)', [ME], amount(8n)),
      log(TOKEN, 'Approval(address,address,uint256)', [ME, POOL], amount(8n)),
    ])
    assert.deepEqual(await changes(), [
      { asset: WETH, from: ZERO_ADDRESS, to: ME, amount: 4n },
      { asset: WETH, from: ME, to: ZERO_ADDRESS, amount: 3n },
    ])
  })

  it('nets what leaves an account', () => {
    const left = outgoing(
      [
        { asset: TOKEN, from: ME, to: POOL, amount: 10n },
        { asset: TOKEN, from: POOL, to: ME, amount: 4n },
        { asset: 'native', from: POOL, to: ME, amount: 1n },
        { asset: WETH, from: ME, to: ME, amount: 1n },
        { asset: WETH, from: POOL, to: TOKEN, amount: 1n },
      ],
      ME,
    )
    assert.deepEqual([...left], [[TOKEN, 6n]])
  })

  it('says why it fails', async () => {
    const call = { status: '0x0', gasUsed: '0x1', returnData: '0x', logs: [] }
    const panic = `0x4e487b71${amount(0x11n).slice(2)}`
    for (const [result, reason] of [
      [{ ...call, error: { code: 3, message: 'x', data: panic } }, 'The call reverted with panic code 17.'],
      [{ ...call, returnData: '0xdeadbeef' }, 'The call reverted with error 0xdeadbeef.'],
      [call, 'The call reverted without a reason.'],
    ] as const) {
      rpc.lie('eth_simulateV1', { result: [{ calls: [result] }] })
      assert.deepEqual(await client.simulate(CALL), { ok: false, reason })
    }
    rpc.lie('eth_simulateV1', { error: { code: -32003, message: 'Insufficient funds\nsee https://node/key' } })
    assert.deepEqual(await client.simulate(CALL), {
      ok: false,
      reason: 'The call fails: Insufficient funds see (address)',
    })
  })

  it('reads no more of a reason than can be shown', async () => {
    const long = 'a'.repeat(1_500_000)
    const data = encodeErrorResult({
      abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }],
      args: [long],
    })
    rpc.lie('eth_simulateV1', { result: [{ calls: [{ status: '0x0', gasUsed: '0x1', returnData: data, logs: [] }] }] })
    assert.deepEqual(await client.simulate(CALL), { ok: false, reason: `The call reverted: ${'a'.repeat(200)}` })
    rpc.lie('eth_simulateV1', { error: { code: 3, message: 'method'.repeat(500_000) } })
    const simulation = await client.simulate(CALL)
    assert.ok(!simulation.ok)
    assert.match(simulation.reason, /^The call fails: (method){33}me$/)
  })

  it('falls back to a plain call where the node cannot simulate, and says that it saw no assets', async () => {
    rpc.lie('eth_simulateV1', { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } })
    assert.deepEqual(await client.simulate(CALL), { ok: true, gasUsed: null, assetChanges: null })
    rpc.lie('eth_call', { error: { code: 3, message: 'execution reverted', data: '0xdeadbeef' } })
    assert.deepEqual(await client.simulate(CALL), { ok: false, reason: 'The call reverted with error 0xdeadbeef.' })
  })

  it('never takes a malformed or empty answer for a success', async () => {
    const good = { status: '0x1', gasUsed: '0x1', returnData: '0x', logs: [] }
    for (const result of [
      [],
      [{ calls: [] }],
      [{ calls: [good, good] }],
      [{ calls: [{ ...good, status: '0x2' }] }],
      [{ calls: [{ ...good, status: undefined }] }],
      [{ calls: [{ ...good, logs: undefined }] }],
      [{ calls: [{ ...good, logs: [{ address: TOKEN, topics: ['0x1'], data: '0x' }] }] }],
      { calls: [good] },
    ]) {
      rpc.lie('eth_simulateV1', { result })
      await assert.rejects(client.simulate(CALL), { code: 'unavailable' })
    }
    rpc.lie('eth_simulateV1', { error: { code: -32000, message: 'header not found' } })
    await assert.rejects(client.simulate(CALL), { code: 'unavailable' })
  })
})
