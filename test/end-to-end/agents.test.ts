// Memory over a restart, skills, and the verification by curl: a whole application, and a model that is played.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Outbound } from '../../src/harness/channel.ts'
import type { WebEvent } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type Asked, type ModelServer, type Script, startModelServer } from '../support/model-servers.ts'
import { temporaryFolder } from '../support/product.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const KEY = 'cs_agent_0123456789abcdef0123456789abcdef0123456789abcdef'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

async function startApp(databaseUrl: string, model: ModelServer, file: object = {}): Promise<App> {
  const env = { DATABASE_URL: databaseUrl, WALLET_ADDRESS: WALLET, SERVICE_API_KEY: KEY, MODEL_KEY: 'sk-played' }
  const providers = {
    played: { api: 'openai-completions', baseUrl: model.baseUrl, apiKey: { env: 'MODEL_KEY' }, models: [{ id: 'm' }] },
  }
  const app = await createApp(readConfig({ env, file: { port: await freePort(), providers, ...file } }), silentLog)
  await app.start()
  running.add(app)
  return app
}

let n = 0
const seen = new Map<string, number>()
const running = new Set<App>()
afterEach(async () => {
  for (const app of running) await app.stop()
  running.clear()
  seen.clear()
})

/** Says something in the web chat, and gives all that came back. */
async function say(app: App, text: string, conversation = 'c'): Promise<readonly Outbound[]> {
  const out: Outbound[] = []
  const ended = Promise.withResolvers<void>()
  const listen = ({ id, message }: WebEvent) => {
    seen.set(conversation, id)
    out.push(message)
    if (message.type === 'end') ended.resolve()
  }
  const stop = app.chat.subscribe(conversation, listen, seen.get(conversation) ?? 0)
  await app.chat.post({ id: `m${n++}`, conversation, sender: 'owner', text })
  await ended.promise
  stop()
  return out
}

const asText = (out: readonly Outbound[]) => out.flatMap((one) => ('text' in one ? [one.text] : [])).join('\n')
const toldOf = ({ body }: Asked) => JSON.stringify(body['messages'])

test('facts and conversations outlive the process, are listed and deleted by their person', async () => {
  const folder = await temporaryFolder()
  const url = `file:${join(folder.path, 'store.sqlite')}`
  const script: Script = (asked) =>
    /Remember that/.test(toldOf(asked)) && !/"tool"/.test(toldOf(asked))
      ? { kind: 'tool-calls', calls: [{ name: 'remember', arguments: { fact: 'Prefers DAI to USDC.' } }] }
      : { kind: 'text', text: 'Fine.' }
  const model = await startModelServer('openai-completions', script)
  const first = await startApp(url, model)
  await say(first, 'Remember that I prefer DAI')
  assert.match(asText(await say(first, '/memory')), /1\. Prefers DAI to USDC\./)
  await first.stop()
  running.delete(first)
  seen.clear()

  const second = await startApp(url, model)
  await say(second, 'And now?')
  const told = toldOf(model.asked.at(-1) ?? assert.fail())
  assert.match(told, /Remember that I prefer DAI/, 'the conversation goes on')
  await say(second, 'Elsewhere', 'other')
  const other = toldOf(model.asked.at(-1) ?? assert.fail())
  assert.match(other, /1\. \\"Prefers DAI to USDC\.\\"|Prefers DAI/, 'the fact is known in other conversations')
  assert.doesNotMatch(other, /Remember that I prefer/)
  assert.match(other, /- portfolio-report: /, 'the catalogue of skills is there')
  assert.doesNotMatch(other, /Propose nothing\. This skill reads\./, 'and not what they say')
  await say(second, '/new')
  await say(second, 'Who am I?')
  assert.doesNotMatch(toldOf(model.asked.at(-1) ?? assert.fail()), /Remember that I prefer/)
  assert.match(asText(await say(second, '/forget 1')), /Forgotten/)
  await say(second, 'Still?', 'third')
  assert.doesNotMatch(toldOf(model.asked.at(-1) ?? assert.fail()), /Prefers DAI/)
  await second.stop()
  running.delete(second)
  await model.close()
  await folder.remove()
})

test('the skill shell-verification submits by curl and reads the decision; no word has the key', async () => {
  const folder = await temporaryFolder()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}/api`
  const tx = { to: WALLET, value: '1', data: '0x' }
  const body = JSON.stringify({ escrowAddress: WALLET, userPrompt: 'Keep one wei.', chainId: 1, tx })
  let requestHash = ''
  const script: Script = (asked) => {
    const results = (asked.body['messages'] as { role: string; content: string }[]).filter(
      ({ role }) => role === 'tool',
    )
    const last = results.at(-1)?.content ?? ''
    requestHash = /requestHash\\*":\\*"(0x[0-9a-f]{64})/.exec(last)?.[1] ?? requestHash
    const bash = (command: string) =>
      ({ kind: 'tool-calls', calls: [{ name: 'bash', arguments: { command } }] }) as const
    if (results.length === 0)
      return { kind: 'tool-calls', calls: [{ name: 'read_skill', arguments: { name: 'shell-verification' } }] }
    if (results.length === 1) return bash(`curl -sS -f --json '${body}' ${base}/transactions`)
    if (/REJECTED|APPROVED/.test(last) || results.length > 6) return { kind: 'text', text: 'Decided.' }
    return bash(`curl -sS -f -m 5 ${base}/transactions/${requestHash}/approval-status`)
  }
  const model = await startModelServer('openai-completions', script)
  const app = await startApp(`file:${join(folder.path, 'store.sqlite')}`, model, {
    port,
    tools: { bash: { enabled: true, allow: { commands: ['curl'], paths: [] }, serviceKey: true } },
    policy: { caps: { perTxUsd: 1 } },
  })
  const out = await say(app, 'Verify it with curl')
  assert.match(asText(out), /Decided\./)
  const told = toldOf(model.asked.at(-1) ?? assert.fail())
  assert.match(told, /Verification with curl/, 'the instructions were read')
  assert.match(told, /reviewer.*(REJECTED|APPROVED)/)
  assert.match(requestHash, /^0x[0-9a-f]{64}$/)
  assert.doesNotMatch(JSON.stringify(model.asked), new RegExp(KEY))
  await app.stop()
  running.delete(app)
  await model.close()
  await folder.remove()
})

test('an idle application asks no model: not at the start, not by its schedules, not by its skills', async () => {
  const model = await startModelServer('openai-completions', [{ kind: 'text', text: 'Hi' }])
  const folder = await temporaryFolder()
  const app = await startApp(`file:${join(folder.path, 'store.sqlite')}`, model)
  assert.match(asText(await say(app, '/schedules')), /Nothing is scheduled/)
  assert.match(asText(await say(app, '/skills')), /shell-verification: /)
  assert.equal(model.asked.length, 0)
  await app.stop()
  running.delete(app)
  await model.close()
  await folder.remove()
})
