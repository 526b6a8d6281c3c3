import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The way to a database, which can be cut: whoever comes meanwhile is refused, and whoever is on it is cut off. */
export async function startLine(url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const open = () => {
    const server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one)
        one
          .on('error', () => {})
          .on('close', () => {
            sockets.delete(one)
            other.destroy()
          })
        one.pipe(other)
      }
    })
    return server
  }
  let server = open().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(port)
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    url: through.href,
    cut,
    async mend() {
      server = open().listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
