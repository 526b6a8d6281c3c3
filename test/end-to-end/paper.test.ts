// A dry run for days, on a chain with the venue's real contracts: what is approved is filled on paper at the real quote,
// later actions build on it, it outlives the process, and nothing is sent. In direct mode there is none of it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, afterEach, before, it } from 'node:test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Outbound, VerdictCard } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { temporaryFolder } from '../support/product.ts'

const key = generatePrivateKey()
const wallet = privateKeyToAddress(key)
const policy = { slippage: { maxBps: 100 }, caps: { perTxUsd: 250, outflow24hUsd: 300 } }

let chain: LocalChain
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let app: App | undefined
let n = 0
before(async () => {
  folder = await temporaryFolder()
  chain = await startLocalChain()
  await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: 1_000_000_000n } })
})
afterEach(async () => {
  await app?.stop()
  app = undefined
})
after(async () => {
  await chain.stop()
  await folder.remove()
})

async function start(file: object = {}, env: Readonly<Record<string, string>> = {}): Promise<App> {
  app = await createApp(
    readConfig({
      env: {
        DATABASE_URL: `file:${join(folder.path, 'store.sqlite')}`,
        WALLET_ADDRESS: wallet,
        RPC_URL: chain.rpcUrl,
        PORT: '0',
        ...env,
      },
      file: { chain: { id: 1 }, policy, agents: [{ id: 'main', name: 'Main', confirm: 'never' }], ...file },
    }),
    silentLog,
  )
  return app
}

/** Says something as the owner, and hears all that comes back. */
async function say(to: App, text: string): Promise<readonly Outbound[]> {
  const out: Outbound[] = []
  const message = { id: `m${n++}`, conversation: 'c', sender: 'owner', text, isOwner: true }
  await to.harness.receive('web', message, async (one) => void out.push(one))
  return out
}

const textOf = (out: readonly Outbound[]) => out.flatMap((one) => ('text' in one ? [one.text] : [])).join('\n')
const cardsOf = (out: readonly Outbound[]): readonly VerdictCard[] => [
  ...new Map(
    out.flatMap((one) => (one.type === 'verdict' ? [[one.card.requestHash, one.card] as const] : [])),
  ).values(),
]
const nonce = async () => Number(await chain.request('eth_getTransactionCount', [wallet, 'latest']))

it('fills at the real quote, builds on what was filled, and sends nothing', async () => {
  const first = await start()
  assert.match(textOf(await say(first, 'What do I hold?')), /1 ETH .* and 1,000 USDC/)
  assert.match(textOf(await say(first, '/paper')), /Nothing was filled on paper yet/)
  const swapped = cardsOf(await say(first, 'Swap 100 USDC for WETH'))
  assert.deepEqual(
    swapped.map(({ execution }) => execution?.ok),
    [true, true, true],
  )
  assert.match(
    swapped.at(-1)?.execution?.text ?? '',
    /Filled on paper: -100 USDC, \+0\.0\d+ WETH, -0\.\d+ ETH\. Nothing was sent\./,
  )
  const held = textOf(await say(first, 'What do I hold?'))
  assert.match(held, /900 USDC/)
  assert.match(held, /WETH/)
  // What is sold now is there on paper alone.
  const back = cardsOf(await say(first, 'Swap 0.01 WETH for USDC'))
  assert.deepEqual(
    back.map(({ outcome, execution }) => [outcome, execution?.ok]),
    [
      ['approved', true],
      ['approved', true],
      ['approved', true],
    ],
  )
  // The limit of the day counts what was filled.
  const third = cardsOf(await say(first, 'Swap 250 USDC for WETH'))
  assert.ok(
    third.some(({ reasonCode }) => reasonCode === 'outflow_24h_exceeded'),
    JSON.stringify(third),
  )
  const told = await say(first, '/paper')
  assert.match(textOf(told), /chat: [-+]\$[\d.]+ in 6 fills/)
  assert.ok(told.some(({ type }) => type === 'picture'))
  assert.match(textOf(await say(first, '/history')), /filled on paper\nSwap 0\.01 WETH/)
  assert.equal(await nonce(), 0)
})

it('outlives the process', async () => {
  const second = await start()
  assert.match(textOf(await say(second, '/paper')), /in 6 fills/)
  assert.match(textOf(await say(second, 'What do I hold?')), /9\d\d\.\d+ USDC/)
})

it('in direct mode reads the real wallet, and keeps no paper, whatever is configured', async () => {
  const real = await start({ paper: { balances: { USDC: '5000' } } }, { EXECUTION_MODE: 'direct', PRIVATE_KEY: key })
  const held = textOf(await say(real, 'What do I hold?'))
  assert.match(held, /1,000 USDC/)
  assert.doesNotMatch(held, /WETH/)
  assert.match(textOf(await say(real, '/paper')), /Paper is for dry runs/)
})

it('switched off, rehearses and keeps no books; with balances of its own, begins with them', async () => {
  const off = await start({ paper: { enabled: false } }, { DATABASE_URL: `file:${join(folder.path, 'off.sqlite')}` })
  const [approval] = cardsOf(await say(off, 'Swap 100 USDC for WETH'))
  assert.equal(approval?.execution?.text, 'Dry run: simulated, nothing was sent.')
  assert.match(textOf(await say(off, '/paper')), /No paper portfolio is kept/)
  await off.stop()
  const own = await start(
    { paper: { balances: { USDC: '42.5', ETH: '3' } } },
    { DATABASE_URL: `file:${join(folder.path, 'own.sqlite')}` },
  )
  assert.match(textOf(await say(own, 'What do I hold?')), /3 ETH .* and 42\.5 USDC/)
  assert.equal(await nonce(), 0)
})
