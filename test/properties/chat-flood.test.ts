// One chat writes without end: others are answered as ever, and nothing piles up in memory.
import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { telegram } from '../../src/harness/channels/telegram.ts'
import { createSwitchboard } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStorage } from '../../src/storage/index.ts'
import { startBotApi } from '../support/bot-api.ts'
import { type Answering, scriptedHarness } from '../support/scripted-harness.ts'
import { volume } from '../support/volume.ts'

const FLOOD = volume(500, 10_000)
const TURNS = volume(200, 10_000)
/** A few turns say little of a leak: a just-compiled function counts as much as what they left. */
const MOST_MB = volume(6, 1)

async function open(answer?: Answering) {
  const bot = await startBotApi()
  const storage = await openStorage({ url: undefined })
  const harness = scriptedHarness(answer)
  const channel = telegram({ account: 'main', botToken: bot.token, apiRoot: bot.apiRoot, pollSeconds: 1 })
  const access = { allowFrom: Array.from({ length: 20 }, (_, n) => String(n + 1)) }
  const accounts = [{ channel, access, isExclusive: true }]
  const switchboard = createSwitchboard({ accounts, harness, storage, log: silentLog })
  await switchboard.start()
  return {
    bot,
    harness,
    switchboard,
    async close() {
      await switchboard.stop()
      await storage.close()
      await bot.close()
    },
  }
}

it(`${FLOOD} messages of one chat hold up no other`, async () => {
  // The flooder's turns never end.
  const ends = Promise.withResolvers<void>()
  const { bot, switchboard, close } = await open(async ({ sender, text }, send) => {
    if (sender === '1') await ends.promise
    await send({ type: 'text', text: `You said: ${text}` })
  })
  for (let n = 0; n < FLOOD; n++) bot.say(`flood ${n}`, { from: 1 })
  await bot.until(() => (switchboard.reports()[0]?.received ?? 0) > 100, 'the flood')
  const times: number[] = []
  for (let person = 2; person <= 11; person++) {
    const from = performance.now()
    bot.say('hello', { from: person })
    await bot.until(() => bot.of(person).length === 1, `an answer to ${person}`, 60_000)
    times.push(performance.now() - from)
  }
  await bot.until(() => switchboard.reports()[0]?.received === FLOOD + 10, 'all of the flood', 100_000)
  assert.equal(switchboard.reports()[0]?.turnedAway, FLOOD - 21)
  assert.equal(bot.of(1).length, 1, 'told once that too much is waiting')
  console.log(`others were answered within ${Math.round(Math.max(...times))} ms`)
  ends.resolve()
  await close()
})

it(`${TURNS} turns leave nothing behind in memory`, async () => {
  const { bot, harness, close } = await open()
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  let last = 0
  const turns = async (count: number) => {
    for (let n = 0; n < count; n++) {
      bot.say(`turn ${n}`, { from: 1 + (n % 20) })
      if (n % 20 === 19) {
        await bot.until(() => bot.messages.length >= 20)
        last = bot.messages.length
        bot.messages.length = 0
        bot.calls.length = 0
        harness.received.length = 0
      }
    }
  }
  await turns(400)
  const before = heap()
  await turns(TURNS)
  const perThousand = (heap() - before) / TURNS / 1_000
  assert.equal(last, 20)
  assert.ok(perThousand < MOST_MB, `${perThousand.toFixed(2)} MB of heap for 1,000 turns`)
  console.log(`${perThousand.toFixed(2)} MB of heap for 1,000 turns`)
  await close()
})
