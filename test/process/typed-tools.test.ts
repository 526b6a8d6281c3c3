// `tools.typed: false` takes every tool away that needs a wallet, from the model and from what it could ask for.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Outbound } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type Asked, startModelServer } from '../support/model-servers.ts'

it('tools.typed: false leaves the tools of the harness itself alone', async () => {
  const asked: Asked[] = []
  const model = await startModelServer('openai-completions', (one) => {
    asked.push(one)
    return asked.length === 1
      ? { kind: 'tool-calls', calls: [{ name: 'swap', arguments: { sell: 'USDC', buy: 'WETH', amount: '1' } }] }
      : { kind: 'text', text: 'Done.' }
  })
  const config = readConfig({
    env: {
      WALLET_ADDRESS: '0x00000000000000000000000000000000000a11ce',
      RPC_URL: 'http://127.0.0.1:1',
      KEY: 'sk-of-a-test-that-is-played',
    },
    file: {
      tools: { typed: false },
      providers: {
        played: { api: 'openai-completions', baseUrl: model.baseUrl, apiKey: { env: 'KEY' }, models: [{ id: 'm' }] },
      },
    },
  })
  const app = await createApp(config, silentLog)
  try {
    const out: Outbound[] = []
    const message = { id: '1', conversation: 'c', sender: 'p', text: 'swap 1 USDC for WETH', isOwner: true }
    await app.harness.receive('web', message, async (one) => void out.push(one))
    const names = JSON.stringify(asked[0]?.body['tools'])
    assert.match(names, /remember/)
    assert.doesNotMatch(names, /"(swap|transfer|read_portfolio|price|simulate|lend_supply|perp_order)"/)
    assert.match(JSON.stringify(asked[1]?.body['messages']), /There is no such tool/)
    assert.ok(!out.some(({ type }) => type === 'verdict'))
    assert.equal(
      (await app.storage.stores.transactions.list({ wallet: config.wallet, limit: 5 } as never)).items.length,
      0,
    )
  } finally {
    await app.stop()
    await model.close()
  }
})
