import { createInterface } from 'node:readline'
import { createConsoleClient } from './console-client.ts'
import { createConversation } from './conversation.ts'
import { renderOutbound } from './render.ts'
import type { Target } from './target.ts'
import { look } from './terminal.ts'

/**
 * Answers what comes on standard input, one message a line, each when the one before is answered.
 *
 * @returns 0 when all are answered, 130 when it was interrupted
 * @throws CountersignError when the harness cannot be reached, or a message cannot be sent
 */
export async function answerLines(target: Target): Promise<number> {
  const leaving = new AbortController()
  const opened = Promise.withResolvers<void>()
  const conversation = createConversation({
    client: createConsoleClient(target),
    show: (message) => process.stdout.write(renderOutbound(message, look())),
    onOpen: () => opened.resolve(),
    comesBack: false,
  })
  const interrupted = Promise.withResolvers<void>()
  let isInterrupted = false
  const interrupt = () => {
    isInterrupted = true
    if (!conversation.stop()) interrupted.resolve()
  }
  process.on('SIGINT', interrupt)
  const over = Promise.race([conversation.follow(leaving.signal), interrupted.promise])
  try {
    await Promise.race([opened.promise, over])
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (isInterrupted) break
      if (line.trim() !== '') await Promise.race([conversation.say(line), over])
    }
    return isInterrupted ? 130 : 0
  } finally {
    process.off('SIGINT', interrupt)
    leaving.abort()
    process.stdin.destroy()
  }
}
