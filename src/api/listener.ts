import { randomUUID } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { PROBLEM_TYPE, problemOf } from './error-body.ts'
import type { HeldPort } from './held-port.ts'

/** Longest wait for accepted requests when the server closes, in milliseconds. */
const CLOSE_WITHIN_MS = 8_000

/** Of that, the longest for requests that still come in. */
const DRAIN_WITHIN_MS = 6_000
const DRAIN_EVERY_MS = 25
const SEEN_WITHIN_MS = 300

/** How long a refused peer has to read why. */
const HEARD_WITHIN_MS = 1_000

/** Opens and closes an HTTP server. */
export function listener(server: HttpServer, log: Log) {
  const busy = new Map<Socket, number>()
  let closing = false
  server.on('connection', (socket: Socket) => {
    busy.set(socket, 0)
    socket.once('close', () => busy.delete(socket))
  })
  server.prependListener('request', ({ socket }, response) => {
    const count = (change: number) => busy.set(socket, (busy.get(socket) ?? 0) + change)
    count(1)
    if (closing) response.setHeader('Connection', 'close')
    response.once('close', () => {
      count(-1)
      if (closing) socket.end()
    })
  })
  // Node answers an unknown `Expect` by itself, with nothing but a status.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', refuseUnreadable)
  return {
    async listen(port: number | HeldPort, host: string): Promise<Readonly<{ port: number }>> {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        const begun = () => {
          server.off('error', reject)
          server.on('error', (error) => log.error({ message: error.message }, 'connection not accepted'))
          resolve()
        }
        if (typeof port === 'number') server.listen(port, host, begun)
        else server.listen(port.holder, begun)
      }).catch((cause: unknown) => {
        const number = typeof port === 'number' ? port : port.port
        throw new CountersignError('unavailable', `Cannot listen on ${host}:${number}: ${messageOf(cause)}`, { cause })
      })
      return { port: (server.address() as AddressInfo).port }
    },
    /** Goes on answering, on connections that it then closes, until nothing is asked any more. */
    async drain(): Promise<void> {
      closing = true
      const until = performance.now() + DRAIN_WITHIN_MS
      // Whoever looks whether the process is ready has to find it answering that it is not.
      await sleep(SEEN_WITHIN_MS)
      const asked = () => [...busy.values()].some((requests) => requests > 0)
      while (asked() && performance.now() < until) await sleep(DRAIN_EVERY_MS)
    },
    async close(): Promise<void> {
      if (!server.listening) return
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A connection that was opened and never asked anything is not idle to Node, and would hold the close.
      for (const [socket, requests] of busy) if (requests === 0) socket.destroy()
      const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
      await closed
      clearTimeout(deadline)
    },
  }
}

/** What Node's parser could not read, or did not get in time, never reaches a route: it is answered here. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const problem = problemOf(
    new CountersignError('invalid_request', UNREADABLE[error.code ?? ''] ?? 'This is no HTTP request.'),
    requestId,
  )
  const body = JSON.stringify(problem)
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Who does not close the other half would hold the connection for ever.
  setTimeout(() => socket.destroy(), HEARD_WITHIN_MS).unref()
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The header of the request is too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}
