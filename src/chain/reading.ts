import type { Block, ChainClient } from './chain-client.ts'
import type { Node } from './node.ts'
import { BlockAnswer, BytesAnswer, FeeHistoryAnswer, QuantityAnswer, SmallAnswer } from './rpc-answers.ts'
import { callObject, quantity } from './rpc-parameters.ts'

/** Chains whose nodes keep state of the latest block only (HyperEVM): a read pinned to a number fails there. */
const LATEST_ONLY: ReadonlySet<number> = new Set([999])

type Reading = Pick<
  ChainClient,
  'call' | 'readMany' | 'balanceOf' | 'blockNumber' | 'block' | 'transactionCount' | 'feeHistory'
>

/** The reads of a chain's state. */
export function reading(chainId: number, node: Node): Reading {
  const call: Reading['call'] = (request, { block, signal } = {}) => {
    const tag = block === undefined ? 'latest' : quantity(block)
    return node.attempt(BytesAnswer, { method: 'eth_call', params: [callObject(request), tag], signal })
  }
  const block: Reading['block'] = async ({ signal } = {}): Promise<Block> => {
    const question = { method: 'eth_getBlockByNumber', params: ['latest', false], signal }
    const answer = await node.ask(BlockAnswer, question)
    return { number: answer.number, timestamp: answer.timestamp, baseFeePerGas: answer.baseFeePerGas ?? 0n }
  }
  return {
    call,
    block,
    async readMany(calls, options = {}) {
      const at = await block(options)
      const pinned = LATEST_ONLY.has(chainId) ? options : { ...options, block: at.number }
      return { block: at, results: await Promise.all(calls.map((one) => call(one, pinned))) }
    },
    balanceOf: (address, tag = 'latest', { signal } = {}) =>
      node.ask(QuantityAnswer, { method: 'eth_getBalance', params: [address, tag], signal }),
    blockNumber: ({ signal } = {}) => node.ask(QuantityAnswer, { method: 'eth_blockNumber', params: [], signal }),
    transactionCount: (address, tag, { signal } = {}) =>
      node.ask(SmallAnswer, { method: 'eth_getTransactionCount', params: [address, tag], signal }),
    async feeHistory(blocks, { signal } = {}) {
      const question = { method: 'eth_feeHistory', params: [quantity(blocks), 'latest', [50]], signal }
      const answer = await node.ask(FeeHistoryAnswer, question)
      return { baseFeesPerGas: answer.baseFeePerGas, tips: (answer.reward ?? []).flatMap(([median]) => median ?? []) }
    },
  }
}
