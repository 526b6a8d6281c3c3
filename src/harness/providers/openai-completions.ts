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
  readPiece,
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

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[]

/** The parts of a streamed chunk that are used. Every other server of this dialect leaves some of them out. */
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().nonnegative(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .object({
      prompt_tokens: z.number().default(0),
      completion_tokens: z.number().default(0),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
})

/**
 * The chat completions dialect, spoken by most model servers, local ones too.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const openaiCompletions = defineDialect({
  api: 'openai-completions',
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
  let usage = usageOf(0, 0)
  let finish: string | undefined
  let refused = false
  try {
    const signal = answerSignal(request, settings)
    const chunks: AsyncIterable<unknown> = await client.chat.completions.create(body(request), { signal })
    for await (const piece of chunks) {
      const chunk = readPiece(Chunk, piece)
      const told = chunk.usage
      if (told)
        usage = usageOf(
          told.prompt_tokens,
          told.completion_tokens,
          told.prompt_tokens_details?.cached_tokens ?? undefined,
        )
      const choice = chunk.choices[0]
      if (!choice) continue
      for (const { index, id, function: said } of choice.delta?.tool_calls ?? []) calls.add(index, { id, ...said })
      finish = choice.finish_reason ?? finish
      if (choice.delta?.refusal) refused = true
      const text = choice.delta?.content ?? choice.delta?.refusal
      if (text) yield { type: 'text', text }
    }
    if (finish === undefined) throw malformed('its answer ended too early')
    yield* endOf(refused ? 'refusal' : endingOf(finish), calls, usage)
  } catch (thrown) {
    throw modelFault(thrown, request)
  }
}

function endingOf(finish: string): Ending {
  if (finish === 'content_filter') return 'refusal'
  return finish === 'stop' || finish === 'length' ? finish : 'tool-calls'
}

function body({ model, system, messages, tools }: ModelRequest) {
  return {
    model,
    stream: true as const,
    stream_options: { include_usage: true },
    messages: [{ role: 'system' as const, content: system }, ...messages.map(toWire)] satisfies Messages,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
  }
}

function toWire(message: Message): Messages[number] {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.result }
    case 'assistant':
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text }
      return {
        role: 'assistant',
        content: message.text || null,
        tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(argumentsObject(args)) },
        })),
      }
  }
}
