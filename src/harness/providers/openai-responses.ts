import type { OpenAI } from 'openai'
import { z } from 'zod'
import {
  answerSignal,
  argumentsObject,
  collectCalls,
  type Ending,
  endOf,
  malformed,
  modelFault,
  overflow,
  readPiece,
  streamFault,
  usageOf,
} from '../model-answer.ts'
import { openAiOptions } from '../openai-options.ts'
import {
  defineDialect,
  type Message,
  type ModelRequest,
  type ProviderEvent,
  type ProviderSettings,
} from '../provider.ts'

type Input = OpenAI.Responses.ResponseInputItem[]

const Index = z.int().nonnegative()
const Ended = z.object({
  usage: z
    .object({
      input_tokens: z.number().default(0),
      output_tokens: z.number().default(0),
      input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  error: z.object({ code: z.string().nullish() }).nullish(),
})
type Ended = z.output<typeof Ended>

/** The events that are used; all others (progress, reasoning, parts beginning and ending) are passed over. */
const Event = z.union([
  z.object({ type: z.literal('response.output_text.delta'), delta: z.string() }),
  z.object({ type: z.literal('response.refusal.delta'), delta: z.string() }),
  z.object({
    type: z.literal('response.output_item.added'),
    output_index: Index,
    item: z.object({ type: z.literal('function_call'), call_id: z.string(), name: z.string() }),
  }),
  z.object({ type: z.literal('response.function_call_arguments.delta'), output_index: Index, delta: z.string() }),
  z.object({ type: z.enum(['response.completed', 'response.incomplete', 'response.failed']), response: Ended }),
  z.object({ type: z.literal('error'), code: z.string().nullish() }),
  z
    .object({ type: z.string() })
    // An ending of an unknown shape is no ending that could be passed over.
    .refine(({ type }) => !/^(response\.(completed|incomplete|failed)|error)$/.test(type))
    .transform(() => ({ type: 'other' as const })),
])

/**
 * The responses dialect. Nothing is stored at the server: the whole conversation travels with each call.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponses = defineDialect({
  api: 'openai-responses',
  async connect(settings) {
    const { OpenAI: Client } = await import('openai')
    const client = new Client(openAiOptions(settings))
    return { stream: (request) => stream(client, request, settings) }
  },
})

async function* stream(
  client: OpenAI,
  request: ModelRequest,
  settings: ProviderSettings,
): AsyncGenerator<ProviderEvent, void> {
  const calls = collectCalls()
  let refused = false
  try {
    const signal = answerSignal(request, settings)
    const events: AsyncIterable<unknown> = await client.responses.create(body(request), { signal })
    for await (const piece of events) {
      const event = readPiece(Event, piece)
      switch (event.type) {
        case 'response.refusal.delta':
        case 'response.output_text.delta':
          refused ||= event.type === 'response.refusal.delta'
          yield { type: 'text', text: event.delta }
          break
        case 'response.output_item.added':
          calls.add(event.output_index, { id: event.item.call_id, name: event.item.name })
          break
        case 'response.function_call_arguments.delta':
          calls.add(event.output_index, { arguments: event.delta })
          break
        case 'error':
          throw streamFault(event.code)
        case 'response.failed':
          throw streamFault(event.response.error?.code)
        case 'response.completed':
        case 'response.incomplete':
          yield* endOf(endingOf(event.type, event.response, refused), calls, usageIn(event.response))
          return
        case 'other':
      }
    }
    throw malformed('its answer ended too early')
  } catch (thrown) {
    throw modelFault(thrown, request)
  }
}

function endingOf(type: string, { incomplete_details }: Ended, refused: boolean): Ending {
  if (refused || incomplete_details?.reason === 'content_filter') return 'refusal'
  if (incomplete_details?.reason === 'max_context_length') throw overflow()
  return type === 'response.incomplete' ? 'length' : 'stop'
}

function usageIn({ usage }: Ended) {
  if (!usage) return usageOf(0, 0)
  return usageOf(usage.input_tokens, usage.output_tokens, usage.input_tokens_details?.cached_tokens ?? undefined)
}

function body({ model, system, messages, tools, cacheKey }: ModelRequest) {
  return {
    model,
    instructions: system,
    input: messages.flatMap(toWire),
    stream: true as const,
    store: false,
    ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: { ...parameters },
        strict: false,
      })),
    }),
  }
}

function toWire(message: Message): Input {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }]
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.result }]
    case 'assistant':
      return [
        ...(message.text.trim() === '' ? [] : [{ role: 'assistant' as const, content: message.text }]),
        ...message.toolCalls.map(({ id, name, arguments: args }) => ({
          type: 'function_call' as const,
          call_id: id,
          name,
          arguments: JSON.stringify(argumentsObject(args)),
        })),
      ]
  }
}
