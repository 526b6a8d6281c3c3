// What becomes of an answer without an end: no more of it is read than is allowed.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createChains, createHyperliquid, createPolymarket } from '../../src/chain/index.ts'

const MEGABYTE = Buffer.alloc(1_000_000, ' ')

describe('an answer without an end', () => {
  const server = createServer((_, response) => pour(response))
  let url = ''
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('of a node is too much', async () => {
    const chain = createChains([{ id: 1, name: 'Ethereum', rpcUrl: url }]).of(1)
    assert.ok(chain)
    await assert.rejects(chain.blockNumber(), /answered with too much/)
  })

  it('of a venue is not as it should be', async () => {
    const hyperliquid = createHyperliquid({ url, weightPerMinute: 1_000, now: () => 0 })
    await assert.rejects(hyperliquid.markets(), /Hyperliquid did not answer as it should/)
    const polymarket = createPolymarket({ url, marketsUrl: url, dataUrl: url, now: () => 0 })
    await assert.rejects(polymarket.search('rain'), /Polymarket did not answer as it should/)
  })
})

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(MEGABYTE));
  if (!response.destroyed) response.once('drain', () => pour(response))
}
