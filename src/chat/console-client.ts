import { z } from 'zod'
import type { Outbound } from '../harness/index.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import { parseOutbound } from './outbound.ts'
import type { Target } from './target.ts'

/** One person's side of the web chat of a running harness. */
export type ConsoleClient = Readonly<{
  /** Hands a message over. @throws CountersignError `unavailable`, or what the harness answered */
  post(text: string): Promise<void>
  /**
   * What the harness tells, after the last that was told before; ends when the stream does. `onOpen` is called before
   * anything is told.
   *
   * @throws CountersignError `unavailable`, or what the harness answered
   */
  listen(onOpen: () => void, signal: AbortSignal): AsyncGenerator<Outbound, void>
}>

/** Talks to a harness in a conversation of its own. */
export function createConsoleClient({ origin, token }: Target): ConsoleClient {
  const conversation = crypto.randomUUID()
  const headers = { authorization: `Bearer ${token ?? ''}` }
  let lastEventId = '0'
  return {
    async post(text) {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      const body = JSON.stringify({ conversation, id: crypto.randomUUID(), timeZone, text })
      await ask(`${origin}/console/chat/messages`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      })
    },
    async *listen(onOpen, signal) {
      const response = await ask(`${origin}/console/chat/events?conversation=${conversation}`, {
        headers: { ...headers, 'last-event-id': lastEventId },
        signal,
      })
      onOpen()
      for await (const { id, data } of eventsOf(response, origin)) {
        lastEventId = id
        yield parseOutbound(data)
      }
    },
  }
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { ...init, redirect: 'error' })
  } catch (cause) {
    throw unreachable(new URL(url).origin, cause)
  }
  if (response.ok) return response
  throw refusal(response.status, await response.text().catch(() => ''), new URL(url).origin)
}

const Problem = z.object({ detail: z.string() })

function refusal(status: number, body: string, origin: string): CountersignError {
  if (status === 401)
    return new CountersignError(
      'unauthenticated',
      `The harness at ${origin} does not take this token: use --token, CONSOLE_TOKEN, or the directory in which it was started.`,
    )
  if (status === 404) return new CountersignError('not_found', `What answers at ${origin} serves no web chat.`)
  return new CountersignError('invalid_request', detailOf(body) ?? `The harness at ${origin} answered ${status}.`)
}

function detailOf(body: string): string | undefined {
  try {
    return Problem.safeParse(JSON.parse(body)).data?.detail
  } catch {
    return undefined
  }
}

async function* eventsOf(response: Response, origin: string): AsyncGenerator<Readonly<{ id: string; data: string }>> {
  let held = ''
  const decoder = new TextDecoder()
  try {
    const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? []
    for await (const chunk of body) {
      const blocks = (held + decoder.decode(chunk, { stream: true })).split('\n\n')
      held = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, id, data] = /^id: (\d+)\ndata: ([^\n]*)$/.exec(block) ?? []
        if (id !== undefined && data !== undefined) yield { id, data }
      }
    }
  } catch (cause) {
    throw unreachable(origin, cause)
  }
}

function unreachable(origin: string, cause: unknown): CountersignError {
  return new CountersignError('unavailable', `No harness answers at ${origin}: run npm start first.`, {
    cause: messageOf(cause),
  })
}
