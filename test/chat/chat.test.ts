import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { talk } from '../../src/chat/talk.ts'
import { createWebChannel, type InboundMessage, type VerdictCard } from '../../src/harness/index.ts'
import { verdictCard } from '../../src/harness/verdict-card.ts'
import { startServer } from '../api/running-server.ts'
import { verdictOf } from '../harness/stand-in-policy.ts'
import { WALLET } from '../harness/stand-in-reader.ts'

const TOKEN = 'a-console-token-of-more-than-32-characters'
const CHAT = join(import.meta.dirname, '../../src/chat.ts')
const facts = {
  requestHash: `0x${'12'.repeat(32)}`,
  title: 'Swap 1 USDC',
  verdict: verdictOf('approved'),
  wallet: WALLET,
}
const MINED = { mode: 'direct', ok: true, text: 'Executed and mined.', txHash: '0xabc' } as const

const folder = mkdtempSync(join(tmpdir(), 'chat-'))
const chat = createWebChannel()
let received: string[] = []
/** Answers that wait until they are stopped. */
const stopped = Promise.withResolvers<void>()
await chat.start(async ({ conversation, text }: InboundMessage) => {
  received.push(text)
  const say = (words: string) => chat.tell(conversation, { type: 'text', text: words })
  const show = (card: VerdictCard) => chat.tell(conversation, { type: 'verdict', card })
  if (text === 'swap') for (const execution of [null, MINED]) show(verdictCard(facts, execution))
  else if (text === '/stop') return stopped.resolve()
  else if (text === 'long') await stopped.promise
  say(`You said ${text}.`)
  chat.tell(conversation, { type: 'end' })
})

let running: Awaited<ReturnType<typeof startServer>>
describe('the terminal client', () => {
  before(async () => {
    running = await startServer({ console: { chat, token: TOKEN } })
  })
  after(async () => {
    await running.close()
    rmSync(folder, { recursive: true })
  })

  type Options = Readonly<{ args?: readonly string[]; input?: string; env?: Record<string, string>; cwd?: string }>

  /** Runs the client as it is started, with its input from a pipe. */
  async function run({
    args = ['--url', running.url],
    input = '',
    env = { CONSOLE_TOKEN: TOKEN },
    cwd = folder,
  }: Options) {
    received = []
    const child = spawn(process.execPath, [CHAT, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } })
    child.stdin.on('error', () => undefined).end(input)
    const [stdout, stderr, [code]] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, 'close'),
    ])
    return { stdout, stderr, code: code as number }
  }

  describe('npm run chat with piped input', () => {
    it('answers one line after the other, and ends well', async () => {
      const { stdout, stderr, code } = await run({ input: 'one\n\n  \ntwo\r\nthree' })
      assert.deepEqual({ stderr, code, received }, { stderr: '', code: 0, received: ['one', 'two', 'three'] })
      assert.equal(stdout, 'You said one.\nYou said two.\nYou said three.\n')
    })

    it('shows a card once, then only what became of it, without colours', async () => {
      const { stdout } = await run({ input: 'swap\n' })
      assert.ok(!stdout.includes('\x1b'))
      assert.equal(stdout.match(/All checks passed\./g)?.length, 1)
      assert.match(stdout, /┏━ ✓ APPROVED ━ Swap 1 USDC\n┃ → Executed and mined\.\n┃ {3}tx 0xabc\n┗━ 0x(12){32}\n/)
    })

    it('finds the harness that runs in its directory by its note', async () => {
      const home = join(folder, 'home')
      mkdirSync(join(home, '.countersign'), { recursive: true })
      writeFileSync(join(home, '.countersign', 'console.json'), JSON.stringify({ origin: running.url, token: TOKEN }))
      const { stdout, code } = await run({ args: [], env: { PORT: '1' }, cwd: home, input: 'hi\n' })
      assert.deepEqual({ stdout, code }, { stdout: 'You said hi.\n', code: 0 })
    })

    it('says in one sentence what is missing', async () => {
      const { port } = running
      const FAULTS: readonly (readonly [Options, RegExp])[] = [
        [{ args: [], env: { PORT: '1' } }, /^No harness answers at http:\/\/127\.0\.0\.1:1: run npm start first\.\n$/],
        [
          { args: ['--url', 'http://127.0.0.1:1'] },
          /^No harness answers at http:\/\/127\.0\.0\.1:1: run npm start first\.\n$/,
        ],
        [
          { args: [], env: { PORT: String(port) } },
          /^A harness answers at \S+, and its token is not known here: .+\.\n$/,
        ],
        [{ env: { CONSOLE_TOKEN: 'x'.repeat(40) } }, /^The harness at \S+ does not take this token: .+\.\n$/],
        [{ args: ['--url', 'x'] }, /^The address must be like http:\/\/127\.0\.0\.1:4747\.\n$/],
        [{ args: ['--nonsense'] }, /^Unknown option '--nonsense'\n$/],
        [{ input: `${'x'.repeat(16_001)}\n` }, /^The request is not valid\. text: .+\n$/],
      ]
      for (const [options, sentence] of FAULTS) {
        const { stdout, stderr, code } = await run(options)
        assert.deepEqual([stdout, code], ['', 1])
        assert.match(stderr, sentence)
        assert.doesNotMatch(stderr, new RegExp(TOKEN))
      }
    })
  })

  /** A person at a terminal. */
  function person(url = running.url) {
    const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')]
    let seen = ''
    const waiting = new Set<() => void>()
    output.on('data', (piece: string) => {
      seen += piece
      for (const look of waiting) look()
    })
    return {
      left: talk({ origin: url, token: TOKEN }, { input, output }),
      type: (keys: string) => input.write(keys),
      /** Waits until a text is seen that was not waited for before. */
      async sees(text: string): Promise<void> {
        const found = Promise.withResolvers<void>()
        const look = () => {
          const plain = stripVTControlCharacters(seen)
          if (!plain.includes(text)) return
          seen = plain.slice(plain.indexOf(text) + text.length)
          found.resolve()
        }
        waiting.add(look)
        look()
        await found.promise.finally(() => waiting.delete(look))
      },
    }
  }

  describe('npm run chat at a terminal', () => {
    it('talks, and brings back what was said before', async () => {
      const someone = person()
      await someone.sees('Connected to http://127.0.0.1')
      await someone.sees('you › ')
      someone.type('hello\r')
      await someone.sees('You said hello.')
      await someone.sees('you › ')
      someone.type('\x1b[A\r')
      await someone.sees('You said hello.')
      await someone.sees('you › ')
      someone.type('\x04')
      assert.equal(await someone.left, 0)
    })

    it('stops an answer at the first Ctrl-C, and leaves at the second', async () => {
      const someone = person()
      await someone.sees('you › ')
      received = []
      someone.type('long\r')
      while (!received.includes('long')) await new Promise((resolve) => setImmediate(resolve))
      someone.type('\x03')
      await someone.sees('You said long.')
      assert.deepEqual(received, ['long', '/stop'])
      await someone.sees('you › ')
      someone.type('\x03')
      assert.equal(await someone.left, 0)
    })

    it('says that the connection is lost, and goes on when it is back', async () => {
      const someone = person()
      await someone.sees('you › ')
      const { port } = running
      await running.close()
      await someone.sees('The connection is lost. Trying again.')
      someone.type('hello\r')
      await someone.sees('No harness answers at')
      running = await startServer({ console: { chat, token: TOKEN }, port })
      await someone.sees('Connected again.')
      someone.type('hello\r')
      await someone.sees('You said hello.')
      someone.type('\x04')
      await someone.left
    })

    it('ends when no harness answers', async () => {
      await assert.rejects(person('http://127.0.0.1:1').left, { code: 'unavailable', message: /run npm start first/ })
    })
  })
})
