import { canonicalJson } from '../lib/canonical-json.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { traced } from '../lib/traced.ts'
import type { Approval, Decision } from '../policy/index.ts'
import type { Verdict } from '../schema/verdict.ts'
import type { Button, Outbound } from './channel.ts'
import type { Execution } from './gate.ts'
import { type Origin, originMetadata } from './origin.ts'
import type { Answer, Proposal, ProposedStep } from './tool.ts'
import type { Trading } from './trading.ts'
import { untilAborted } from './until-aborted.ts'
import { type CardExecution, verdictCard } from './verdict-card.ts'

/** What acting needs. */
export type ProposalSettings = Readonly<{
  trading: Pick<Trading, 'policy' | 'principal' | 'gate' | 'wallet'>
  mode: Execution['mode']
  log: Log
  /** Who has it proposed; a person in a chat by default. */
  origin?: (() => Origin) | undefined
  /** Buttons for the last card, by which a person has all of it executed; nothing where nobody need be asked. */
  askExecution?: ((steps: readonly AskedStep[]) => Promise<readonly Button[] | undefined>) | undefined
  /** Buttons by which an owner decides what the policy holds. */
  askReview?: ((step: AskedStep) => Promise<readonly Button[]>) | undefined
  /** Must not throw: a chat that is gone does not stop an execution half way. */
  emit(message: Outbound): Promise<void>
}>

/** A step to ask about: what it is for, and how it was decided. */
export type AskedStep = Readonly<{ summary: string; decision: Decision }>

/** One step as the model is told of it. */
export type StepReport = Readonly<{
  step: string
  requestHash: string
  outcome: Verdict['outcome']
  reasonCode: string
  humanReason: string
  triggeringPolicyField: string | null
  failedChecks: readonly Readonly<{ checkId: string; code: string | null; humanReason: string }>[]
  execution: CardExecution | null
}>

/** What became of a proposal. `executed` is true only where every step was sent and is known to have worked. */
export type ProposalReport = Answer & Readonly<{ executed: boolean; steps: readonly StepReport[] }>

type Decided = Readonly<{ step: ProposedStep; decision: Decision }>

/** A step whose approval is at hand. */
export type Approved = Decided & Readonly<{ approval: Approval }>

/**
 * Has every step decided before the first is executed. Where all are approved they are executed in their order, up to
 * the first that fails; where one is not, none is, and the approvals of the others are given back. Where a person has to
 * confirm, nothing is executed now.
 *
 * @throws CountersignError where the policy cannot be asked, or was not in time; nothing was executed then
 */
export async function runProposal(
  { steps }: Proposal,
  settings: ProposalSettings,
  signal: AbortSignal,
): Promise<ProposalReport> {
  const decided = await decide(steps, settings, signal)
  const approved = decided.flatMap(({ step, decision }) => approvedOf(step, decision))
  if (approved.length < decided.length) {
    for (const one of decided) await emitCard(one, null, settings, await reviewButtons(one, settings))
    await giveBack(approved.map(hashOf), settings)
    return report(refusalText(decided), decided, [])
  }
  const buttons = await settings.askExecution?.(decided.map(askedOf))
  for (const [i, one] of decided.entries())
    await emitCard(one, null, settings, i === decided.length - 1 ? buttons : undefined)
  if (buttons !== undefined) return report(waitingText(approved), decided, [])
  const executions = await executeApproved(approved, settings, signal)
  return report(executionText(approved, executions), decided, executions)
}

function askedOf({ step, decision }: Decided): AskedStep {
  return { summary: step.summary, decision }
}

async function reviewButtons(one: Decided, { askReview }: ProposalSettings): Promise<readonly Button[] | undefined> {
  return one.decision.verdict.outcome === 'pending' ? askReview?.(askedOf(one)) : undefined
}

async function decide(
  steps: readonly ProposedStep[],
  settings: ProposalSettings,
  signal: AbortSignal,
): Promise<readonly Decided[]> {
  const { policy, principal, wallet } = settings.trading
  const asked: Promise<Decided>[] = []
  try {
    for (const step of steps) {
      const metadata = originMetadata(settings.origin?.() ?? 'chat')
      const request = {
        escrowAddress: wallet,
        prompt: step.summary,
        proposedTx: step.tx,
        metadata,
        arbiter: 'policy' as const,
      }
      const told = (text: string) => void settings.emit({ type: 'status', text })
      const submitted = policy.submit(principal, request, told)
      asked.push(submitted.then(async ({ decided }) => ({ step, decision: await decided })))
      // Heard with all others below; until then its failure must not count as unheard.
      asked.at(-1)?.catch(() => undefined)
      await untilAborted(submitted, signal)
    }
    return await untilAborted(Promise.all(asked), signal)
  } catch (thrown) {
    for (const one of asked) void one.then((late) => giveBack([hashOf(late)], settings)).catch(() => undefined)
    throw thrown
  }
}

/** An approval counts only beside a verdict that says the same, for the same request and the same bytes. */
function approvedOf(step: ProposedStep, decision: Decision): readonly Approved[] {
  const { approval, verdict, requestHash } = decision
  if (approval === undefined || verdict.outcome !== 'approved' || verdict.reasonCode !== 'allowed') return []
  const same = approval.requestHash === requestHash && canonicalJson(approval.tx) === canonicalJson(step.tx)
  return same ? [{ step, decision, approval }] : []
}

/** Executes approved steps in their order, up to the first that fails, and gives the approvals of the others back. */
export async function executeApproved(
  approved: readonly Approved[],
  settings: ExecutingSettings,
  signal: AbortSignal,
): Promise<readonly CardExecution[]> {
  const done: CardExecution[] = []
  for (const one of approved) {
    if (signal.aborted) break
    const execution = await execute(one, settings)
    const card = cardExecution(execution, done.length)
    done.push(card)
    await emitCard(one, card, settings)
    // A rehearsal goes through every step; for real, and on paper, what comes after needs this one to have happened.
    if (endsWith(execution)) {
      if (!execution.ok && (execution.mode === 'dry-run' || execution.status === 'refused'))
        await giveBack([hashOf(one)], settings)
      break
    }
  }
  await giveBack(approved.slice(done.length).map(hashOf), settings)
  return done
}

function endsWith(execution: Execution): boolean {
  if (execution.mode === 'dry-run') return !execution.ok && execution.stops === true
  return !execution.ok || execution.status === 'pending'
}

/** What executing needs. */
type ExecutingSettings = Pick<ProposalSettings, 'mode' | 'log' | 'emit'> &
  Readonly<{
    trading: Pick<Trading, 'principal' | 'gate' | 'wallet'> & Readonly<{ policy: Pick<Trading['policy'], 'cancel'> }>
  }>

/** A gate that fails leaves open what became of the action: its journal knows, and nothing more is executed on it. */
async function execute({ approval }: Approved, { trading, mode, log }: ExecutingSettings): Promise<Execution> {
  try {
    const { requestHash } = approval
    return await traced('execute', { requestHash, mode }, () => trading.gate.execute(approval))
  } catch (thrown) {
    log.error({ requestHash: approval.requestHash, error: messageOf(thrown) }, 'The gate failed.')
    const reason = 'The gate failed. Look at the journal before anything is tried again.'
    return mode === 'dry-run'
      ? { mode, ok: false, reason }
      : { mode, ok: false, status: 'refused', txHash: null, reason }
  }
}

function cardExecution(execution: Execution, earlier: number): CardExecution {
  if (execution.mode === 'direct') {
    const { mode, ok, txHash } = execution
    if (!execution.ok) return { mode, ok, txHash, text: execution.reason }
    if (execution.status === 'placed') return { mode, ok, txHash, text: execution.words }
    if (execution.status === 'mined') return { mode, ok, txHash, text: 'Executed and mined.' }
    if (execution.words !== undefined) return { mode, ok, txHash, text: `Not executed yet: ${execution.words}.` }
    const unknown = txHash === null ? 'what the venue made of it is not known yet' : 'not known to be mined yet'
    return { mode, ok, txHash, text: `Signed and sent; ${unknown}.` }
  }
  const { mode, ok } = execution
  if (ok) return { mode, ok, txHash: null, text: execution.words ?? 'Dry run: simulated, nothing was sent.' }
  if (execution.stops) return { mode, ok, txHash: null, text: `Dry run: not filled on paper. ${execution.reason}` }
  const alone = earlier > 0 ? ' The steps before it were not executed in this dry run, and it may need them.' : ''
  return {
    mode,
    ok,
    txHash: null,
    text: `Dry run: nothing was sent. The simulation failed: ${execution.reason}${alone}`,
  }
}

function refusalText(decided: readonly Decided[]): string {
  const [worst] = [...decided].sort((a, b) => rank(b.decision.verdict) - rank(a.decision.verdict))
  if (!worst) return 'Not executed.'
  const { step, decision } = worst
  const { outcome, reasonCode, humanReason, triggeringPolicyField } = decision.verdict
  if (outcome === 'pending') return `Not executed yet: "${step.summary}" waits for a person. ${humanReason}`
  if (outcome === 'approved') return `Not executed: the approval of "${step.summary}" is not usable.`
  const field = triggeringPolicyField === null ? '' : `, policy field ${triggeringPolicyField}`
  return `Not executed: "${step.summary}" was rejected (${reasonCode}${field}). ${humanReason}`
}

function rank({ outcome }: Verdict): number {
  return outcome === 'rejected' ? 2 : outcome === 'pending' ? 1 : 0
}

function waitingText(approved: readonly Approved[]): string {
  const until = new Date(Math.min(...approved.map(({ approval }) => approval.expiresAt.getTime())))
  const what = approved.map(({ step }) => `"${step.summary}"`).join(', ')
  return `Approved, and not executed yet: ${what}. The person was shown it and executes it with a button until ${until.toISOString()}. Do not propose it again.`
}

function executionText(approved: readonly Approved[], executions: readonly CardExecution[]): string {
  const lines = executions.map(({ text, txHash }, i) => {
    const hash = txHash === null ? '' : ` Transaction ${txHash}.`
    return `${approved[i]?.step.summary ?? ''}: approved. ${text}${hash}`
  })
  const left = approved.slice(executions.length).map(({ step }) => `${step.summary}: approved, not executed.`)
  return [...lines, ...left].join('\n')
}

function report(message: string, decided: readonly Decided[], executions: readonly CardExecution[]): ProposalReport {
  const steps = decided.map(({ step, decision }, i): StepReport => {
    const { outcome, reasonCode, humanReason, triggeringPolicyField, checks } = decision.verdict
    const failedChecks = checks
      .filter(({ status }) => status === 'failed')
      .map(({ checkId, code, humanReason: reason }) => ({ checkId, code, humanReason: reason }))
    const { requestHash } = decision
    const said = { outcome, reasonCode, humanReason, triggeringPolicyField, failedChecks }
    return { step: step.summary, requestHash, ...said, execution: executions[i] ?? null }
  })
  const executed = steps.every(({ execution }) => execution?.mode === 'direct' && execution.ok)
  return { message, executed, steps }
}

async function emitCard(
  { step, decision }: Decided,
  execution: CardExecution | null,
  settings: Pick<ExecutingSettings, 'emit' | 'trading'>,
  buttons?: readonly Button[],
): Promise<void> {
  const { requestHash, verdict } = decision
  const card = verdictCard({ requestHash, title: step.summary, verdict, wallet: settings.trading.wallet }, execution)
  await settings.emit({ type: 'verdict', card, ...(buttons !== undefined && { buttons }) })
}

function hashOf({ decision }: Decided): string {
  return decision.requestHash
}

/** Releases what the approvals hold. What cannot be cancelled (not approved, already over) needs no release. */
export async function giveBack(
  requestHashes: readonly string[],
  { trading, log }: Pick<ExecutingSettings, 'trading' | 'log'>,
): Promise<void> {
  const { policy, principal } = trading
  for (const requestHash of requestHashes) {
    await policy.cancel(principal, requestHash).catch((thrown: unknown) => {
      const expected = thrown instanceof CountersignError && !thrown.retryable && thrown.code !== 'internal'
      log[expected ? 'debug' : 'warn']({ requestHash, error: messageOf(thrown) }, 'Not cancelled.')
    })
  }
}
