// A way through for programs that cannot send a header of their own: it adds an API key to each request, and passes on
// everything else as it is.
import { once } from 'node:events'
import { createServer, request } from 'node:http'

/** Opens it on a free port, in front of a server on this machine. */
export async function openKeyBearer(port: number, key: string) {
  let passed = 0
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-api-key': key }
    const { method, url: path } = incoming
    passed++
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Requests that went through. */
    passed: () => passed,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
