import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type App, createApp } from '../src/app.ts'
import { renderOutbound } from '../src/chat/render.ts'
import { readConfig } from '../src/config.ts'
import type { Outbound, VerdictCard } from '../src/harness/index.ts'
import { messageOf } from '../src/lib/errors.ts'
import { silentLog } from '../src/lib/log.ts'
import type { Expected, Scene } from './demo/conversation.ts'
import { perpsWorld } from './demo/perps.ts'
import { predictionsWorld } from './demo/predictions.ts'
import { swapsWorld } from './demo/swaps.ts'
import type { World } from './demo/world.ts'

// Plays a conversation, and checks that each message ended as it should: on a local chain with the venues' real contracts,
// or with `perps` or `predictions` at a stand-in of a venue of those.

const WORLDS = new Map([
  ['swaps', swapsWorld],
  ['perps', perpsWorld],
  ['predictions', predictionsWorld],
])

const CONVERSATION = 'demo'
const color = process.stdout.isTTY && process.env['NO_COLOR'] === undefined
const width = Math.min(process.stdout.columns ?? 80, 100)

/** A message that no answer ends in this time has failed. */
const LONGEST_TURN_MS = 90_000

type Answer = Readonly<{ cards: readonly VerdictCard[]; errors: readonly string[] }>

const { values, positionals } = parseArgs({
  options: { once: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const folder = mkdtempSync(join(tmpdir(), 'countersign-demo-'))
const opened: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })]

try {
  const { app, world, consoleUrl } = await start()
  let surprises = 0
  for (const scene of world.conversation) surprises += await play(app, scene)
  say(await world.ending())
  say(
    surprises === 0
      ? bold('\nEverything ended as it should.')
      : bold(`\n${surprises} of ${world.conversation.length} messages did not end as they should.`),
  )
  if (values.once) await leave(surprises === 0 ? 0 : 1)
  say(
    `\nThe harness stays up. Go on talking to it, in a browser:\n  ${consoleUrl ?? ''}\nor in another terminal: npm run chat\nCtrl-C ends it.`,
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void leave(surprises === 0 ? 0 : 1))
} catch (thrown) {
  process.stderr.write(`\nThe demo could not go on: ${messageOf(thrown)}\n`)
  await leave(1)
}

async function start(): Promise<Readonly<{ app: App; world: World; consoleUrl: string | undefined }>> {
  say(bold('countersign demo'))
  const open = WORLDS.get(positionals[0] ?? 'swaps')
  if (open === undefined) throw new Error(`there is none of that name, but ${[...WORLDS.keys()].join(', ')}.`)
  const world = await open({ opened, progress })
  progress('starting the harness')
  const config = readConfig({
    env: {
      EXECUTION_MODE: 'direct',
      ...world.env,
      DATABASE_URL: `file:${join(folder, 'demo.sqlite')}`,
      PORT: values.once ? '0' : process.env['PORT'],
      ANTHROPIC_API_KEY: process.env['ANTHROPIC_API_KEY'],
      OPENAI_API_KEY: process.env['OPENAI_API_KEY'],
    },
    // Nobody is there to confirm: the conversation goes on by itself.
    file: { agents: [{ id: 'main', name: 'Countersign', confirm: 'never' }], ...world.file },
  })
  const app = await createApp(config, silentLog)
  opened.push(() => app.stop())
  const { consoleUrl } = await app.start()
  progress('')
  return { app, world, consoleUrl }
}

/** One message of the person and the answer to it. Returns how many things about it were not as expected: 0 or 1. */
async function play(app: App, { title, text, expected }: Scene): Promise<0 | 1> {
  say(`\n${bold(`── ${title} ${'─'.repeat(Math.max(0, width - title.length - 4))}`)}`)
  say(`${dim('you')}  ${text}\n`)
  const problem = problemOf(await ask(app, text), expected)
  if (problem === undefined) return 0
  say(bold(`\n✗ This is not what should have happened: ${problem}`))
  return 1
}

function ask(app: App, text: string): Promise<Answer> {
  const cards = new Map<string, VerdictCard>()
  const errors: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => reject(new Error('a message was not answered in time')), LONGEST_TURN_MS)
  let live = false
  const unsubscribe = app.chat.subscribe(CONVERSATION, ({ message }) => {
    if (!live) return
    if (message.type === 'verdict') cards.set(message.card.requestHash, message.card)
    if (message.type === 'error') errors.push(message.text)
    if (isShown(message)) process.stdout.write(renderOutbound(message, { color, width }))
    if (message.type === 'end') resolve({ cards: [...cards.values()], errors })
  })
  live = true
  app.chat.post({ id: crypto.randomUUID(), conversation: CONVERSATION, sender: 'demo', text }).catch(reject)
  return promise.finally(() => {
    clearTimeout(timer)
    unsubscribe()
  })
}

/** An approved action is shown when it was executed, not twice. */
function isShown(message: Outbound): boolean {
  return message.type !== 'verdict' || message.card.outcome !== 'approved' || message.card.execution !== null
}

function problemOf({ cards, errors }: Answer, expected: Expected): string | undefined {
  if (errors.length > 0) return errors.join('; ')
  const last = cards.at(-1)
  switch (expected.kind) {
    case 'words':
      return last === undefined ? undefined : 'an action was proposed, and none was asked for.'
    case 'rejected':
      if (last?.outcome === 'rejected' && last.reasonCode === expected.reasonCode) return undefined
      return `expected a rejection with ${expected.reasonCode}, and it was ${last?.reasonCode ?? 'no verdict'}.`
    case 'executed': {
      const all = cards.length > 0 && cards.every(({ execution }) => execution?.ok && execution.mode === 'direct')
      return all ? undefined : `expected an executed transaction, and it was ${last?.reasonCode ?? 'no verdict'}.`
    }
  }
}

async function leave(code: number): Promise<void> {
  for (const close of opened.reverse()) await close().catch(() => undefined)
  process.exit(code)
}

function progress(step: string): void {
  if (!process.stdout.isTTY) {
    if (step) say(`… ${step}`)
    return
  }
  process.stdout.write(`\r\x1b[2K${step ? dim(`… ${step}`) : ''}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function bold(text: string): string {
  return color ? `\x1b[1m${text}\x1b[22m` : text
}

function dim(text: string): string {
  return color ? `\x1b[2m${text}\x1b[22m` : text
}
