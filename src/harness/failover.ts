import { CountersignError } from '../lib/errors.ts'
import { LONGEST_ANSWER, malformed, tooLong } from './model-answer.ts'
import type { ModelRequest, Provider, ProviderEvent, Usage } from './provider.ts'

/** What a model costs in US dollars per million tokens. Without `cachedInput` a cache saves nothing. */
export type ModelPrice = Readonly<{
  input: number
  output: number
  cachedInput?: number | undefined
  cacheWrite?: number | undefined
}>

/** A model that can be asked. Its provider is connected at the first use. */
export type Candidate = Readonly<{
  /** `provider/model`, as people read it. */
  label: string
  model: string
  supportsToolUse: boolean
  price: ModelPrice | undefined
  connect(): Promise<Provider>
}>

/** Milliseconds that a model rests after its first failure; twice as long after each further one. */
const FIRST_REST_MS = 30_000
const LONGEST_REST_MS = 600_000

/** Characters of a token, rounded against the caller: what a server does not count is counted by this. */
const CHARACTERS_PER_TOKEN = 3

/** Which models failed lately, and until when they rest. One for all agents of a process. */
export type Resting = Readonly<{
  until(label: string): number
  failed(label: string): void
  worked(label: string): void
}>

/** @param now milliseconds of any clock that moves on */
export function createResting(now: () => number): Resting {
  const failures = new Map<string, Readonly<{ count: number; until: number }>>()
  return {
    until: (label) => failures.get(label)?.until ?? 0,
    failed(label) {
      const count = (failures.get(label)?.count ?? 0) + 1
      failures.set(label, { count, until: now() + Math.min(FIRST_REST_MS * 2 ** (count - 1), LONGEST_REST_MS) })
    },
    worked: (label) => void failures.delete(label),
  }
}

/**
 * Several models as one provider: where one cannot be reached, is late, overloaded or breaks off, the next of the list
 * begins the answer anew. Never on a refusal, and never after the answer was complete, so no tool call comes twice.
 */
export function withFailover(
  candidates: readonly [Candidate, ...Candidate[]],
  resting: Resting,
  now: () => number,
): Provider {
  return {
    async *stream(request) {
      const [first, ...others] = inOrder(candidates, resting, now(), request)
      let current = first
      for (;;) {
        try {
          yield* answerOf(current, request)
          resting.worked(current.label)
          return
        } catch (thrown) {
          if (request.signal.aborted || !isOutage(thrown)) throw thrown
          resting.failed(current.label)
          const next = others.shift()
          if (next === undefined) throw thrown
          yield { type: 'failover', from: current.label, to: next.label }
          current = next
        }
      }
    },
  }
}

/** As configured, those that rest last. A model without tools cannot take over a conversation that has some. */
function inOrder(
  candidates: readonly [Candidate, ...Candidate[]],
  resting: Resting,
  now: number,
  { tools }: ModelRequest,
): [Candidate, ...Candidate[]] {
  const [first] = candidates
  const able = candidates.filter(({ supportsToolUse }) => tools.length === 0 || supportsToolUse)
  const rests = ({ label }: Candidate) => resting.until(label) > now
  const awake = able.filter((one) => !rests(one))
  const asleep = able.filter(rests).sort((a, b) => resting.until(a.label) - resting.until(b.label))
  const [next = first, ...others] = [...awake, ...asleep]
  return [next, ...others]
}

/** One model's answer, whole, with what it used and cost. */
async function* answerOf(candidate: Candidate, request: ModelRequest): AsyncGenerator<ProviderEvent, void> {
  const provider = await candidate.connect()
  let characters = 0
  for await (const event of provider.stream({ ...request, model: candidate.model })) {
    if (event.type === 'text') characters += event.text.length
    if (event.type === 'tool-call') characters += JSON.stringify(event.call).length
    if (characters > LONGEST_ANSWER) throw tooLong()
    if (event.type !== 'done') {
      yield event
      continue
    }
    const usage = counted(event.usage, request, characters)
    yield { ...event, usage: { ...usage, ...(candidate.price && { microUsd: costOf(usage, candidate.price) }) } }
    return
  }
  throw malformed('its answer ended too early')
}

function isOutage(thrown: unknown): boolean {
  return thrown instanceof CountersignError && thrown.retryable
}

/** A server that counts nothing is counted for: a budget must not be blind. */
function counted(usage: Usage, { system, messages, tools }: ModelRequest, said: number): Usage {
  if (usage.inputTokens > 0 && (usage.outputTokens > 0 || said === 0)) return usage
  const asked = system.length + JSON.stringify(messages).length + JSON.stringify(tools).length
  return {
    ...usage,
    inputTokens: usage.inputTokens || Math.ceil(asked / CHARACTERS_PER_TOKEN),
    outputTokens: usage.outputTokens || Math.ceil(said / CHARACTERS_PER_TOKEN),
  }
}

/** Micro-USD, rounded up: dollars per million tokens are micro-dollars per token. */
function costOf(usage: Usage, { input, output, cachedInput = input, cacheWrite = input }: ModelPrice): number {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const plain = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  return Math.ceil(plain * input + cachedTokens * cachedInput + cacheWriteTokens * cacheWrite + outputTokens * output)
}
