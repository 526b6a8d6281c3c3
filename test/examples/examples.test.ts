// Each example does what its page says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, test } from 'node:test'
import { loopbackLogin } from '../../examples/mcp-client/loopback-login.ts'
import { valueOf } from '../../examples/own-tool/value-of.ts'
import { cancel, type Partner, verify } from '../../examples/partner-backend/verify.ts'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { toolsOfRun } from '../../src/harness/scheduled-run.ts'
import { nextSlots } from '../../src/harness/scheduler.ts'
import { createSkills } from '../../src/harness/skills.ts'
import { silentLog } from '../../src/lib/log.ts'
import { standInContext } from '../harness/stand-in-reader.ts'
import { startBotApi } from '../support/bot-api.ts'
import { startPostgres } from '../support/postgres.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples')
const WALLET = '0x00000000000000000000000000000000000a11ce'
const ADMIN = 'an-admin-key-of-a-test-of-the-examples'

const running = new Set<App>()
afterEach(async () => {
  for (const app of running) await app.stop()
  running.clear()
})

async function start(env: Readonly<Record<string, string>>, file: unknown = {}): Promise<string> {
  const probe = createServer()
  await new Promise<void>((ready) => probe.listen(0, '127.0.0.1', ready))
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  const app = await createApp(readConfig({ env: { ...env, PORT: String(port) }, file }), silentLog)
  running.add(app)
  await app.start()
  return `http://127.0.0.1:${port}`
}

test('minimal-bot answers its owner, and nobody else', async () => {
  const bot = await startBotApi()
  try {
    const file = JSON.parse(await readFile(join(EXAMPLES, 'minimal-bot', 'agents.config.json'), 'utf8')) as {
      channels: { telegram: object }
    }
    const telegram = { ...file.channels.telegram, apiRoot: bot.apiRoot }
    await start({ TELEGRAM_BOT_TOKEN: '1000:token' }, { ...file, channels: { telegram } })
    bot.say('help', { chat: 666, from: 666 })
    bot.say('help', { chat: 123456789, from: 123456789 })
    await bot.until(() => bot.of(123456789).find(({ text }) => /swap 100 USDC/.test(text)), 'the answer')
    assert.ok(!bot.of(666).some(({ text }) => /swap 100 USDC/.test(text)))
  } finally {
    for (const app of running) await app.stop()
    running.clear()
    await bot.close()
  }
})

test('partner-backend: verified, decided, given back; a retry answers the same', async () => {
  const url = await start({ SERVICE_ADMIN_KEY: ADMIN })
  const admin = async (method: string, path: string, body: object) => {
    const headers = { 'x-api-key': ADMIN, 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/admin${path}`, { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok, `${response.status} ${path}`)
    return (await response.json()) as { appId: string; apiKey: string }
  }
  const { appId, apiKey } = await admin('POST', '/integrators', { name: 'me' })
  await admin('POST', `/integrators/${appId}/wallets`, { walletAddress: WALLET, chainIds: [1] })
  await admin('PUT', `/policies/${WALLET}`, { caps: { perTxUsd: 5 } })
  const partner: Partner = { baseUrl: `${url}/api`, appId, apiKey }
  const proposedTx = { protocol: 'native', chainId: 1, to: WALLET, data: '0x', value: '1' }
  const first = await verify(partner, { walletAddress: WALLET, proposedTx }, 'one-action')
  assert.ok(first.verdict && ['approved', 'rejected'].includes(first.verdict.outcome))
  assert.deepEqual(await verify(partner, { walletAddress: WALLET, proposedTx }, 'one-action'), first)
  if (first.verdict.outcome === 'approved') assert.equal((await cancel(partner, first.id)).status, 'CANCELLED')
  await assert.rejects(verify({ ...partner, apiKey: 'cs_wrong' }, { walletAddress: WALLET, proposedTx }), /^Error: 401/)
})

test('mcp-client is not ended by whoever asks its port for what is no address', async () => {
  const { provider, answered, close } = await loopbackLogin(() => undefined)
  const { port } = new URL(String(provider.redirectUrl))
  const asked = async (path: string) => {
    const [response] = (await once(get({ port, host: '127.0.0.1', path }), 'response')) as [IncomingMessage]
    return text(response)
  }
  assert.equal(await asked('//'), 'Nothing is here.')
  assert.match(await asked('/callback?code=7'), /^Done/)
  assert.equal((await answered).get('code'), '7')
  close()
})

test('own-tool reads what it is handed, and refuses the rest', async () => {
  assert.ok(valueOf.kind === 'read')
  const worth = await valueOf.read({ token: 'WETH', amount: '0.5' }, standInContext())
  assert.deepEqual(worth, { ok: true, value: { message: '0.5 WETH are worth $1,500.00.', usd: '$1,500.00' } })
  for (const args of [{}, { token: 'WETH' }, { token: 'WETH', amount: '0' }, { token: 'WETH', amount: '1', to: 'me' }])
    assert.equal((await valueOf.read(args, standInContext())).ok, false)
})

test('own-skill loads, has its hour, and keeps to its tools', async () => {
  const skills = await createSkills({ folder: join(EXAMPLES, 'own-skill'), log: silentLog })
  const [skill] = skills.list()
  await skills.close()
  assert.ok(skill?.schedule)
  assert.deepEqual([skill.name, skills.problems()], ['gas-watch', []])
  const [next] = nextSlots(skill.schedule, Date.parse('2026-11-21T09:10:00Z'), 1)
  assert.equal(new Date(next ?? 0).toISOString(), '2026-11-21T10:00:00.000Z')
  assert.deepEqual(toolsOfRun(`schedule gas-watch ${next}`, skills), ['gas', 'price', 'read_skill'])
})

describe('docker-compose', () => {
  test('its environment starts the process on PostgreSQL', async () => {
    const text = await readFile(join(EXAMPLES, 'docker-compose', 'docker-compose.yml'), 'utf8')
    const given: Record<string, string> = {
      POSTGRES_PASSWORD: 'x',
      SERVICE_ADMIN_KEY: ADMIN,
      CONSOLE_TOKEN: 'a-console-token-of-a-test-of-the-examples',
    }
    const block = /countersign:[\s\S]*?environment:\n((?: {6}\w+: .*\n)+)/.exec(text)?.[1] ?? ''
    const env = Object.fromEntries(
      [...block.matchAll(/^ {6}(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll(/\$\{(\w+)(?::-)?\}/g, (_all, key: string) => given[key] ?? ''),
      ]),
    )
    assert.deepEqual(
      [env['EXECUTION_MODE'], env['DATABASE_URL']],
      ['dry-run', 'postgres://countersign:x@database/countersign'],
    )
    const server = await startPostgres()
    try {
      const url = await start({ ...env, DATABASE_URL: await server.createDatabase() })
      const ready = await fetch(`${url}/ready`)
      assert.equal(ready.status, 200)
    } finally {
      for (const app of running) await app.stop()
      running.clear()
      await server.stop()
    }
  })
})
