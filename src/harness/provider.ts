/** A message of a conversation, in no dialect. */
export type Message =
  | Readonly<{ role: 'user'; text: string }>
  | Readonly<{ role: 'assistant'; text: string; toolCalls: readonly ToolCall[] }>
  | Readonly<{ role: 'tool'; callId: string; name: string; result: string; isError: boolean }>

/** A tool call as the model asked for it. `arguments` is whatever it sent: parsed JSON, or the raw text when it is none. */
export type ToolCall = Readonly<{ id: string; name: string; arguments: unknown }>

/** A tool as a model is told of it. `parameters` is a JSON Schema. */
export type ToolDescription = Readonly<{ name: string; description: string; parameters: object }>

/**
 * Tokens that a call used. `cachedTokens` and `cacheWriteTokens` are parts of the input that a cache gave or took;
 * `microUsd` is known where the model has a price.
 */
export type Usage = Readonly<{
  inputTokens: number
  outputTokens: number
  cachedTokens?: number
  cacheWriteTokens?: number
  microUsd?: number
}>

/**
 * What a model says, piece by piece. A stream ends with exactly one `done`; a stream that ends without one has failed.
 * Tool calls come after the text and only in an answer that the model finished: one that was cut off has none.
 */
export type ProviderEvent =
  | Readonly<{ type: 'text'; text: string }>
  | Readonly<{ type: 'tool-call'; call: ToolCall }>
  /** Another model begins the answer anew: what was said before this is void. */
  | Readonly<{ type: 'failover'; from: string; to: string }>
  | Readonly<{ type: 'done'; reason: 'stop' | 'tool-calls' | 'length' | 'refusal'; usage: Usage }>

/** One call of a model. */
export type ModelRequest = Readonly<{
  model: string
  system: string
  messages: readonly Message[]
  tools: readonly ToolDescription[]
  signal: AbortSignal
  /** What is the same for all calls of one conversation, for caches that are found by a key. */
  cacheKey?: string | undefined
}>

/**
 * A model server in one dialect. Throws `CountersignError` without the server's URL, headers or key: `unavailable` where
 * it fails, is late or talks nonsense, `rate_limited` where it says so, `payload_too_large` where the conversation does
 * not fit into the model, `internal` where it refuses the request as such.
 */
export type Provider = Readonly<{ stream(request: ModelRequest): AsyncIterable<ProviderEvent> }>

/** What a dialect is built from. `timeoutMs` bounds one whole answer; 60,000 when nothing is said. */
export type ProviderSettings = Readonly<{
  baseUrl?: string | undefined
  apiKey?: string | undefined
  timeoutMs?: number | undefined
}>

/** One dialect: the value of `providers.<name>.api`, and how to speak it. */
export type Dialect = Readonly<{ api: string; connect(settings: ProviderSettings): Promise<Provider> }>

/** Declares a dialect. */
export function defineDialect(dialect: Dialect): Dialect {
  return dialect
}
