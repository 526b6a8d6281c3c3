// What a node's answers to a trial are taken for, also where the node cannot simulate or lies.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { encodeAbiParameters, numberToHex, pad, toEventSelector } from 'viem'
import { type Chains, createChains } from '../../src/chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { runTrial } from '../../src/process/trial.ts'
import type { Trial } from '../../src/validation/index.ts'
import { type RpcStandIn, startRpcStandIn } from '../support/rpc-stand-in.ts'

const ME = toAddress(`0x${'11'.repeat(20)}`)
const POOL = toAddress(`0x${'22'.repeat(20)}`)
const TOKEN = toAddress(`0x${'33'.repeat(20)}`)
const Q96 = 2n ** 96n

const word = (value: bigint) => numberToHex(value, { size: 32, signed: value < 0n })
const ran = (data: Hex = '0x', logs: readonly object[] = []) => ({
  status: '0x1',
  gasUsed: '0x1',
  returnData: data,
  logs,
})
const FAILED = { status: '0x0', gasUsed: '0x1', returnData: '0x', logs: [] }
const step = { protocol: 'evm', chainId: 1, to: POOL, data: '0x', value: '7' } as const
const trialOf = (fields: Partial<Trial> = {}): Trial => ({
  txs: [step],
  wallet: ME,
  watched: [],
  probes: [],
  ...fields,
})

/** The log of a trade in a pool of v3: what it took and gave, and its price after it. */
function v3Log(amount0: bigint, amount1: bigint, sqrtPrice: bigint, pool: Hex = POOL) {
  const selector = toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)')
  const types = ['int256', 'int256', 'uint160', 'uint128', 'int24'].map((type) => ({ type }))
  const data = encodeAbiParameters(types, [amount0, amount1, sqrtPrice, 1n, 0])
  return { address: pool, topics: [selector, ...[ME, ME].map((one) => pad(one))], data }
}

describe('a trial at a node', () => {
  let rpc: RpcStandIn
  let chains: Chains

  before(async () => {
    rpc = await startRpcStandIn()
    chains = createChains([{ id: 1, name: 'Ethereum', rpcUrl: rpc.url }])
  })
  after(() => rpc.stop())
  afterEach(() => {
    for (const method of ['eth_simulateV1', 'eth_call']) rpc.lie(method, undefined)
  })
  const answers = (...calls: readonly object[]) => rpc.lie('eth_simulateV1', { result: [{ calls }] })

  it('asks for balances, steps, balances and probes in one sequence', async () => {
    answers(ran(word(9n)), ran(), ran(), ran(word(4n)), ran(word(0n)), ran(), ran(word(3n)))
    const simulated = await runTrial(
      chains,
      trialOf({
        txs: [step, { ...step, value: '0' }],
        watched: [{ asset: TOKEN, holder: ME }],
        probes: [{ asset: TOKEN, holder: POOL, amount: 5n }],
      }),
    )
    assert.deepEqual(simulated, {
      steps: 2,
      failed: null,
      changes: [-5n],
      arrivals: [{ ok: true, value: 3n }],
      pools: [],
    })
    const asked = rpc.calls.findLast(({ method }) => method === 'eth_simulateV1')?.params[0]
    const [{ calls }] = (asked as { blockStateCalls: [{ calls: { to: string; from?: string; value?: string }[] }] })
      .blockStateCalls
    assert.deepEqual(
      calls.map(({ to, from }) => [to, from]),
      [
        [TOKEN, undefined],
        [POOL, ME],
        [POOL, ME],
        [TOKEN, undefined],
        [TOKEN, undefined],
        [TOKEN, POOL],
        [TOKEN, undefined],
      ],
    )
    assert.equal(calls[1]?.value, '0x7')
  })

  it('names the first step that fails, and knows nothing beyond it', async () => {
    answers(ran(), FAILED)
    const failed = await runTrial(chains, trialOf({ txs: [step, step] }))
    assert.deepEqual(failed, {
      steps: 2,
      failed: { step: 1, reason: 'The call reverted without a reason.' },
      changes: null,
      arrivals: null,
      pools: null,
    })
    rpc.lie('eth_simulateV1', { error: { code: -38014, message: 'insufficient funds' } })
    assert.equal((await runTrial(chains, trialOf()))?.failed?.step, 0)
  })

  it('of a probe that fails, or tells nothing, is a refusal', async () => {
    const probes = [{ asset: TOKEN, holder: ME, amount: 5n }]
    answers(ran(), ran(word(0n)), FAILED, ran(word(0n)))
    assert.deepEqual((await runTrial(chains, trialOf({ probes })))?.arrivals, [
      { ok: false, reason: 'The call reverted without a reason.' },
    ])
    answers(ran(), ran(), ran(), ran())
    assert.equal((await runTrial(chains, trialOf({ probes })))?.arrivals?.[0]?.ok, false)
  })

  it('where the node cannot simulate runs the first step alone', async () => {
    rpc.lie('eth_simulateV1', { error: { code: -32601, message: 'the method does not exist' } })
    const nothing = { steps: 1, changes: null, arrivals: null, pools: null }
    assert.deepEqual(await runTrial(chains, trialOf({ txs: [step, step] })), { ...nothing, failed: null })
    rpc.lie('eth_call', { error: { code: 3, message: 'execution reverted' } })
    assert.equal((await runTrial(chains, trialOf()))?.failed?.step, 0)
  })

  it('is none without a node, for an order, or for steps on several chains', async () => {
    assert.equal(await runTrial(chains, trialOf({ txs: [{ ...step, chainId: 10 }] })), undefined)
    assert.equal(await runTrial(chains, trialOf({ txs: [step, { ...step, chainId: 10 }] })), undefined)
    assert.equal(await runTrial(chains, trialOf({ txs: [] })), undefined)
  })

  it('is never taken from an answer that left calls out', async () => {
    answers(ran())
    await assert.rejects(runTrial(chains, trialOf({ txs: [step, step] })), { code: 'unavailable' })
    rpc.lie('eth_simulateV1', { error: { code: -32000, message: 'header not found' } })
    await assert.rejects(runTrial(chains, trialOf()), { code: 'unavailable' })
  })

  it('measures trades against where the pool stood before each', async () => {
    // A price of 1 and no fee: 100 for 100 moves nothing, 100 for 90 a tenth.
    rpc.lie('eth_call', (params) => ({
      result: (params[0] as { data: Hex }).data === '0x3850c7bd' ? word(Q96) : word(0n),
    }))
    const impactsOf = async (...logs: readonly object[]) => {
      answers(ran('0x', logs))
      return (await runTrial(chains, trialOf()))?.pools?.map(({ impactBps }) => impactBps)
    }
    assert.deepEqual(await impactsOf(v3Log(100n, -100n, Q96)), [0])
    assert.deepEqual(await impactsOf(v3Log(100n, -90n, Q96)), [1_000])
    assert.deepEqual(await impactsOf(v3Log(-90n, 100n, Q96)), [1_000])
    // The second trade starts at four, where the first one left it: 100 should give 400.
    assert.deepEqual(await impactsOf(v3Log(100n, -100n, 2n * Q96), v3Log(100n, -360n, Q96)), [1_000])
    assert.deepEqual(await impactsOf(v3Log(100n, -100n, Q96), v3Log(100n, -50n, Q96, TOKEN)), [0, 5_000])
  })

  it('does not know how deep a pool is that says nothing', async () => {
    rpc.lie('eth_call', { error: { code: 3, message: 'execution reverted' } })
    answers(ran('0x', [v3Log(100n, -100n, Q96)]))
    assert.deepEqual((await runTrial(chains, trialOf()))?.pools, [{ pool: POOL, impactBps: null }])
  })
})
