import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * The way to a database, which can be cut: whoever comes meanwhile is refused, and whoever is on it is cut off. It can also
 * fall silent: whoever is on it or comes meanwhile is never answered. When it speaks again it does so to those who come
 * then, and the far end learns who has hung up.
 */
export async function startLine(url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const state = { silent: false }
  const open = () => {
    const server = createServer((near) => {
      if (state.silent) {
        sockets.add(near.on('error', () => {}).on('close', () => sockets.delete(near)))
        return
      }
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
    silence() {
      state.silent = true
      for (const socket of sockets) socket.unpipe()
    },
    speak() {
      state.silent = false
      for (const socket of sockets) socket.resume()
    },
    async mend() {
      server = open().listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
