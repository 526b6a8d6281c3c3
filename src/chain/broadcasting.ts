import type { ChainClient } from './chain-client.ts'
import type { Node } from './node.ts'
import { printable } from './revert.ts'
import { ReceiptAnswer, TransactionAnswer } from './rpc-answers.ts'

/** What sends signed bytes and follows them. It signs nothing. */
export function broadcasting(node: Node): Pick<ChainClient, 'sendRaw' | 'receipt' | 'transactionByHash'> {
  return {
    async sendRaw(raw, { signal } = {}) {
      const reply = await node.reply({ method: 'eth_sendRawTransaction', params: [raw], signal })
      if (reply.ok) return { accepted: true }
      return { accepted: false, code: reply.error.code, message: printable(reply.error.message) }
    },
    async receipt(hash, { signal } = {}) {
      const method = 'eth_getTransactionReceipt'
      const answer = await node.ask(ReceiptAnswer, { method, params: [hash], signal })
      if (answer === null) return null
      const { transactionHash, status, ...rest } = answer
      if (transactionHash !== hash) throw node.fault(method, 'answered for another transaction')
      return { txHash: hash, status: status === '0x1' ? 'success' : 'reverted', ...rest }
    },
    async transactionByHash(hash, { signal } = {}) {
      const method = 'eth_getTransactionByHash'
      const answer = await node.ask(TransactionAnswer, { method, params: [hash], signal })
      if (answer === null) return null
      if (answer.hash !== hash) throw node.fault(method, 'answered for another transaction')
      return { hash, from: answer.from, nonce: answer.nonce, blockNumber: answer.blockNumber ?? null }
    },
  }
}
