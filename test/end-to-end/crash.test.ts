// The process is killed in the middle of a swap, again and again. Whatever was under way then, the chain, the journal and
// the ledger agree in the end.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { openStorage } from '../../src/storage/index.ts'
import { startService } from '../support/app.ts'
import { type Product, startProduct, temporaryFolder } from '../support/product.ts'

const TOKEN = 'a-console-token-of-a-crash-test-that-is-long'
const CONVERSATION = 'crash'
const USDC_AT_FIRST = 10_000_000_000n
const SWAPPED = 20_000_000n
const POLICY = { slippage: { maxBps: 100 }, caps: { perTxUsd: 250, outflow24hUsd: 5_000 }, approvalTtlSeconds: 5 }

/** What becomes of the chain while the swap runs, and when the process is killed. */
type Kill = Readonly<{ blocks: 'at once' | 'none' | 'none, and what waited is lost'; afterMs: number }>

/** Moments of their own, spread over a whole swap; where no block comes, from the moment that a transaction waits. */
const KILLS: readonly Kill[] = [
  { blocks: 'at once', afterMs: 37 },
  { blocks: 'none', afterMs: 0 },
  { blocks: 'at once', afterMs: 210 },
  { blocks: 'none, and what waited is lost', afterMs: 11 },
  { blocks: 'at once', afterMs: 480 },
  { blocks: 'none', afterMs: 95 },
  { blocks: 'at once', afterMs: 120 },
  { blocks: 'none, and what waited is lost', afterMs: 0 },
  { blocks: 'at once', afterMs: 330 },
  { blocks: 'none', afterMs: 3 },
]

type Row = Readonly<Record<string, string | number | bigint | null>>

describe('a process that is killed', () => {
  const key = generatePrivateKey()
  const wallet = privateKeyToAddress(key)
  let chain: LocalChain
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let product: Product | undefined

  before(async () => {
    folder = await temporaryFolder()
    chain = await startLocalChain()
    await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: USDC_AT_FIRST } })
  })
  after(async () => {
    await product?.stop()
    await chain?.stop()
    await folder?.remove()
  })

  const database = () => join(folder.path, 'crash.sqlite')

  async function start(): Promise<Product> {
    const env = {
      EXECUTION_MODE: 'direct',
      PRIVATE_KEY: key,
      WALLET_ADDRESS: wallet,
      RPC_URL: chain.rpcUrl,
      DATABASE_URL: `file:${database()}`,
      CONSOLE_TOKEN: TOKEN,
      CONFIG_FILE: await writeConfig(folder.path),
    }
    product = await startProduct({ cwd: folder.path, env })
    return product
  }

  function rows(sql: string): readonly Row[] {
    const open = new DatabaseSync(database(), { readOnly: true })
    try {
      return open.prepare(sql).all() as Row[]
    } finally {
      open.close()
    }
  }

  const count = async (block: 'latest' | 'pending') =>
    Number(await chain.request('eth_getTransactionCount', [wallet, block]))

  it('loses nothing and does nothing twice', async () => {
    let unfinished = 0
    for (const { blocks, afterMs } of KILLS) {
      const running = await start()
      if (blocks !== 'at once') await chain.request('evm_setAutomine', [false])
      const turn = { said: undefined as readonly Said[] | undefined }
      const listening = listen(running).then(
        (said) => {
          turn.said = said
        },
        () => undefined, // cut off by the kill
      )
      await say(running, 'Swap 20 USDC for WETH')
      while (blocks !== 'at once' && (await count('pending')) === (await count('latest'))) {
        assert.equal(turn.said, undefined, `nothing was sent: ${JSON.stringify(turn.said)}\n${running.stderr()}`)
        await sleep(5)
      }
      await sleep(afterMs)
      running.child.kill('SIGKILL')
      await Promise.all([running.exited, listening])
      unfinished += rows("select 1 from executions where state in ('signed', 'broadcast')").length
      if (blocks === 'none, and what waited is lost') await chain.request('anvil_dropAllTransactions')
      await chain.request('evm_setAutomine', [true])
      await chain.mine()
    }
    assert.ok(unfinished >= 5, 'each kill without a block left something unfinished')

    const last = await start()
    const answer = listen(last)
    await say(last, 'Swap 20 USDC for WETH')
    const cards = (await answer).flatMap(({ type, card }) => (type === 'verdict' && card ? [card] : []))
    assert.ok(cards.at(-1)?.execution?.ok, JSON.stringify(cards))
    assert.deepEqual(await last.stop(), { code: 0, signal: null })
    await settleHolds()
    await assertJournal()
    await assertLedger()
  })

  /** What was approved and never signed runs out. */
  async function settleHolds(): Promise<void> {
    const storage = await openStorage({ url: `file:${database()}` })
    const { policy, close } = await startService({
      storage: { ...storage, now: async () => (await storage.now()) + 3_600_000 },
    })
    assert.deepEqual(await storage.stores.undecided.takeUp(100, 0), [], 'every submission is decided')
    await policy.expireApprovals()
    assert.equal(await storage.stores.audit.verify(), null)
    await close()
  }

  /** One execution a verdict, one nonce each without a gap, all of them on the chain, and nothing else of the wallet there. */
  async function assertJournal(): Promise<void> {
    const journal = rows('select request_hash, nonce, tx_hash, state from executions order by nonce')
    assert.deepEqual(
      journal.map(({ nonce }) => Number(nonce)),
      journal.map((_, i) => i),
    )
    assert.equal(new Set(journal.map((row) => row['request_hash'])).size, journal.length)
    assert.equal(await count('latest'), journal.length)
    for (const { tx_hash: hash, state } of journal) {
      const receipt = (await chain.request('eth_getTransactionReceipt', [hash])) as { status: string } | null
      assert.deepEqual([receipt?.status, state === 'mined' || state === 'final'], ['0x1', true], `${hash} is ${state}`)
    }
    const events = rows("select kind, subject from audit where kind in ('execution.signed', 'execution.mined')")
    const signed = new Set(journal.map((row) => row['request_hash']))
    for (const kind of ['execution.signed', 'execution.mined']) {
      const told = events.filter((row) => row['kind'] === kind).map(({ subject }) => subject)
      assert.deepEqual([told.length, new Set(told)], [signed.size, signed], kind)
    }
  }

  /** What left the wallet is what was executed, and nothing is held any more. */
  async function assertLedger(): Promise<void> {
    const ended = rows(
      `select t.status, h.state, h.micro_usd, e.tx_hash, v.verdict from transactions t join verdicts v using (request_hash)
       left join holds h using (request_hash) left join executions e using (request_hash)`,
    )
    for (const { status, state, tx_hash: hash } of ended) {
      if (hash !== null) assert.deepEqual([status, state], ['EXECUTED', 'posted'])
      else
        assert.ok(
          status !== 'EXECUTED' && status !== 'PENDING' && state !== 'held' && state !== 'posted',
          `${status} ${state}`,
        )
    }
    const swaps = ended.filter(({ tx_hash: hash, micro_usd: micro }) => hash !== null && Number(micro) > 0)
    assert.ok(swaps.length >= 1)
    const data = `0x70a08231${wallet.slice(2).padStart(64, '0')}`
    const left = BigInt(String(await chain.request('eth_call', [{ to: chain.addresses.tokens.USDC, data }, 'latest'])))
    assert.equal(left, USDC_AT_FIRST - BigInt(swaps.length) * SWAPPED)
    const posted = swaps.reduce((sum, { micro_usd: micro }) => sum + BigInt(micro ?? 0), 0n)
    assert.equal(posted, BigInt(swaps.length) * SWAPPED)
  }
})

async function writeConfig(folder: string): Promise<string> {
  const { writeFile } = await import('node:fs/promises')
  const path = join(folder, 'crash.config.json')
  await writeFile(
    path,
    JSON.stringify({ chain: { id: 1 }, policy: POLICY, agents: [{ id: 'main', name: 'Main', confirm: 'never' }] }),
  )
  return path
}

const authorization = `Bearer ${TOKEN}`

async function say({ url }: Product, text: string): Promise<void> {
  const body = JSON.stringify({ conversation: CONVERSATION, id: crypto.randomUUID(), text })
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/console/chat/messages`, { method: 'POST', headers, body })
  assert.equal(answer.status, 202, await answer.text())
}

type Said = Readonly<{ type: string; card?: { execution: { ok: boolean } | null } }>

/** All that is said up to the end of a turn. */
async function listen({ url }: Product): Promise<readonly Said[]> {
  const said: Said[] = []
  const answer = await fetch(`${url}/console/chat/events?conversation=${CONVERSATION}`, { headers: { authorization } })
  assert.ok(answer.body)
  let text = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) said.push(JSON.parse(line.slice('data: '.length)) as Said)
    if (said.at(-1)?.type === 'end') break
  }
  return said
}
