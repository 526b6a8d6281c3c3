import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { startLocalChain } from '../scripts/local-chain/index.ts'
import { type App, createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { silentLog } from '../src/lib/log.ts'
import { type Bench, duration, quantile } from './measure.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const WARM_UP = 5
const TURNS = 50

/** One turn of a conversation with a verdict, through the product as it is built. */
export const turning: Bench = {
  title: 'A turn with a verdict',
  about: `In dry-run, through \`app.ts\`: a sentence, the rule-based model, a tool, decoding, facts from a local chain, 15 checks, the stored verdict, simulation, the card. ${TURNS} turns after ${WARM_UP}.`,
  async run() {
    await using chain = await startLocalChain()
    await chain.fund(WALLET, { native: 10n ** 20n, tokens: { USDC: 1_000_000_000n } })
    const file = { policy: { caps: { perTxUsd: 500 } } }
    const app = await createApp(readConfig({ env: { WALLET_ADDRESS: WALLET, RPC_URL: chain.rpcUrl }, file }), silentLog)
    try {
      const sentence = `send 1 USDC to ${WALLET}`
      for (let i = 0; i < WARM_UP; i++) await turn(app, sentence)
      const times: number[] = []
      for (let i = 0; i < TURNS; i++) times.push(await turn(app, sentence))
      return [
        {
          what: 'a transfer to the wallet itself',
          median: duration(quantile(times, 0.5)),
          p95: duration(quantile(times, 0.95)),
        },
      ]
    } finally {
      await app.stop()
    }
  },
}

async function turn({ harness }: App, text: string): Promise<number> {
  const outcomes: string[] = []
  const from = performance.now()
  await harness.receive(
    'bench',
    { id: crypto.randomUUID(), conversation: 'bench', sender: 'bench', text },
    async (message) => {
      if (message.type === 'verdict') outcomes.push(message.card.outcome)
      if (message.type === 'error') outcomes.push(message.text)
    },
  )
  const took = performance.now() - from
  assert.ok(outcomes.includes('approved'), outcomes.join('; ') || 'no verdict')
  return took
}
