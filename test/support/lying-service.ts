// A server in front of a policy service that can lie, be slow, break off or be gone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the front sees it. */
export type Asked = Readonly<{ method: string; path: string; body: string }>

/** A true answer on its way. */
export type Answered = Readonly<{ status: number; json: unknown }>

/**
 * What is done with a request. `pass` asks the true service. Without a lie its answer goes through as it is; `text` is sent
 * as it is; `drop` asks, and breaks off; `lose` breaks off without asking; `silence` never answers.
 */
export type Lie = (
  asked: Asked,
  pass: () => Promise<Answered>,
) => Promise<
  | Answered
  | Readonly<{ status: number; text: string; headers?: Record<string, string> }>
  | 'drop'
  | 'silence'
  | undefined
>

/** The front of a service. A lie holds until the next one is told. */
export type LyingService = Readonly<{
  url: string
  asked: readonly Asked[]
  tell(lie: Lie | undefined): void
  stop(): Promise<void>
}>

export async function startLyingService(service: string): Promise<LyingService> {
  let lie: Lie | undefined
  const asked: Asked[] = []

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = { method: request.method ?? '', path: request.url ?? '', body: Buffer.concat(chunks).toString() }
    asked.push(one)
    const pass = async () => {
      const headers = { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' }
      const init = one.body === '' ? { method: one.method, headers } : { method: one.method, headers, body: one.body }
      const answer = await fetch(`${service}${one.path}`, init)
      return { status: answer.status, json: (await answer.json()) as unknown }
    }
    const said = (await lie?.(one, pass)) ?? (await pass())
    if (said === 'silence') return
    if (said === 'drop') {
      request.socket.resetAndDestroy()
      return
    }
    const { status } = said
    const headers = { 'content-type': 'application/json', ...('headers' in said && said.headers) }
    response.writeHead(status, headers).end('text' in said ? said.text : JSON.stringify(said.json))
  }

  const server = createServer(
    (request, response) => void serve(request, response).catch(() => request.socket.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    tell(next) {
      lie = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
