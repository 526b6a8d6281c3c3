/** One JSON-RPC call; throws what the node answers as an error, with the node's error object as `cause`. */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>

type Reply = Readonly<{ result?: unknown; error?: Readonly<{ code: number; message: string; data?: unknown }> }>

/** Talks to the node without a client library in between, as most calls of the build are anvil's own methods. */
export function createRpc(url: string): Rpc {
  let id = 0
  return async (method, params = []) => {
    id += 1
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    })
    const reply = (await response.json()) as Reply
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`, { cause: reply.error })
    return reply.result
  }
}
