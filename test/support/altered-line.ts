import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a database on which what is asked can be altered, byte for byte. `open` says how many are on it. */
export async function alteredLine(url: string, alter: (asked: string) => string) {
  const { hostname, port } = new URL(url)
  const near = new Set<Socket>()
  const server = createServer((socket) => {
    const far = connect(Number(port), hostname)
    near.add(socket)
    socket.on('data', (data) => far.write(Buffer.from(alter(data.toString('latin1')), 'latin1')))
    far.on('data', (data) => socket.write(data))
    socket.on('error', () => {}).on('close', () => near.delete(socket) && far.destroy())
    far.on('error', () => {}).on('close', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const through = new URL(url)
  through.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return { url: through.href, open: () => near.size, close: () => void server.close() }
}
