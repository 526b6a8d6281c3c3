// Small HTTP servers that speak the model dialects on loopback, each answer scripted.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A tool call that a scripted model makes. `raw` sends these characters as its arguments instead. */
export type ScriptedCall = Readonly<{ id?: string; name: string; arguments?: unknown; raw?: string }>

/** One scripted answer, in no dialect. */
export type Answer =
  | Readonly<{ kind: 'text'; text: string }>
  | Readonly<{ kind: 'tool-calls'; calls: readonly ScriptedCall[]; text?: string }>
  /** Text, or a tool call, and then the limit of tokens. */
  | Readonly<{ kind: 'length'; text: string; calls?: readonly ScriptedCall[] }>
  | Readonly<{ kind: 'refusal'; text: string }>
  /** The stream ends in the middle, without a finish reason. */
  | Readonly<{ kind: 'truncated'; text: string; calls?: readonly ScriptedCall[] }>
  /** The connection breaks in the middle. */
  | Readonly<{ kind: 'reset'; text: string }>
  /** A finish reason that promises tool calls, and none. */
  | Readonly<{ kind: 'no-calls' }>
  | Readonly<{ kind: 'empty' }>
  | Readonly<{ kind: 'malformed-json' }>
  | Readonly<{ kind: 'wrong-shape' }>
  | Readonly<{ kind: 'status'; status: number; body?: string }>
  /** An error that the server says in the middle of its stream. */
  | Readonly<{ kind: 'stream-error'; text: string; code: string }>
  | Readonly<{ kind: 'redirect'; to: string }>
  /** Nothing at all. */
  | Readonly<{ kind: 'hang' }>
  /** A first piece, and then nothing. */
  | Readonly<{ kind: 'hang-after'; text: string }>

/** What a server was asked: its path, headers and parsed body. */
export type Asked = Readonly<{ url: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }>

export type ModelServer = Readonly<{
  /** Base address as a provider is configured with it. */
  baseUrl: string
  asked: Asked[]
  close(): Promise<void>
}>

/** Next answer of a script, or an answer made from what was asked. */
export type Script = readonly Answer[] | ((asked: Asked) => Answer)

export type ScriptedDialect = 'openai-completions' | 'openai-responses' | 'anthropic-messages'

const WIRES = {
  'openai-completions': openaiWire,
  'openai-responses': responsesWire,
  'anthropic-messages': anthropicWire,
} as const

/** Starts a server of a dialect; when a script is at its end, its last answer is repeated. */
export async function startModelServer(dialect: ScriptedDialect, script: Script): Promise<ModelServer> {
  const asked: Asked[] = []
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const entry = { url: request.url ?? '', headers: request.headers, body: JSON.parse(await text(request)) }
    asked.push(entry)
    const answer = typeof script === 'function' ? script(entry) : script[Math.min(asked.length, script.length) - 1]
    if (answer === undefined) throw new Error('The script has no answer.')
    reply(dialect, answer, response)
  }
  const server = createServer((request, response) => void answerTo(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}${dialect === 'anthropic-messages' ? '' : '/v1'}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function reply(dialect: ScriptedDialect, answer: Answer, response: ServerResponse): void {
  if (answer.kind === 'hang') return
  if (answer.kind === 'redirect') return void response.writeHead(307, { location: answer.to }).end()
  if (answer.kind === 'status') {
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    return void response.end(answer.body ?? JSON.stringify({ error: { message: 'upstream words', type: 'error' } }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (answer.kind === 'empty') return void response.end()
  if (answer.kind === 'malformed-json') return void response.end('event: message_start\ndata: {"type": "mess\n\n')
  const wire = WIRES[dialect](answer)
  response.write(wire.map((event) => `event: ${event.event}\ndata: ${event.data}\n\n`).join(''))
  if (answer.kind === 'hang-after') return
  if (answer.kind === 'reset') return void setImmediate(() => response.destroy())
  response.end()
}

type Sse = { event: string; data: string }
type Streamed = Exclude<Answer, { kind: 'hang' | 'redirect' | 'status' | 'empty' | 'malformed-json' }>

const UNFINISHED = new Set<Answer['kind']>(['truncated', 'reset', 'hang-after', 'wrong-shape', 'stream-error'])

function callsOf(answer: Streamed): readonly ScriptedCall[] {
  return 'calls' in answer && answer.calls ? answer.calls : []
}

/** Halves of a text: every text and every argument travels in two pieces. */
function halves(whole: string): readonly string[] {
  const cut = Math.ceil(whole.length / 2)
  return whole === '' ? [] : [whole.slice(0, cut), whole.slice(cut)].filter((half) => half !== '')
}

function argumentsOf(call: ScriptedCall): string {
  return call.raw ?? JSON.stringify(call.arguments ?? {})
}

function openaiWire(answer: Streamed): Sse[] {
  const chunk = (choice: object, extra: object = {}) => ({
    event: 'message',
    data: JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [choice],
      ...extra,
    }),
  })
  const delta = (content: object) => chunk({ index: 0, delta: content, finish_reason: null })
  const finish = {
    text: 'stop',
    'tool-calls': 'tool_calls',
    'no-calls': 'tool_calls',
    length: 'length',
    refusal: 'content_filter',
  }
  const events = [delta({ role: 'assistant', content: '' })]
  if ('text' in answer && answer.text) events.push(...halves(answer.text).map((piece) => delta({ content: piece })))
  // Parallel calls travel interleaved, as servers may send them.
  const calls = callsOf(answer)
  for (const [index, call] of calls.entries())
    events.push(
      delta({
        tool_calls: [
          { index, id: call.id ?? `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
    )
  for (const half of [0, 1])
    for (const [index, call] of calls.entries()) {
      const piece = halves(argumentsOf(call))[half]
      if (piece) events.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
  if (answer.kind === 'wrong-shape') events.push({ event: 'message', data: '{"choices":"none"}' })
  if (answer.kind === 'stream-error')
    events.push({ event: 'message', data: JSON.stringify({ error: { code: answer.code, message: 'upstream words' } }) })
  if (UNFINISHED.has(answer.kind)) return events
  events.push(chunk({ index: 0, delta: {}, finish_reason: finish[answer.kind as keyof typeof finish] }))
  events.push({
    event: 'message',
    data: JSON.stringify({
      choices: [],
      usage: { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
    }),
  })
  events.push({ event: 'message', data: '[DONE]' })
  return events
}

function anthropicWire(answer: Streamed): Sse[] {
  const event = (type: string, rest: object = {}) => ({ event: type, data: JSON.stringify({ type, ...rest }) })
  const finish = {
    text: 'end_turn',
    'tool-calls': 'tool_use',
    'no-calls': 'tool_use',
    length: 'max_tokens',
    refusal: 'refusal',
  }
  const events = [
    event('message_start', {
      message: {
        id: 'm',
        role: 'assistant',
        content: [],
        usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 },
      },
    }),
    event('ping'),
  ]
  let index = 0
  if ('text' in answer && answer.text) {
    events.push(event('content_block_start', { index, content_block: { type: 'text', text: '' } }))
    for (const text of halves(answer.text))
      events.push(event('content_block_delta', { index, delta: { type: 'text_delta', text } }))
    events.push(event('content_block_stop', { index: index++ }))
  }
  for (const [n, call] of callsOf(answer).entries()) {
    const block = { type: 'tool_use', id: call.id ?? `call_${n}`, name: call.name, input: {} }
    events.push(event('content_block_start', { index, content_block: block }))
    for (const partial_json of halves(argumentsOf(call)))
      events.push(event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }))
    events.push(event('content_block_stop', { index: index++ }))
  }
  if (answer.kind === 'wrong-shape') events.push({ event: 'message_delta', data: '[1,2]' })
  if (answer.kind === 'stream-error')
    events.push(event('error', { error: { type: answer.code, message: `${answer.code}: upstream words` } }))
  if (UNFINISHED.has(answer.kind)) return events
  const stop_reason = finish[answer.kind as keyof typeof finish]
  events.push(event('message_delta', { delta: { stop_reason }, usage: { output_tokens: 7 } }), event('message_stop'))
  return events
}

function responsesWire(answer: Streamed): Sse[] {
  const event = (type: string, rest: object = {}) => ({ event: type, data: JSON.stringify({ type, ...rest }) })
  const events = [event('response.created', { response: { id: 'r', status: 'in_progress' } })]
  let index = 0
  if ('text' in answer && answer.text) {
    const delta = answer.kind === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta'
    events.push(event('response.output_item.added', { output_index: index, item: { type: 'message', id: 'm' } }))
    for (const piece of halves(answer.text)) events.push(event(delta, { output_index: index, delta: piece }))
    index++
  }
  // Parallel calls travel interleaved, as servers may send them.
  const calls = callsOf(answer)
  for (const [n, call] of calls.entries()) {
    const item = { type: 'function_call', id: `fc_${n}`, call_id: call.id ?? `call_${n}`, name: call.name }
    events.push(event('response.output_item.added', { output_index: index + n, item: { ...item, arguments: '' } }))
  }
  for (const half of [0, 1])
    for (const [n, call] of calls.entries()) {
      const delta = halves(argumentsOf(call))[half]
      if (delta) events.push(event('response.function_call_arguments.delta', { output_index: index + n, delta }))
    }
  if (answer.kind === 'wrong-shape') events.push({ event: 'response.completed', data: '{"type":"response.completed"}' })
  if (answer.kind === 'stream-error') {
    const error = { code: answer.code, message: 'upstream words' }
    events.push(event('response.failed', { response: { status: 'failed', error } }))
  }
  if (UNFINISHED.has(answer.kind) || answer.kind === 'no-calls') return events
  const usage = { input_tokens: 11, output_tokens: 7, input_tokens_details: { cached_tokens: 4 } }
  events.push(
    answer.kind === 'length'
      ? event('response.incomplete', { response: { usage, incomplete_details: { reason: 'max_output_tokens' } } })
      : event('response.completed', { response: { usage } }),
  )
  return events
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
