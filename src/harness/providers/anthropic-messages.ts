import type { Anthropic } from '@anthropic-ai/sdk'
import { z } from 'zod'
import {
  answerSignal,
  argumentsObject,
  collectCalls,
  type Ending,
  endOf,
  malformed,
  modelFault,
  readPiece,
  usageOf,
} from '../model-answer.ts'
import {
  defineDialect,
  type Message,
  type ModelRequest,
  type ProviderEvent,
  type ProviderSettings,
  type Usage,
} from '../provider.ts'

const PUBLIC_URL = 'https://api.anthropic.com'

/** Longest answer that is asked for, in tokens: the dialect demands a number. */
const MAX_TOKENS = 4_096

type WireMessage = Anthropic.MessageParam

const Index = z.int().nonnegative()
const Tokens = z
  .object({
    input_tokens: z.number().nullish(),
    output_tokens: z.number().nullish(),
    cache_read_input_tokens: z.number().nullish(),
    cache_creation_input_tokens: z.number().nullish(),
  })
  .nullish()

/** Where a cache may end: the server keeps what lies before it for the next call. */
const CACHE = { type: 'ephemeral' as const }

/** The events that are used; all others (pings, thinking, signatures) are passed over. */
const Event = z.union([
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Tokens }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: Index,
    content_block: z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: Index,
    delta: z.union([
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: Tokens,
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.string() }).transform(() => ({ type: 'other' as const })),
])

/**
 * The messages dialect.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 */
export const anthropicMessages = defineDialect({
  api: 'anthropic-messages',
  async connect(settings) {
    const { Anthropic: Client } = await import('@anthropic-ai/sdk')
    const client = new Client({
      baseURL: settings.baseUrl ?? PUBLIC_URL,
      // A key said explicitly keeps the SDK from looking for one in the environment and in files.
      apiKey: settings.apiKey ?? 'none',
      webhookKey: null,
      logLevel: 'off',
      maxRetries: 0,
      // A redirect would carry the key to another server.
      fetchOptions: { redirect: 'error' },
    })
    return { stream: (request) => stream(client, request, settings) }
  },
})

async function* stream(
  client: Anthropic,
  request: ModelRequest,
  settings: ProviderSettings,
): AsyncGenerator<ProviderEvent, void> {
  const calls = collectCalls()
  let usage = usageOf(0, 0)
  let finish: string | undefined
  let stopped = false
  try {
    const signal = answerSignal(request, settings)
    const events: AsyncIterable<unknown> = await client.messages.create(body(request), { signal })
    for await (const piece of events) {
      const event = readPiece(Event, piece)
      if (event.type === 'message_start') usage = inputOf(event.message.usage)
      if (event.type === 'message_stop') stopped = true
      if (event.type === 'content_block_start') calls.add(event.index, event.content_block)
      if (event.type === 'content_block_delta') {
        if (event.delta.type === 'text_delta') yield { type: 'text', text: event.delta.text }
        else calls.add(event.index, { arguments: event.delta.partial_json })
      }
      if (event.type === 'message_delta') {
        finish = event.delta.stop_reason ?? finish
        usage = { ...usage, outputTokens: event.usage?.output_tokens ?? usage.outputTokens }
      }
    }
    if (finish === undefined || !stopped) throw malformed('its answer ended too early')
    yield* endOf(endingOf(finish), calls, usage)
  } catch (thrown) {
    throw modelFault(thrown, request)
  }
}

/** The dialect counts what a cache gave or took beside the input; here they are parts of it. */
function inputOf(told: z.output<typeof Tokens>): Usage {
  const [read, written] = [told?.cache_read_input_tokens ?? 0, told?.cache_creation_input_tokens ?? 0]
  return usageOf((told?.input_tokens ?? 0) + read + written, 0, read, written)
}

function endingOf(finish: string): Ending {
  if (finish === 'refusal') return 'refusal'
  if (finish === 'max_tokens' || finish === 'model_context_window_exceeded') return 'length'
  return finish === 'end_turn' || finish === 'stop_sequence' ? 'stop' : 'tool-calls'
}

function body({ model, system, messages, tools }: ModelRequest) {
  return {
    model,
    // Tools come before the system prompt, so that one mark keeps both.
    system: [{ type: 'text' as const, text: system, cache_control: CACHE }],
    max_tokens: MAX_TOKENS,
    stream: true as const,
    messages: withCacheMark(toWire(messages)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: { ...parameters, type: 'object' as const },
      })),
    }),
  }
}

/** The end of the conversation so far is where the next call goes on. */
function withCacheMark(messages: readonly WireMessage[]): WireMessage[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return [...messages]
  const blocks = typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content
  const marked = blocks.map((block, i) =>
    i === blocks.length - 1 && (block.type === 'text' || block.type === 'tool_result')
      ? { ...block, cache_control: CACHE }
      : block,
  )
  return [...messages.slice(0, -1), { role: 'user', content: marked }]
}

/** All results of one answer's tool calls travel back in one user message. */
function toWire(messages: readonly Message[]): WireMessage[] {
  const wire: WireMessage[] = []
  let results: Anthropic.ToolResultBlockParam[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (results.length === 0) wire.push({ role: 'user', content: results })
      results.push({
        type: 'tool_result',
        tool_use_id: message.callId,
        content: message.result,
        is_error: message.isError,
      })
      continue
    }
    results = []
    if (message.role === 'user') wire.push({ role: 'user', content: message.text })
    else wire.push({ role: 'assistant', content: assistantBlocks(message) })
  }
  return wire
}

function assistantBlocks({ text, toolCalls }: Extract<Message, { role: 'assistant' }>): Anthropic.ContentBlockParam[] {
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
    ...toolCalls.map(({ id, name, arguments: args }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: argumentsObject(args),
    })),
  ]
}
