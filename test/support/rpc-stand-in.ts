import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, keccak256, numberToHex, parseTransaction, recoverTransactionAddress } from 'viem'

/** A transaction that reached the stand-in, read back from its bytes. */
export type SentTransaction = Readonly<{
  raw: Hex
  hash: Hex
  from: string
  tx: ReturnType<typeof parseTransaction>
}>

/** What the stand-in does with one call instead of answering it truthfully. */
export type Lie =
  | Readonly<{ result: unknown }>
  | Readonly<{ error: Readonly<{ code: number; message: string; data?: string }> }>
  | Readonly<{ status: number; body: string }>
  | 'hang'
  | 'hang up'
  | 'truth'

type Params = readonly unknown[]
type Call = Readonly<{ method: string; params: Params; authorization: string | undefined }>

/** A node of our own that can lie. By default it mines what it is given at once, nonce by nonce. */
export type RpcStandIn = Readonly<{
  url: string
  /** Every call, in the order in which they arrived. */
  calls: readonly Call[]
  /** Every transaction that was given to it, resent ones too. */
  sent: readonly SentTransaction[]
  /** Answers a method with a lie from now on; `undefined` goes back to the truth. */
  lie(method: string, lie: Lie | ((params: Params) => Lie) | undefined): void
  /** Whether transactions are mined as they come, and whether they revert when they are. */
  mining(mode: 'at once' | 'never' | 'reverting'): void
  /** The asset changes that a simulation reports, as logs. */
  simulates(logs: readonly object[]): void
  stop(): Promise<void>
}>

/** Starts a JSON-RPC server for one chain id on a free port. */
export async function startRpcStandIn({ chainId = 1 } = {}): Promise<RpcStandIn> {
  const calls: Call[] = []
  const sent: SentTransaction[] = []
  const lies = new Map<string, (params: Params) => Lie>()
  const chain = createFakeChain(chainId, sent)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Call & { id: number }
    calls.push({ method, params, authorization: request.headers.authorization })
    const lie = lies.get(method)?.(params) ?? 'truth'
    if (lie === 'hang') return
    if (lie === 'hang up') return void request.socket.destroy()
    if (lie !== 'truth' && 'status' in lie) return void response.writeHead(lie.status).end(lie.body)
    const answer = lie === 'truth' ? await chain.answer(method, params) : lie
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/secret-key-of-the-node`,
    calls,
    sent,
    lie: (method, lie) =>
      void (lie === undefined ? lies.delete(method) : lies.set(method, typeof lie === 'function' ? lie : () => lie)),
    mining: (mode) => chain.mining(mode),
    simulates: (logs) => chain.simulates(logs),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Answer = Readonly<{ result: unknown }> | Readonly<{ error: Readonly<{ code: number; message: string }> }>

function createFakeChain(chainId: number, sent: SentTransaction[]) {
  const known = new Map<Hex, SentTransaction>()
  const mined = new Map<Hex, 'success' | 'reverted'>()
  const mempool = new Map<string, SentTransaction>()
  const nonces = new Map<string, number>()
  let mode: 'at once' | 'never' | 'reverting' = 'at once'
  let logs: readonly object[] = []

  function mine(from: string): void {
    for (;;) {
      const nonce = nonces.get(from) ?? 0
      const next = mempool.get(`${from}:${nonce}`)
      if (next === undefined || mode === 'never') return
      mined.set(next.hash, mode === 'reverting' ? 'reverted' : 'success')
      nonces.set(from, nonce + 1)
    }
  }

  function pendingNonce(from: string): number {
    let nonce = nonces.get(from) ?? 0
    while (mempool.has(`${from}:${nonce}`)) nonce += 1
    return nonce
  }

  async function send(raw: Hex): Promise<Answer> {
    const from = (await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toLowerCase()
    const one = { raw, hash: keccak256(raw), from, tx: parseTransaction(raw) }
    sent.push(one)
    const nonce = one.tx.nonce ?? 0
    if (one.tx.chainId !== chainId) return { error: { code: -32000, message: 'invalid chain id for signer' } }
    if (known.has(one.hash)) return { error: { code: -32003, message: 'transaction already imported' } }
    if (nonce < (nonces.get(from) ?? 0)) return { error: { code: -32003, message: 'nonce too low' } }
    known.set(one.hash, one)
    mempool.set(`${from}:${nonce}`, one)
    mine(from)
    return { result: one.hash }
  }

  function receipt(hash: Hex): object | null {
    const status = mined.get(hash)
    const one = known.get(hash)
    if (status === undefined || one === undefined) return null
    return {
      transactionHash: hash,
      status: status === 'success' ? '0x1' : '0x0',
      blockNumber: '0x10',
      blockHash: `0x${'ab'.repeat(32)}`,
      from: one.from,
      gasUsed: '0x5208',
    }
  }

  function transaction(hash: Hex): object | null {
    const one = known.get(hash)
    if (one === undefined) return null
    return {
      hash,
      from: one.from,
      nonce: numberToHex(one.tx.nonce ?? 0),
      blockNumber: mined.has(hash) ? '0x10' : null,
    }
  }

  async function answer(method: string, params: Params): Promise<Answer> {
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return { result: numberToHex(chainId) }
      case 'eth_blockNumber':
        return { result: '0x10' }
      case 'eth_getBlockByNumber':
        return { result: { number: '0x10', timestamp: '0x68000000', baseFeePerGas: '0x3b9aca00' } }
      case 'eth_getBalance':
        return { result: numberToHex(10n ** 20n) }
      case 'eth_getTransactionCount': {
        const from = (first as string).toLowerCase()
        return { result: numberToHex(second === 'pending' ? pendingNonce(from) : (nonces.get(from) ?? 0)) }
      }
      case 'eth_feeHistory':
        return { result: { oldestBlock: '0xf', baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'], reward: [['0x5f5e100']] } }
      case 'eth_estimateGas':
        return { result: '0xc350' }
      case 'eth_call':
        return { result: '0x' }
      case 'eth_simulateV1':
        return { result: [{ calls: [{ status: '0x1', gasUsed: '0xb000', returnData: '0x', logs }] }] }
      case 'eth_sendRawTransaction':
        return send(first as Hex)
      case 'eth_getTransactionReceipt':
        return { result: receipt(first as Hex) }
      case 'eth_getTransactionByHash':
        return { result: transaction(first as Hex) }
      default:
        return { error: { code: -32601, message: 'Method not found' } }
    }
  }

  return {
    answer,
    mining(next: typeof mode) {
      mode = next
      for (const one of known.values()) mine(one.from)
    },
    simulates(next: readonly object[]) {
      logs = next
    },
  }
}
