// Where requests to venues go: below the address that is configured, whatever its path.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createHyperliquid, createPolymarket } from '../../src/chain/index.ts'

describe('a venue behind a path', () => {
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    response.end('{}')
  })
  let origin = ''
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    asked.length = 0
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  for (const base of ['', '/', '/venue', '/venue/'])
    it(`is asked there: ${base || 'none'}`, async () => {
      const url = `${origin}${base}`
      const path = base.replace(/\/$/, '')
      await assert.rejects(createHyperliquid({ url, weightPerMinute: 100, now: () => 0 }).markets())
      await createPolymarket({ url, marketsUrl: url, dataUrl: url, now: () => 0 }).search('rain')
      assert.deepEqual(
        asked.map((one) => one?.split('?')[0]),
        [`${path}/info`, `${path}/public-search`],
      )
    })
})
