import { canonicalJson } from '../lib/canonical-json.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Meter } from './budget.ts'
import type { Outbound } from './channel.ts'
import { withShortResults } from './history.ts'
import { malformed } from './model-answer.ts'
import type { Message, Provider, ProviderEvent, ToolCall, ToolDescription } from './provider.ts'
import { createTextPieces } from './text-pieces.ts'

/** What one message may cost at most. All of them are on unless the configuration says otherwise. */
export type TurnLimits = Readonly<{
  /** Calls of the model for one message. */
  turns: number
  toolCallsPerTurn: number
  /** The tool call that repeats an earlier one for the so-manieth time ends the run. */
  identicalCalls: number
  /** Milliseconds from the message to the end of its answer. */
  wallMs: number
}>

export const DEFAULT_LIMITS: TurnLimits = { turns: 8, toolCallsPerTurn: 16, identicalCalls: 3, wallMs: 120_000 }

/** What a tool call gave, as the model is told it: JSON, so that no text in it can pose as more than data. */
export type ToolOutcome = Readonly<{ result: string; isError: boolean }>

/** What a turn runs with. */
export type TurnSettings = Readonly<{
  provider: Provider
  model: string
  system: string
  tools: readonly ToolDescription[]
  limits: TurnLimits
  /** Stops the turn: the person said so. */
  signal: AbortSignal
  meter: Meter
  /** The history once more and shorter, where the model said that it cannot read all of it. */
  shorten(): Promise<readonly Message[]>
  cacheKey?: string | undefined
  /** Runs one tool call. Must not throw, and must return soon once the signal says so. */
  runTool(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  emit(message: Outbound): Promise<void>
}>

type Finished = Extract<ProviderEvent, { type: 'done' }>['reason']
type Said = Readonly<{ text: string; toolCalls: readonly ToolCall[]; finished: Finished }>

/**
 * Answers one message: the model speaks, its tool calls are run, and their results go back to it, until it has nothing
 * more to ask or a limit is reached. Never throws: what went wrong is said in the conversation.
 *
 * @returns what to remember beyond the history, tool calls and their results always together
 */
export async function runTurn(
  history: readonly Message[],
  text: string,
  settings: TurnSettings,
): Promise<readonly Message[]> {
  const { limits, emit } = settings
  const clock = AbortSignal.timeout(limits.wallMs)
  const signal = AbortSignal.any([settings.signal, clock])
  const added: Message[] = [{ role: 'user', text }]
  const made = new Map<string, number>()
  const told = { history }
  try {
    for (let turn = 1; ; turn++) {
      const spent = await settings.meter.refusal()
      if (spent !== undefined) {
        await emit({ type: 'error', text: `Stopped: ${spent}.` })
        return added.length > 1 ? added : []
      }
      const { toolCalls, finished, text: said } = await hear(told, added, settings, signal)
      // Servers refuse a history with an empty answer in it.
      if (said.trim() !== '' || toolCalls.length > 0) added.push({ role: 'assistant', text: said, toolCalls })
      if (finished !== 'tool-calls') {
        if (finished !== 'stop' || said.trim() === '') await emit(ending(finished))
        return added
      }
      const last = turn === limits.turns ? `the limit of ${limits.turns} calls of the model is reached` : undefined
      const stop = await answerCalls(toolCalls, { added, made, last }, settings, signal)
      if (stop !== undefined) {
        await emit({ type: 'error', text: `Stopped: ${stop}.` })
        return added
      }
    }
  } catch (thrown) {
    await emit({ type: 'error', text: faultText(thrown, { stopped: settings.signal, clock, limits }) })
    return added.length > 1 ? added : []
  }
}

/** The model's answer. Where the conversation does not fit into it, once more, and from then on, with a shorter one. */
async function hear(
  told: { history: readonly Message[] },
  added: readonly Message[],
  settings: TurnSettings,
  signal: AbortSignal,
): Promise<Said> {
  try {
    return await listen([...told.history, ...added], settings, signal)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError) || thrown.code !== 'payload_too_large') throw thrown
    await settings.emit({ type: 'status', text: 'The conversation is too long for the model, and is shortened.' })
    told.history = await settings.shorten()
    return listen([...told.history, ...withShortResults(added)], settings, signal)
  }
}

/** One call of the model. Nothing is run before its answer is complete. */
async function listen(messages: readonly Message[], settings: TurnSettings, signal: AbortSignal): Promise<Said> {
  const { provider, model, system, tools, emit, meter, cacheKey } = settings
  const pieces = createTextPieces((text) => emit({ type: 'text', text }))
  let said: Pick<Said, 'text' | 'toolCalls'> = { text: '', toolCalls: [] }
  for await (const event of whileGoing(provider.stream({ model, system, messages, tools, signal, cacheKey }), signal))
    switch (event.type) {
      case 'text':
        said = { ...said, text: said.text + event.text }
        await pieces.add(event.text)
        break
      case 'tool-call':
        said = { ...said, toolCalls: [...said.toolCalls, event.call] }
        break
      case 'failover':
        said = { text: '', toolCalls: [] }
        await pieces.flush()
        await emit({ type: 'status', text: `The model ${event.from} failed; ${event.to} answers anew.` })
        break
      case 'done':
        await pieces.flush()
        await meter.record(event.usage)
        return { ...said, toolCalls: event.reason === 'tool-calls' ? said.toolCalls : [], finished: event.reason }
    }
  throw malformed('its answer ended too early')
}

type Progress = Readonly<{ added: Message[]; made: Map<string, number>; last: string | undefined }>

/** Runs the calls in their order, and gives every one of them a result. Returns why to stop, if it must. */
async function answerCalls(
  calls: readonly ToolCall[],
  { added, made, last }: Progress,
  { limits, runTool }: TurnSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  let stop = last
  for (const [index, call] of calls.entries()) {
    stop ??= signal.aborted ? 'the turn was stopped' : repeated(call, made, limits)
    const over = index >= limits.toolCallsPerTurn && `at most ${limits.toolCallsPerTurn} tool calls are run at once`
    const refused = stop ?? over
    const outcome = refused ? notRun(refused) : await runTool(call, signal)
    added.push({ role: 'tool', callId: call.id, name: call.name, ...outcome })
  }
  return signal.aborted ? undefined : stop
}

function repeated(call: ToolCall, made: Map<string, number>, { identicalCalls }: TurnLimits): string | undefined {
  const key = `${call.name} ${canonicalJson(call.arguments)}`
  const times = (made.get(key) ?? 0) + 1
  made.set(key, times)
  return times >= identicalCalls ? `the model asked for the same ${call.name} ${times} times` : undefined
}

function notRun(why: string): ToolOutcome {
  return { result: JSON.stringify({ ok: false, error: `Not run: ${why}.` }), isError: true }
}

function ending(finished: Finished): Outbound {
  if (finished === 'length') return { type: 'status', text: 'The answer was cut off: it reached its longest length.' }
  if (finished === 'refusal') return { type: 'status', text: 'The model declined to answer.' }
  return { type: 'status', text: 'The model gave no answer.' }
}

type Clocks = Readonly<{ stopped: AbortSignal; clock: AbortSignal; limits: TurnLimits }>

function faultText(thrown: unknown, { stopped, clock, limits }: Clocks): string {
  if (stopped.aborted) return 'Stopped.'
  if (clock.aborted) return `Stopped: the answer took longer than ${limits.wallMs / 1000} seconds.`
  return thrown instanceof CountersignError ? thrown.message : 'The turn failed.'
}

/** The events of a stream, until the signal: a server that ignores it does not hold the turn. */
async function* whileGoing(
  events: AsyncIterable<ProviderEvent>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => undefined)
  const abort = () => aborted.reject(new Error('The turn was stopped.'))
  signal.addEventListener('abort', abort, { once: true })
  const iterator = events[Symbol.asyncIterator]()
  try {
    signal.throwIfAborted()
    while (true) {
      const next = await Promise.race([iterator.next(), aborted.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
