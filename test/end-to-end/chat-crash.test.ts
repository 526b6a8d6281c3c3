// The process is killed at random moments of turns that came by Telegram. No message is lost, nothing is executed twice, and
// nothing is told twice without being marked.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type BotApi, startBotApi } from '../support/bot-api.ts'
import { launch, temporaryFolder } from '../support/product.ts'
import { volume } from '../support/volume.ts'

// CHAT_KILLS and CHAT_SEED split the full volume into pieces, each with moments of its own.
const { CHAT_KILLS = volume(4, 300), CHAT_SEED = 7 } = process.env
const KILLS = Number(CHAT_KILLS)
/** No more than this many messages wait for their answers: of more the chat says that too much is waiting. */
const PILE = 20
const SEED = Number(CHAT_SEED)
const LONGEST_MS = 700
const FRIEND = '0x00000000000000000000000000000000000b0b00'
const OWNER = 42
const TOKEN = '1000:a-bot-token-of-a-crash-test'

type Row = Readonly<Record<string, string | number | bigint | null>>

describe('a chat whose process is killed', () => {
  const key = generatePrivateKey()
  const wallet = privateKeyToAddress(key)
  let chain: LocalChain
  let bot: BotApi
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let running: ReturnType<typeof launch> | undefined

  before(async () => {
    folder = await temporaryFolder()
    chain = await startLocalChain()
    bot = await startBotApi({ token: TOKEN })
    await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: 1_000_000_000_000n } })
    const account = { botToken: { env: 'CHAT_TOKEN' }, owners: [String(OWNER)] }
    const file = {
      chain: { id: 1 },
      agents: [{ id: 'main', name: 'Crash', confirm: 'never' }],
      policy: { recipients: { allow: [FRIEND] }, caps: { perTxUsd: 1_000, outflow24hUsd: 1_000_000 } },
      channels: { telegram: { apiRoot: bot.apiRoot, accounts: { main: account } } },
    }
    await writeFile(join(folder.path, 'config.json'), JSON.stringify(file))
  })
  after(async () => {
    await running?.stop()
    await bot?.close()
    await chain?.stop()
    await folder?.remove()
  })

  const database = () => join(folder.path, 'chat.sqlite')

  function start() {
    running = launch({
      cwd: folder.path,
      env: {
        CHAT_TOKEN: TOKEN,
        EXECUTION_MODE: 'direct',
        PRIVATE_KEY: key,
        WALLET_ADDRESS: wallet,
        RPC_URL: chain.rpcUrl,
        DATABASE_URL: `file:${database()}`,
        CONFIG_FILE: join(folder.path, 'config.json'),
        LOG_LEVEL: 'info',
        NODE_COMPILE_CACHE: join(folder.path, 'cache'),
      },
    })
    return running
  }

  function rows(sql: string): readonly Row[] {
    const open = new DatabaseSync(database(), { readOnly: true })
    try {
      return open.prepare(sql).all() as Row[]
    } finally {
      open.close()
    }
  }

  const about = (amount: number) => bot.of(OWNER).filter(({ text }) => text.includes(` ${amount} USDC`))

  /** Starts it, and leaves it alone until every message has its answer. */
  async function allAnswered(amounts: readonly number[]): Promise<void> {
    await start().logged(/"msg":"Ready\."/)
    const isAnswered = (amount: number) =>
      about(amount).some(({ text }) => /\n→ |\n✗ |approved\. |Rejected|interrupted|could not answer/.test(text))
    await bot.until(
      () => amounts.every(isAnswered),
      `an answer to ${amounts.filter((one) => !isAnswered(one)).join(', ')}`,
      // What piled up while it was killed is done one after the other.
      60_000 + PILE * 5_000,
    )
  }

  it(`${KILLS} times (seed ${SEED}) loses nothing and does nothing twice`, async () => {
    let random = SEED
    const next = () => {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31
      return random / 2 ** 31
    }
    const amounts: number[] = []
    for (let n = 0; n < KILLS; n++) {
      await running?.stop()
      const product = start()
      // Some are written while nobody listens.
      const early = next() < 0.3
      const amount = n + 3
      amounts.push(amount)
      if (early) bot.say(`send ${amount} USDC to ${FRIEND}`)
      await product.logged(/"msg":"The lease is ours\."/)
      if (!early) bot.say(`send ${amount} USDC to ${FRIEND}`)
      await sleep(next() * LONGEST_MS)
      product.child.kill('SIGKILL')
      await product.exited
      running = undefined
      if (amounts.length % PILE === 0 || amounts.length === KILLS) await allAnswered(amounts)
    }
    await sleep(1_500)
    assert.deepEqual(await running?.stop(), { code: 0, signal: null })

    const executed = rows(
      'select t.description, count(*) as times from executions e join transactions t using (request_hash) group by 1',
    )
    assert.deepEqual(
      executed.filter(({ times }) => Number(times) !== 1),
      [],
      'nothing is executed twice',
    )
    assert.ok(executed.length >= Math.floor(KILLS / 4), `only ${executed.length} of ${KILLS} were executed`)
    assert.deepEqual(rows("select * from inbox where state != 'done'"), [], 'nothing is left unanswered')
    assert.deepEqual(rows("select * from outbox where state in ('waiting', 'sending')"), [], 'nothing is left unsent')
    let marked = 0
    for (const amount of amounts) {
      const all = about(amount)
      marked += all.filter(({ text }) => text.includes('may be here twice')).length
      const unmarked = all.filter(({ text }) => !text.includes('may be here twice'))
      const cards = unmarked.filter(({ text }) => text.startsWith('✓ Approved'))
      const words = unmarked.filter(({ text }) => !text.startsWith('✓ Approved'))
      assert.ok(cards.length <= 1 && words.length <= 1, JSON.stringify(unmarked))
    }
    const balance = `0x70a08231${FRIEND.slice(2).padStart(64, '0')}`
    const got = BigInt(
      String(await chain.request('eth_call', [{ to: chain.addresses.tokens.USDC, data: balance }, 'latest'])),
    )
    const sums = executed.map(({ description }) => BigInt(/ (\d+) USDC/.exec(String(description))?.[1] ?? 0))
    assert.equal(
      got,
      sums.reduce((sum, amount) => sum + amount * 1_000_000n, 0n),
      'what left is what was executed',
    )
    console.log(`${KILLS} kills: ${executed.length} executed once, ${marked} possible repeats marked`)
  })
})
