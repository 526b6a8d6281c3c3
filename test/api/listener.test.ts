import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { listener } from '../../src/api/listener.ts'
import { silentLog } from '../../src/lib/log.ts'

const LIMITS = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }

describe('a peer that is refused, and never closes its side', () => {
  const server = createServer(LIMITS, (request) => void request.on('error', () => {}).resume())
  const { listen, close } = listener(server, silentLog)
  after(close)

  const UNFINISHED = [
    '',
    'hello\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc',
  ]

  it('is told why, and holds no connection', { timeout: 20_000 }, async () => {
    const { port } = await listen(0, '127.0.0.1')
    const peers = UNFINISHED.map((text) => {
      const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => peer.write(text))
      return peer.on('error', () => {}).setEncoding('utf8')
    })
    const answers = peers.map(async (peer) => {
      let answer = ''
      peer.on('data', (piece: string) => {
        answer += piece
      })
      await once(peer, 'end')
      return answer
    })
    for (const answer of await Promise.all(answers))
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n.*"error":"invalid_request"/s)
    const held = promisify(server.getConnections.bind(server))
    while ((await held()) > 0) await sleep(20)
    for (const peer of peers) peer.destroy()
  })
})
