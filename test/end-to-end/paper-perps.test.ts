// A dry run at a stand-in of the venue of perpetuals: orders are filled at the mark on paper, and the venue hears of none.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { perpsWorld } from '../../scripts/demo/perps.ts'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Outbound } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'

async function withApp(paper: object, work: (say: (text: string) => Promise<string>) => Promise<void>): Promise<void> {
  const opened: (() => Promise<void>)[] = []
  const world = await perpsWorld({ opened, progress: () => undefined })
  const { PRIVATE_KEY: _, ...env } = world.env
  let app: App | undefined
  try {
    app = await createApp(readConfig({ env: { ...env, PORT: '0' }, file: { paper, ...world.file } }), silentLog)
    const { harness } = app
    let n = 0
    await work(async (text) => {
      const out: Outbound[] = []
      const message = { id: `m${n++}`, conversation: 'c', sender: 'o', text, isOwner: true }
      await harness.receive('web', message, async (one) => void out.push(one))
      return out
        .map((one) => ('text' in one ? one.text : one.type === 'verdict' ? (one.card.execution?.text ?? '') : ''))
        .join('\n')
    })
    assert.match(await world.ending(), /took 0 actions/)
  } finally {
    await app?.stop()
    for (const close of opened.reverse()) await close()
  }
}

it('fills at the mark with a fee, and keeps the margin account', async () => {
  await withApp({ balances: { USDC: '500' }, margin: '1000' }, async (say) => {
    assert.match(
      await say('Long 0.02 BTC perp'),
      /Filled on paper: \+0\.02 BTC at the venue, -1,200\.54 USD at the venue/,
    )
    assert.match(
      await say('My positions'),
      /worth 999\.46 US dollars.*long 0\.02 BTC at a mark of 60000 \(profit -0\.54\)/,
    )
    assert.match(
      await say('Long 0.01 BTC perp at 59000'),
      /not filled on paper\. The order would wait: the mark of BTC is 60000/,
    )
    assert.match(await say('Close 0.02 BTC long'), /-0\.02 BTC at the venue, \+1,199\.46 USD/)
    assert.match(await say('Withdraw 100 USDC'), /\+100 USDC, -100 USD at the venue/)
    assert.match(
      await say('/paper'),
      /\$1,498\.92, -\$1\.08 since then[\s\S]*chat: -\$1\.08 in 3 fills \(fees \$1\.08, gas \$0\.00\)/,
    )
  })
})

it('without a node that tells what the wallet has, nothing is filled, and it says so', async () => {
  await withApp({}, async (say) => {
    assert.match(await say('Long 0.02 BTC perp'), /not filled on paper\. .*(could not|node|RPC|answer)/i)
    assert.match(await say('/paper'), /Nothing was filled on paper yet/)
  })
})
