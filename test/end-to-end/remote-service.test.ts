// Two processes: a policy service that decides, and a harness that has its actions decided there, signs and sends. The
// service is killed in the middle of turns: the person is told, the action goes on when it is back, and nothing ever
// leaves that the service does not count.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { createClient } from '../../src/client/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { failedStart, launch, type Product, startProduct, temporaryFolder } from '../support/product.ts'
import { volume } from '../support/volume.ts'

const TOKEN = 'a-console-token-of-a-remote-test-that-is-long'
const API_KEY = 'an-agent-key-of-a-remote-test-that-is-long-enough'
const ADMIN_KEY = 'an-admin-key-of-a-remote-test-that-is-long-enough'
const FRIEND = '0x00000000000000000000000000000000000b0b00'
/** Milliseconds after the message at which the service is killed. */
const KILLS = Array.from({ length: volume(3, 24) }, (_, n) => (n * 97) % 460)

type Row = Readonly<Record<string, string | number | bigint | null>>
type Said = Readonly<{ type: string; text?: string; card?: Card }>
type Card = Readonly<{
  requestHash: string
  outcome: string
  reasonCode: string
  execution: { mode: string; ok: boolean; text: string; txHash: string | null } | null
}>

for (const store of ['SQLite', 'PostgreSQL'] as const)
  describe(`a harness and a service on ${store}`, () => {
    const key = generatePrivateKey()
    const wallet = privateKeyToAddress(key)
    let chain: LocalChain
    let postgres: TestPostgres | undefined
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let service: Product
    let port = '0'
    let serviceDatabase = ''
    const running = new Set<Product>()

    before(async () => {
      folder = await temporaryFolder()
      chain = await startLocalChain()
      await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: 10_000_000_000n } })
      if (store === 'PostgreSQL') postgres = await startPostgres()
      serviceDatabase = (await postgres?.createDatabase()) ?? `file:${join(folder.path, 'service.sqlite')}`
      const policy = {
        slippage: { maxBps: 100 },
        recipients: { allow: [FRIEND] },
        caps: { perTxUsd: 250, outflow24hUsd: 5_000 },
        approvalTtlSeconds: 20,
      }
      await writeFile(join(folder.path, 'service.json'), JSON.stringify({ chain: { id: 1 }, policy }))
      service = await startService()
      port = new URL(service.url).port
    })
    after(async () => {
      for (const product of running) await product.stop()
      await chain?.stop()
      await postgres?.stop()
      await folder?.remove()
    })

    async function start(env: Readonly<Record<string, string>>, role: string, config: string): Promise<Product> {
      const product = await startProduct({
        cwd: folder.path,
        args: ['--role', role, '--config', join(folder.path, config)],
        env: { WALLET_ADDRESS: wallet, RPC_URL: chain.rpcUrl, SERVICE_API_KEY: API_KEY, ...env },
      })
      running.add(product)
      return product
    }

    const startService = () =>
      start({ PORT: port, DATABASE_URL: serviceDatabase, SERVICE_ADMIN_KEY: ADMIN_KEY }, 'service', 'service.json')

    /** A harness with a database of its own, which knows of the service what its file says. */
    async function startHarness(name: string, env: Readonly<Record<string, string>> = {}): Promise<Product> {
      const file = {
        chain: { id: 1 },
        agents: [{ id: 'main', name: 'Main', confirm: 'never' }],
        service: { url: `${service.url}/api` },
      }
      await writeFile(join(folder.path, `${name}.json`), JSON.stringify(file))
      const database = `file:${join(folder.path, `${name}.sqlite`)}`
      return start({ CONSOLE_TOKEN: TOKEN, DATABASE_URL: database, ...env }, 'harness', `${name}.json`)
    }
    const direct = { EXECUTION_MODE: 'direct', PRIVATE_KEY: key }

    const rows = (name: string, sql: string): readonly Row[] => {
      const open = new DatabaseSync(join(folder.path, `${name}.sqlite`), { readOnly: true })
      try {
        return open.prepare(sql).all() as Row[]
      } finally {
        open.close()
      }
    }
    const api = () => createClient({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey: API_KEY })
    const nonce = async () => Number(await chain.request('eth_getTransactionCount', [wallet, 'latest']))
    const statusThere = async (requestHash: string) => {
      const listed = await api().call('listTransactions', { query: { limit: '100' } })
      assert.ok(listed.ok)
      return listed.body.items.find((one) => one.requestHash === requestHash)?.status
    }

    const onlyHere = (name: string, work: () => Promise<void>) => {
      if (store === 'SQLite') void it(name, work)
    }

    onlyHere('refuses to start where it cannot learn whose receipts to believe', async () => {
      await writeFile(join(folder.path, 'gone.json'), '{"service":{"url":"http://127.0.0.1:64999/api"}}')
      const env = { WALLET_ADDRESS: wallet, SERVICE_API_KEY: API_KEY }
      const args = ['--config', join(folder.path, 'gone.json')]
      assert.match(await failedStart({ cwd: folder.path, env, args }), /could not be reached.*service\.publicKey/s)
    })

    onlyHere('serves its probes alone, and the service no chat', async () => {
      const harness = await startHarness('probes')
      const status = async (url: string) => (await fetch(url)).status
      assert.deepEqual(
        await Promise.all(
          ['/health', '/ready', '/metrics', '/api', '/validation/health'].map((p) => status(harness.url + p)),
        ),
        [200, 200, 200, 404, 404],
      )
      assert.deepEqual([await status(`${service.url}/console`), await status(`${service.url}/api`)], [404, 200])
      const ready = (await (await fetch(`${harness.url}/ready`)).json()) as { checks: Record<string, unknown> }
      assert.deepEqual(ready.checks['service'], { ok: true })
      await harness.stop()
    })

    onlyHere('in a dry run: decided there, tried here, and nothing is sent', async () => {
      const harness = await startHarness('dry')
      const before = await nonce()
      const cards = cardsOf(await turn(harness, 'Swap 20 USDC for WETH'))
      const last = cards.at(-1)
      assert.deepEqual([last?.outcome, last?.execution?.mode], ['approved', 'dry-run'])
      assert.equal(await statusThere(last?.requestHash ?? ''), 'APPROVED')
      const rejected = cardsOf(await turn(harness, 'Swap 2000 USDC for WETH'))
      assert.ok(
        rejected.some(({ reasonCode }) => reasonCode === 'per_tx_cap_exceeded'),
        JSON.stringify(rejected),
      )
      const limits = await turn(harness, '/limits')
      assert.match(textOf(limits), /at most \$250\.00[\s\S]*counted by the policy service/)
      assert.equal(await nonce(), before)
      await harness.stop()
    })

    it('in direct mode: decided there, reported before it is sent, executed here, and posted there', async () => {
      const harness = await startHarness('direct', direct)
      const cards = cardsOf(await turn(harness, 'Swap 20 USDC for WETH'))
      const done = cards.filter(({ execution }) => execution?.ok === true)
      assert.ok(done.length >= 1, JSON.stringify(cards))
      for (const { requestHash, execution } of done) {
        assert.equal(await statusThere(requestHash), 'EXECUTED')
        const receipt = (await chain.request('eth_getTransactionReceipt', [execution?.txHash])) as { status: string }
        assert.equal(receipt.status, '0x1')
      }
      assert.equal(await nonce(), done.length)
      await harness.stop()
      const verify = launch({
        cwd: folder.path,
        entry: 'src/audit-verify.ts',
        env: { DATABASE_URL: `file:${join(folder.path, 'direct.sqlite')}` },
      })
      assert.equal((await verify.exited).code, 0, verify.stdout())
      assert.match(verify.stdout(), /[1-9]\d* decisions of a policy service elsewhere/)
      const here = rows('direct', "select status from transactions where status != 'EXECUTED'")
      assert.deepEqual(here, [])
    })

    it('a service that is killed in the middle: told, taken up again, and nothing leaves uncounted', async () => {
      const harness = await startHarness('killed', direct)
      const before = await nonce()
      for (const [n, afterMs] of KILLS.entries()) {
        const said = turn(harness, `Send ${n + 1} USDC to ${FRIEND}`)
        await sleep(afterMs)
        service.child.kill('SIGKILL')
        await service.exited
        running.delete(service)
        service = await startService()
        const all = await said
        if (n === 0) assert.match(textOf(all), /the service is asked again[\s\S]*answers again/)
        const last = cardsOf(all).at(-1)
        assert.ok(last?.execution?.ok === true, `${afterMs} ms: ${JSON.stringify(all)}`)
      }
      await harness.stop()
      // Every transaction on the chain is one that the service counts, and holds nothing for any more.
      const journal = rows('killed', 'select request_hash, tx_hash, state from executions order by nonce')
      assert.equal((await nonce()) - before, journal.length)
      for (const { request_hash: hash, state } of journal) {
        assert.equal(await statusThere(String(hash)), 'EXECUTED')
        assert.ok(state === 'mined' || state === 'final', String(state))
      }
      assert.equal(journal.length, KILLS.length)
    })
  })

const authorization = `Bearer ${TOKEN}`

/** A message, and all that is said to it up to the end of its turn. */
async function turn({ url }: Product, text: string): Promise<readonly Said[]> {
  const conversation = crypto.randomUUID()
  const answer = await fetch(`${url}/console/chat/events?conversation=${conversation}`, { headers: { authorization } })
  assert.ok(answer.body)
  const body = JSON.stringify({ conversation, id: crypto.randomUUID(), text })
  const headers = { authorization, 'content-type': 'application/json' }
  const sent = await fetch(`${url}/console/chat/messages`, { method: 'POST', headers, body })
  assert.equal(sent.status, 202, await sent.text())
  const said: Said[] = []
  let rest = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) said.push(JSON.parse(line.slice('data: '.length)) as Said)
    if (said.at(-1)?.type === 'end') break
  }
  return said
}

function cardsOf(said: readonly Said[]): readonly Card[] {
  return said.flatMap(({ type, card }) => (type === 'verdict' && card ? [card] : []))
}

function textOf(said: readonly Said[]): string {
  return said.flatMap(({ text }) => text ?? []).join('\n')
}
