import { clearLine, createInterface, cursorTo } from 'node:readline'
import type { Outbound } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import { createConsoleClient } from './console-client.ts'
import { createConversation } from './conversation.ts'
import { renderOutbound } from './render.ts'
import type { Target } from './target.ts'
import { look } from './terminal.ts'

const HINT = '/help lists what it understands; Ctrl-C stops an answer, and again leaves.'

/** A terminal: what a person types, and what they see. */
export type Terminal = Readonly<{ input: NodeJS.ReadableStream; output: NodeJS.WritableStream }>

/**
 * Talks with a person at a terminal, until they leave.
 *
 * @returns 0, or 130 when an answer was still running
 * @throws CountersignError when the harness does not answer, or refuses
 */
export async function talk(target: Target, { input, output }: Terminal): Promise<number> {
  const prompt = look().color ? '\x1b[1myou ›\x1b[22m ' : 'you › '
  const terminal = createInterface({ input, output, terminal: true, prompt })
  const leaving = new AbortController()
  let running = 0
  let isOpen = false

  /** Writes above what is being typed. */
  function write(text: string): void {
    const isPrompting = isOpen && running === 0
    if (isPrompting) {
      cursorTo(output, 0)
      clearLine(output, 0)
    }
    output.write(text)
    if (isPrompting) terminal.prompt(true)
  }

  const show = (message: Outbound) => write(renderOutbound(message, look()))
  const conversation = createConversation({
    client: createConsoleClient(target),
    show,
    onOpen() {
      write(`Connected to ${target.origin}. ${HINT}\n\n`)
      isOpen = true
      terminal.prompt()
    },
    comesBack: true,
  })

  terminal.on('line', (line) => {
    if (line.trim() === '') {
      if (running === 0) terminal.prompt()
      return
    }
    running += 1
    conversation
      .say(line)
      .catch((thrown: unknown) => show({ type: 'error', text: messageOf(thrown) }))
      .finally(() => {
        running -= 1
        if (running > 0 || leaving.signal.aborted) return
        output.write('\n')
        terminal.prompt()
      })
  })
  terminal.on('SIGINT', () => conversation.stop() || terminal.close())
  terminal.on('close', () => leaving.abort())
  try {
    await conversation.follow(leaving.signal)
    output.write('\n')
    return running > 0 ? 130 : 0
  } finally {
    terminal.close()
  }
}
