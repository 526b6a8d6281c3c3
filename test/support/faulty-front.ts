// A server in front of a node that can fail as networks and nodes do.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How everything that is asked fails. `slow` answers truly, after 30 s. */
export type NodeFault = 'none' | 'refused' | 'silent' | 'slow' | 'reset' | 'status 500' | 'bad JSON' | 'other chain'

/** The front of a node. Faults hold until the next one is set. */
export type FaultyFront = Readonly<{ url: string; fail(fault: NodeFault): Promise<void>; stop(): Promise<void> }>

const SLOW_MS = 30_000

export async function startFaultyFront(node: string): Promise<FaultyFront> {
  let fault: NodeFault = 'none'
  const timers = new Set<NodeJS.Timeout>()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const pass = async (change = (text: string) => text) => {
      const answer = await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(change(await answer.text()))
    }
    switch (fault) {
      case 'silent':
      case 'refused':
        return
      case 'slow':
        timers.add(setTimeout(() => void pass().catch(() => undefined), SLOW_MS))
        return
      case 'reset':
        request.socket.resetAndDestroy()
        return
      case 'status 500':
        response.writeHead(500).end('oops https://node.example/key')
        return
      case 'bad JSON':
        response.writeHead(200).end('{"jsonrpc":"2.0","id":1,"result":')
        return
      case 'other chain':
        return body.includes('eth_chainId')
          ? pass((text) => text.replace(/"result":"[^"]*"/, '"result":"0x5"'))
          : pass()
      case 'none':
        return pass()
    }
  }

  const server = createServer((request, response) => void serve(request, response))
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v2/secret-key-of-the-node`,
    async fail(next) {
      fault = next
      if (next === 'refused') await close()
      else if (!server.listening) await listen(port)
    },
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      await close()
    },
  }
}
