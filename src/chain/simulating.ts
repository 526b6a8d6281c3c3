import type { z } from 'zod'
import { ok, refuse } from '../lib/result.ts'
import { assetChangesOf } from './asset-changes.ts'
import type { ChainClient, SequencedCall, Simulation } from './chain-client.ts'
import type { Node } from './node.ts'
import { poolTradesOf } from './pool-trades.ts'
import { failureReason, isCallFailure, isMethodMissing, revertReason } from './revert.ts'
import { BytesAnswer, QuantityAnswer, SequenceAnswer, type SimulatedCall, SimulationAnswer } from './rpc-answers.ts'
import { callObject } from './rpc-parameters.ts'

/** What runs a transaction without sending it. */
export function simulating(
  chainId: number,
  node: Node,
): Pick<ChainClient, 'estimateGas' | 'simulate' | 'simulateSequence'> {
  return {
    estimateGas: (call, { signal } = {}) =>
      node.attempt(QuantityAnswer, { method: 'eth_estimateGas', params: [callObject(call), 'latest'], signal }),
    async simulate(call, { signal } = {}) {
      const method = 'eth_simulateV1'
      const blocks = { blockStateCalls: [{ calls: [callObject(call)] }], traceTransfers: true }
      const reply = await node.reply({ method, params: [blocks, 'latest'], signal })
      if (reply.ok) return simulationOf(chainId, node.parse(SimulationAnswer, method, reply.result))
      if (isMethodMissing(reply.error)) {
        const plain = { method: 'eth_call', params: [callObject(call), 'latest'], signal }
        const returned = await node.attempt(BytesAnswer, plain)
        return returned.ok ? { ok: true, gasUsed: null, assetChanges: null } : returned
      }
      if (isCallFailure(reply.error)) return { ok: false, reason: failureReason(reply.error) }
      throw node.fault(method, `refused the call with code ${reply.error.code}`)
    },
    async simulateSequence(calls, { signal } = {}) {
      const method = 'eth_simulateV1'
      const blocks = { blockStateCalls: [{ calls: calls.map(callObject) }] }
      const reply = await node.reply({ method, params: [blocks, 'latest'], signal })
      if (reply.ok) {
        const [block] = node.parse(SequenceAnswer, method, reply.result)
        if (block.calls.length !== calls.length) throw node.fault(method, 'left out calls')
        return ok(block.calls.map(sequenced))
      }
      if (isMethodMissing(reply.error)) return null
      if (isCallFailure(reply.error)) return refuse(failureReason(reply.error))
      throw node.fault(method, `refused the call with code ${reply.error.code}`)
    },
  }
}

function sequenced(call: SimulatedCall): SequencedCall {
  if (call.status === '0x1') return { ok: true, data: call.returnData, trades: poolTradesOf(call.logs) }
  return { ok: false, reason: reasonOf(call) }
}

function simulationOf(chainId: number, [block]: z.output<typeof SimulationAnswer>): Simulation {
  const [call] = block.calls
  if (call.status === '0x0') return { ok: false, reason: reasonOf(call) }
  return { ok: true, gasUsed: call.gasUsed, assetChanges: assetChangesOf(chainId, call.logs) }
}

function reasonOf({ error, returnData }: Extract<SimulatedCall, { status: '0x0' }>): string {
  return revertReason(error?.data ?? returnData)
}
