import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalChain } from '../scripts/local-chain/index.ts'
import { startBotApi } from '../test/support/bot-api.ts'
import { startDiscord } from '../test/support/discord.ts'
import { type Answer, startModelServer } from '../test/support/model-servers.ts'
import { startProduct, temporaryFolder } from '../test/support/product.ts'
import { type Bench, duration, megabytes, quantile } from './measure.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const OWNER = 42
const WARM_UP = 20
const TURNS = 100
const STARTS = 5
const IDLE_MS = 5_000
/** The unit of /proc/<pid>/stat on every Linux that Node runs on. */
const TICK_MS = 10

/** The product as it is started, between stand-ins of its platforms and a model that answers at once. */
export const chatting: Bench = {
  title: 'A chat by Telegram',
  about: `\`node src/main.ts\` in dry-run beside stand-ins of the Bot API, of Discord, and of a model that answers at once: from a person's message to the last of the answer, with a tool call, a verdict and its simulation. ${TURNS} turns after ${WARM_UP}; ${STARTS} starts with both channels; memory after ${IDLE_MS / 1000} s without anything to do.`,
  async run() {
    if (process.platform !== 'linux') return [{ what: 'read from /proc: on Linux alone', median: '–' }]
    await using chain = await startLocalChain()
    await chain.fund(WALLET, { native: 10n ** 20n, tokens: { USDC: 1_000_000_000n } })
    const [bot, discord, folder] = [await startBotApi(), await startDiscord(), await temporaryFolder()]
    const model = await startModelServer('openai-completions', answerOf)
    const config = join(folder.path, 'config.json')
    const account = (env: string) => ({ main: { botToken: { env }, owners: [String(OWNER)] } })
    const file = {
      agents: [{ id: 'main', name: 'Bench', provider: 'instant', model: 'm' }],
      providers: { instant: { api: 'openai-completions', baseUrl: model.baseUrl, models: [{ id: 'm' }] } },
      policy: { caps: { perTxUsd: 500 } },
      channels: {
        telegram: { apiRoot: bot.apiRoot, accounts: account('TELEGRAM') },
        discord: { restUrl: discord.restUrl, gatewayUrl: discord.gatewayUrl, accounts: account('DISCORD') },
      },
    }
    writeFileSync(config, JSON.stringify(file))
    const env = {
      TELEGRAM: bot.token,
      DISCORD: discord.token,
      WALLET_ADDRESS: WALLET,
      RPC_URL: chain.rpcUrl,
      CONFIG_FILE: config,
      NODE_COMPILE_CACHE: join(folder.path, 'cache'),
    }
    const start = async () => {
      const from = performance.now()
      const product = await startProduct({ cwd: folder.path, env })
      for (;;) {
        const { body } = await product.send('GET', '/ready')
        const checks = Object.entries((body as Ready).checks).filter(([name]) => name.includes('/main'))
        if (checks.length === 2 && checks.every(([, { ok }]) => ok)) break
        await sleep(5)
      }
      return { product, ms: performance.now() - from }
    }
    const starts: { ms: number; cpu: number; idle: number }[] = []
    await (await start()).product.stop()
    for (let i = 0; i < STARTS; i++) {
      const { product, ms } = await start()
      const pid = product.child.pid ?? 0
      const cpu = cpuOf(pid)
      await sleep(IDLE_MS)
      starts.push({ ms, cpu, idle: memoryOf(pid) })
      await product.stop()
    }
    const { product } = await start()
    try {
      const pid = product.child.pid ?? 0
      const turn = async () => {
        const before = bot.of(OWNER).length
        const from = performance.now()
        bot.say('send 1 USDC to the wallet')
        await bot.until(() =>
          bot
            .of(OWNER)
            .slice(before)
            .some(({ text }) => text === 'Done.'),
        )
        return performance.now() - from
      }
      for (let i = 0; i < WARM_UP; i++) await turn()
      const cpuBefore = cpuOf(pid)
      const times: number[] = []
      for (let i = 0; i < TURNS; i++) times.push(await turn())
      const cpu = (cpuOf(pid) - cpuBefore) / TURNS
      assert.ok(bot.of(OWNER).some(({ text }) => text.startsWith('✓ Approved')))
      const spread = (values: readonly number[]) => ({
        median: duration(quantile(values, 0.5)),
        p95: duration(quantile(values, 0.95)),
      })
      return [
        { what: 'a turn with a tool call and a verdict', ...spread(times) },
        { what: 'CPU time of a turn, on average', median: duration(cpu) },
        { what: 'start until both channels are open', ...spread(starts.map(({ ms }) => ms)) },
        { what: 'CPU time of such a start', ...spread(starts.map(({ cpu }) => cpu)) },
        {
          what: 'memory (RSS) at rest, both channels and the embedded database included',
          median: megabytes(
            quantile(
              starts.map(({ idle }) => idle),
              0.5,
            ),
          ),
        },
      ]
    } finally {
      await product.stop()
      await Promise.all([model.close(), bot.close(), discord.close()])
      await folder.remove()
    }
  },
}

type Ready = Readonly<{ checks: Readonly<Record<string, Readonly<{ ok: boolean }>>> }>

/** A tool call, and then the words to its result. */
function answerOf({ body }: Readonly<{ body: Record<string, unknown> }>): Answer {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as { role: string }[]) : []
  if (messages.at(-1)?.role === 'tool') return { kind: 'text', text: 'Done.' }
  return { kind: 'tool-calls', calls: [{ name: 'transfer', arguments: { token: 'USDC', to: WALLET, amount: '1' } }] }
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}
