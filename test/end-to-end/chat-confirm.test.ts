// Direct mode by way of Telegram: a person confirms, an owner reviews and pauses, and the chain says what was sent.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type BotApi, type FakeMessage, startBotApi } from '../support/bot-api.ts'
import { temporaryFolder } from '../support/product.ts'

const FRIEND = '0x00000000000000000000000000000000000b0b00'
const TOKEN = '1000:a-bot-token-of-a-confirming-test'
const OWNER = 42
const GUEST = 43

describe('a person in a chat, in direct mode', () => {
  const key = generatePrivateKey()
  const wallet = privateKeyToAddress(key)
  let chain: LocalChain
  let bot: BotApi
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let app: App

  before(async () => {
    folder = await temporaryFolder()
    chain = await startLocalChain()
    bot = await startBotApi({ token: TOKEN })
    await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: 1_000_000_000n } })
    const account = {
      botToken: { env: 'CHAT_TOKEN' },
      owners: [String(OWNER)],
      allowFrom: [String(GUEST)],
      groups: { '-100': { requireMention: false } },
    }
    const config = readConfig({
      env: {
        CHAT_TOKEN: TOKEN,
        EXECUTION_MODE: 'direct',
        PRIVATE_KEY: key,
        WALLET_ADDRESS: wallet,
        RPC_URL: chain.rpcUrl,
        DATABASE_URL: `file:${join(folder.path, 'confirm.sqlite')}`,
        PORT: '0',
      },
      file: {
        policy: {
          recipients: { allow: [FRIEND] },
          review: { aboveUsd: 50 },
          caps: { perTxUsd: 100 },
          approvalTtlSeconds: 300,
        },
        channels: { telegram: { apiRoot: bot.apiRoot, accounts: { main: account } } },
      },
    })
    app = await createApp(config, silentLog)
    await app.start()
  })
  after(async () => {
    await app?.stop()
    await bot?.close()
    await chain?.stop()
    await folder?.remove()
  })

  const received = async () => {
    const data = `0x70a08231${FRIEND.slice(2).padStart(64, '0')}`
    return (
      BigInt(String(await chain.request('eth_call', [{ to: chain.addresses.tokens.USDC, data }, 'latest']))) /
      1_000_000n
    )
  }
  const last = (pattern: RegExp, chat: number = OWNER) =>
    bot.until(() => bot.of(chat).findLast(({ text }) => pattern.test(text)), String(pattern))

  /** Asks for a transfer, and waits for the card and for the end of the turn. */
  async function ask(amount: number, chat = OWNER, from = chat): Promise<FakeMessage> {
    bot.say(`send ${amount} USDC to ${FRIEND}`, { chat, from })
    const card = await bot.until(() =>
      bot.of(chat).find(({ text, buttons }) => text.includes(` ${amount} USDC`) && buttons.length > 0),
    )
    await last(
      new RegExp(`not executed yet[\\s\\S]* ${amount} USDC|${amount} USDC[\\s\\S]*waits for a person`, 'i'),
      chat,
    )
    return card
  }

  it('confirms before anything is executed, once, and in the place where it was asked', async () => {
    const before = await received()
    const card = await ask(5)
    assert.deepEqual(
      card.buttons.map(({ text }) => text),
      ['Execute', 'Cancel', 'Details'],
    )
    assert.match(card.text, /leaves {2}5 USDC[\s\S]*goes to[\s\S]*0b0B00[\s\S]*✓ /i)
    bot.press(card, 'Details')
    await last(/✓ sanctions: [\s\S]*per tx cap: /)
    assert.equal(await received(), before)
    const again = { ...card }
    bot.press(card, 'Execute')
    await bot.until(() => card.text.includes('Executed and mined.') && card.buttons.length === 0, 'the execution')
    assert.equal(await received(), before + 5n)
    bot.press(again, 'Execute')
    await last(/answered before/)
    assert.equal(await received(), before + 5n)
  })

  it('cancels', async () => {
    const before = await received()
    const card = await ask(6)
    bot.press(card, 'Cancel')
    await bot.until(() => card.text.includes('Cancelled: nothing was executed.'))
    bot.say('/execute')
    await last(/Nothing waits for your confirmation/)
    assert.equal(await received(), before)
  })

  it('cannot be confirmed by another person of the same group', async () => {
    const before = await received()
    const card = await ask(7, -100, GUEST)
    bot.press(card, 'Execute', OWNER)
    await last(/Only the person who asked/, -100)
    assert.equal(await received(), before)
    bot.press(card, 'Execute', GUEST)
    await bot.until(() => card.text.includes('Executed and mined.'))
    assert.equal(await received(), before + 7n)
  })

  it('pauses: nothing is signed until it is lifted, and only an owner may', async () => {
    const before = await received()
    const card = await ask(8)
    bot.say('/pause', { from: GUEST })
    await last(/Only an owner may use \/pause/, GUEST)
    bot.say('/pause')
    await last(/Paused: nothing is signed/)
    bot.press(card, 'Execute')
    await bot.until(() => /Execution is paused/.test(card.text), 'the refusal')
    assert.equal(await received(), before)
    bot.say('/limits')
    await last(/PAUSED by telegram:42/)
    bot.say('/resume')
    await last(/Resumed/)
    const next = await ask(9)
    bot.press(next, 'Execute')
    await bot.until(() => next.text.includes('Executed and mined.'))
    assert.equal(await received(), before + 9n)
    const entries = (await app.storage.stores.audit.list({ limit: 100 })).items.map(({ kind }) => kind)
    assert.deepEqual([entries.includes('pause'), entries.includes('resume')], [true, true])
  })

  it('decides what the policy holds, where it is an owner', async () => {
    const before = await received()
    const card = await ask(60)
    assert.deepEqual(
      card.buttons.map(({ text }) => text),
      ['Approve', 'Reject', 'Details'],
    )
    bot.press(card, 'Approve')
    await bot.until(() => card.text.includes('Executed and mined.'), 'the execution')
    assert.equal(await received(), before + 60n)
    const refused = await ask(61)
    bot.press(refused, 'Reject')
    await bot.until(() => refused.text.startsWith('✗ Rejected'))
    assert.equal(await received(), before + 60n)
  })

  it('says how it is', async () => {
    for (const [command, pattern] of [
      ['/policy', /"perTxUsd": 100/],
      ['/history', /executed\nSend 60 USDC/i],
      ['/wallet', /USDC \(\$[\d,.]+\)/],
      ['/model', /rule-based stand-in\. Actions: a person confirms each/],
    ] as const) {
      bot.say(command)
      await last(pattern)
    }
  })
})
