import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { holdPort } from '../../src/api/index.ts'

describe('a held port', () => {
  it('turns away whoever comes before a server listens on it, and then is the server’s', async () => {
    const held = await holdPort('127.0.0.1')
    const early = connect(held.port, '127.0.0.1')
    await once(early, 'close')
    const server = createServer((_, response) => response.end('served'))
    await once(server.listen(held.holder), 'listening')
    assert.equal(await (await fetch(`http://127.0.0.1:${held.port}`)).text(), 'served')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await held.release()
    await assert.rejects(fetch(`http://127.0.0.1:${held.port}`))
  })

  it('is given back where no server came', async () => {
    const held = await holdPort('127.0.0.1')
    await held.release()
    const server = createServer().listen(held.port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  })

  it('is refused on an address that is not of this machine, by its name', async () => {
    await assert.rejects(holdPort('203.0.113.1'), /Cannot listen on 203\.0\.113\.1/)
  })
})
