import { CountersignError, messageOf } from '../lib/errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { ToolCall } from './provider.ts'
import { type ProposalSettings, runProposal } from './run-proposal.ts'
import { simulateSteps } from './simulation.ts'
import type { Answer, HarnessContext, IntentCheck, SimulatedStep, Tool, ToolContext } from './tool.ts'
import type { Trading } from './trading.ts'
import type { ToolOutcome } from './turn.ts'
import { untilAborted } from './until-aborted.ts'

/** What running a tool needs. Without trading there are no tools. */
export type RunToolSettings = Omit<ProposalSettings, 'trading'> &
  Readonly<{
    /** Those that the agent may use. */
    tools: readonly Tool[]
    trading: Trading | undefined
    /** What tools of the harness itself work with. */
    own: Omit<HarnessContext, 'signal'>
    now(): Date
  }>

/** Characters of a result that a model is told at most; a longer one is cut, and says so. */
const LONGEST_RESULT = 24_000

/**
 * One tool call, straight through: find, parse, read or propose, have decided, execute, report. Never throws: an unknown
 * tool, wrong arguments and failures go back to the model as errors.
 */
export async function runTool(call: ToolCall, settings: RunToolSettings, signal: AbortSignal): Promise<ToolOutcome> {
  const { name } = call
  try {
    const result = await resultOf(call, settings, signal)
    return result.ok ? outcome({ ok: true, tool: name, result: result.value }) : failure(name, result.reason)
  } catch (thrown) {
    if (thrown instanceof CountersignError) return failure(name, thrown.message)
    settings.log.error({ tool: name, error: messageOf(thrown) }, 'A tool failed.')
    return failure(name, 'The tool failed. Nothing more was done.')
  }
}

async function resultOf(call: ToolCall, settings: RunToolSettings, signal: AbortSignal): Promise<Result<Answer>> {
  const { tools, trading } = settings
  const tool = tools.find(({ name }) => name === call.name)
  if (tool?.kind === 'harness') return untilAborted(tool.run(call.arguments, { ...settings.own, signal }), signal)
  if (!tool || !trading)
    return refuse(`There is no such tool. Those that there are: ${tools.map(({ name }) => name).join(', ')}.`)
  const context = untilAborted(contextOf(trading, settings), signal)
  if (tool.kind === 'read') return untilAborted(tool.read(call.arguments, await context), signal)
  const proposal = await untilAborted(tool.propose(call.arguments, await context), signal)
  return proposal.ok ? ok(await runProposal(proposal.value, { ...settings, trading }, signal)) : proposal
}

async function contextOf(trading: Trading, settings: RunToolSettings): Promise<ToolContext> {
  const { chainId, wallet, reader } = trading
  const { now } = settings
  const context = { chainId, wallet, reader, slippageBps: await trading.slippageBps(), now }
  return {
    ...context,
    checkIntent: (intent, call) => checkIntent(intent, call, context, settings),
    ...(trading.rehearsal && { simulate: (call) => simulate(call, context, settings, trading.rehearsal) }),
  }
}

/** Has another tool propose, and compares that with a person's words. Of a mismatch the person is told at once, not only the model. */
async function checkIntent(
  intent: string,
  call: Readonly<{ name: string; arguments: unknown }>,
  context: ToolContext,
  { tools, trading, emit }: RunToolSettings,
): Promise<Result<IntentCheck>> {
  const tool = tools.find(({ name }) => name === call.name)
  if (trading?.checkIntent === undefined) return refuse('Intents cannot be checked here.')
  if (tool?.kind !== 'action') return refuse(`${call.name} is no tool that changes anything.`)
  const proposal = await tool.propose(call.arguments, context)
  if (!proposal.ok) return proposal
  const checked = await trading.checkIntent(
    intent,
    proposal.value.steps.map(({ tx }) => tx),
  )
  if (!checked.matches) await emit({ type: 'text', text: `⚠️ Not what was asked for: ${checked.reason}` })
  return ok(checked)
}

/** Has another tool propose, and looks at that without submitting it. */
async function simulate(
  call: Readonly<{ name: string; arguments: unknown }>,
  context: ToolContext,
  { tools }: RunToolSettings,
  rehearsal: Trading['rehearsal'],
): Promise<Result<readonly SimulatedStep[]>> {
  const tool = tools.find(({ name }) => name === call.name)
  if (rehearsal === undefined || tool?.kind !== 'action')
    return refuse(`${call.name.slice(0, 64)} is no tool that changes anything.`)
  const proposal = await tool.propose(call.arguments, context)
  if (!proposal.ok) return proposal
  const { wallet, reader } = context
  return ok(await simulateSteps(proposal.value.steps, { wallet, reader, rehearsal }))
}

function failure(tool: string, error: string): ToolOutcome {
  return outcome({ ok: false, tool, error })
}

type Told = Readonly<{ ok: true; tool: string; result: Answer }> | Readonly<{ ok: false; tool: string; error: string }>

/** Always JSON: texts from contracts, files and policies stay data within it. */
function outcome(told: Told): ToolOutcome {
  const result = JSON.stringify(told)
  if (result.length <= LONGEST_RESULT) return { result, isError: !told.ok }
  const cut = told.ok
    ? { ...told, result: { cut: true, beginning: result.slice(0, LONGEST_RESULT) } }
    : { ...told, error: `${told.error.slice(0, LONGEST_RESULT)} …` }
  return { result: JSON.stringify(cut), isError: !told.ok }
}
