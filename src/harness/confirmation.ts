import { randomBytes } from 'node:crypto'
import { CountersignError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { formatUsd, type MicroUsd, parseDecimal, toMicroUsd } from '../lib/usd.ts'
import type { Decision, DecisionPort, Principal } from '../policy/index.ts'
import type { Confirmation, Json, Storage } from '../storage/index.ts'
import { checksText } from './card-text.ts'
import type { Button, Outbound } from './channel.ts'
import type { Execution } from './gate.ts'
import { type Approved, executeApproved, giveBack } from './run-proposal.ts'
import type { Trading } from './trading.ts'
import { verdictCard } from './verdict-card.ts'

/** When a person has to confirm before anything is executed: always, never, or from a worth of US dollars on. */
export type Confirm = 'always' | 'never' | `above:${string}`

/** Where a question is asked, and who asked for the action. */
export type Place = Readonly<{
  channel: string
  account: string
  conversation: string
  person: string
  isOwner: boolean
}>

/** A step to ask about: what it is for, and how it was decided. */
export type AskedStep = Readonly<{ summary: string; decision: Decision }>

/** What a turn asks people. */
export type Questions = Readonly<{
  /** Buttons by which the person has the steps executed; nothing where nobody need be asked. */
  execution(steps: readonly AskedStep[]): Promise<readonly Button[] | undefined>
  /** Buttons by which an owner decides a step that the policy holds; none where the person is no owner. */
  review(step: AskedStep): Promise<readonly Button[]>
}>

/** Questions to people, and their answers. */
export type Confirmations = Readonly<{
  forTurn(place: Place, confirm: Confirm): Questions
  /** A pressed button: `messageId` is the message that says so. Says what became of it. */
  press(buttonId: string, messageId: string, place: Place, emit: Emit): Promise<void>
  /** The same for the newest question in a conversation, in words. */
  answerLatest(action: 'execute' | 'cancel', messageId: string, place: Place, emit: Emit): Promise<void>
  /** An owner's word on a held action. */
  review(action: 'approve' | 'reject', requestHash: string, place: Place, emit: Emit): Promise<void>
}>

type Emit = (message: Outbound) => Promise<void>
type Step = Readonly<{ summary: string; requestHash: string }>

/** What confirmations are built from. */
export type ConfirmationSettings = Readonly<{
  storage: Storage
  trading: Pick<Trading, 'principal' | 'gate' | 'wallet'> & Readonly<{ policy: Trading['policy'] & Deciding }>
  mode: Execution['mode']
  log: Log
}>

type Deciding = Pick<DecisionPort, 'readDecision' | 'review'>

const ACTIONS = { x: 'execute', c: 'cancel', d: 'details', a: 'approve', r: 'reject' } as const
type Action = (typeof ACTIONS)[keyof typeof ACTIONS]

/** How long an owner may take to decide what is held. */
const REVIEW_TTL_MS = 24 * 60 * 60_000

/** Questions over a store: each is bound to its actions and its person, ends with the approval, and is answered once. */
export function createConfirmations(settings: ConfirmationSettings): Confirmations {
  const { storage } = settings
  const store = storage.stores.confirmations

  async function ask(kind: Confirmation['kind'], steps: readonly AskedStep[], place: Place, expiresAt: number) {
    const id = randomBytes(16).toString('base64url')
    const { channel, account, conversation, person } = place
    const asked: readonly Step[] = steps.map(({ summary, decision }) => ({
      summary,
      requestHash: decision.requestHash,
    }))
    await store.insert({ id, kind, steps: asked as Json, channel, account, conversation, person, expiresAt })
    return id
  }

  async function act(
    question: Confirmation,
    action: Action,
    messageId: string,
    place: Place,
    emit: Emit,
  ): Promise<void> {
    const refused = refusalOf(question, action, place)
    if (refused !== undefined) return emit({ type: 'status', text: refused })
    const steps = question.steps as readonly Step[]
    if (action === 'details') return tellDetails(steps, settings, emit)
    const isYes = action === 'execute' || action === 'approve'
    const usedBy = `${place.channel} ${messageId}`
    if (!(await store.answer(question.id, isYes ? 'used' : 'cancelled', usedBy)))
      return emit({ type: 'status', text: question.isExpired ? EXPIRED : 'This was answered before.' })
    if (action === 'execute') return execute(steps, settings, emit)
    if (action === 'cancel') return cancel(steps, settings, emit)
    if (steps[0] !== undefined) await review(steps[0], action, place, settings, emit)
  }

  return {
    forTurn: (place, confirm) => questionsOf(place, confirm, settings, ask),
    async press(buttonId, messageId, place, emit) {
      const [id = '', letter = ''] = buttonId.split('.')
      const action = Object.hasOwn(ACTIONS, letter) ? ACTIONS[letter as keyof typeof ACTIONS] : undefined
      const question = action && (await store.byId(id))
      if (!question || !action) return emit({ type: 'status', text: 'This button is no longer known.' })
      await act(question, action, messageId, place, emit)
    },
    async answerLatest(action, messageId, place, emit) {
      const question = await store.latestOpen(place.channel, place.conversation, place.person)
      if (!question) return emit({ type: 'status', text: 'Nothing waits for your confirmation here.' })
      await act(question, action, messageId, place, emit)
    },
    review: (action, requestHash, place, emit) =>
      review({ summary: 'Held for review', requestHash }, action, place, settings, emit),
  }
}

type Ask = (kind: Confirmation['kind'], steps: readonly AskedStep[], place: Place, expiresAt: number) => Promise<string>

function questionsOf(place: Place, confirm: Confirm, { mode, storage }: ConfirmationSettings, ask: Ask): Questions {
  return {
    async execution(steps) {
      if (mode === 'dry-run' || !isAsked(confirm, steps)) return undefined
      const ends = steps.map(({ decision }) => decision.approval?.expiresAt.getTime() ?? 0)
      const id = await ask('execute', steps, place, Math.min(...ends))
      return [
        { id: `${id}.x`, label: steps.length > 1 ? `Execute all ${steps.length}` : 'Execute', style: 'go' },
        { id: `${id}.c`, label: 'Cancel', style: 'stop' },
        { id: `${id}.d`, label: 'Details', style: 'plain' },
      ]
    },
    async review(step) {
      if (!place.isOwner) return []
      const id = await ask('review', [step], place, (await storage.now()) + REVIEW_TTL_MS)
      return [
        { id: `${id}.a`, label: 'Approve', style: 'go' },
        { id: `${id}.r`, label: 'Reject', style: 'stop' },
        { id: `${id}.d`, label: 'Details', style: 'plain' },
      ]
    },
  }
}

const EXPIRED = 'The approval has expired: nothing was executed. Ask for it again.'

/** Why somebody may not answer a question. What the policy holds is for owners; all else for the one who asked for it. */
function refusalOf({ kind, channel, conversation, person, account }: Confirmation, action: Action, place: Place) {
  if (channel !== place.channel || account !== place.account || conversation !== place.conversation)
    return 'This button belongs to another conversation.'
  if (kind === 'review' && !place.isOwner) return 'Only an owner may decide this.'
  if (kind === 'execute' && person !== place.person) return 'Only the person who asked for this may decide it.'
  const fits = action === 'details' || (kind === 'review') === (action === 'approve' || action === 'reject')
  return fits ? undefined : 'This button is no longer known.'
}

/** A worth that is not known is above every limit. */
function isAsked(confirm: Confirm, steps: readonly AskedStep[]): boolean {
  if (confirm === 'never') return false
  if (confirm === 'always') return true
  const worths = steps.map(({ decision }) => decision.verdict.usdNotional)
  if (worths.some((usd) => usd === null)) return true
  const total = worths.reduce<MicroUsd>((sum, usd) => sum + toMicroUsd(usd ?? 0), 0n)
  return total > parseDecimal(confirm.slice('above:'.length), 6)
}

/** What is said of a limit, where one is set. */
export function confirmText(confirm: Confirm): string {
  if (confirm === 'never') return 'executed without asking'
  if (confirm === 'always') return 'a person confirms each'
  return `a person confirms each above ${formatUsd(parseDecimal(confirm.slice('above:'.length), 6))}`
}

async function load(steps: readonly Step[], { trading }: ConfirmationSettings): Promise<readonly AskedStep[]> {
  return Promise.all(
    steps.map(async ({ summary, requestHash }) => ({
      summary,
      decision: await trading.policy.readDecision(trading.principal, requestHash),
    })),
  )
}

/** From the store alone: the approvals as they are there now. The journal sees to it that each is used once. */
async function execute(steps: readonly Step[], settings: ConfirmationSettings, emit: Emit): Promise<void> {
  const approved = (await load(steps, settings)).flatMap(({ summary, decision }): readonly Approved[] => {
    const { approval } = decision
    return approval === undefined ? [] : [{ step: { summary, tx: approval.tx }, decision, approval }]
  })
  if (approved.length < steps.length) return emit({ type: 'status', text: EXPIRED })
  await executeApproved(approved, { ...settings, emit }, new AbortController().signal)
}

async function cancel(steps: readonly Step[], settings: ConfirmationSettings, emit: Emit): Promise<void> {
  await giveBack(
    steps.map(({ requestHash }) => requestHash),
    settings,
  )
  const [last] = (await load(steps, settings)).slice(-1)
  if (last)
    await emit({
      type: 'verdict',
      card: cardOf(last, settings, { ok: false, text: 'Cancelled: nothing was executed.' }),
    })
}

async function review(
  step: Step,
  action: 'approve' | 'reject',
  { channel, person }: Place,
  settings: ConfirmationSettings,
  emit: Emit,
): Promise<void> {
  const { trading } = settings
  const { agentId } = trading.principal
  const reviewer: Principal = { id: `${channel}:${person}`, agentId, scopes: ['transactions:approve:own'] }
  const given = action === 'approve' ? 'APPROVED' : 'REJECTED'
  try {
    const request = { decision: given, analysis: `Decided in chat by ${reviewer.id}.` } as const
    const decision = await trading.policy.review(reviewer, step.requestHash, request)
    const { approval } = decision
    await emit({ type: 'verdict', card: cardOf({ summary: step.summary, decision }, settings, null) })
    if (approval === undefined) return
    const approved: Approved = { step: { summary: step.summary, tx: approval.tx }, decision, approval }
    await executeApproved([approved], { ...settings, emit }, new AbortController().signal)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    await emit({ type: 'error', text: thrown.message })
  }
}

function cardOf(
  { summary, decision }: AskedStep,
  { trading, mode }: ConfirmationSettings,
  ended: Readonly<{ ok: boolean; text: string }> | null,
) {
  const { requestHash, verdict } = decision
  const facts = { requestHash, title: summary, verdict, wallet: trading.wallet }
  return verdictCard(facts, ended && { mode, txHash: null, ...ended })
}

async function tellDetails(steps: readonly Step[], settings: ConfirmationSettings, emit: Emit): Promise<void> {
  for (const step of await load(steps, settings))
    await emit({ type: 'status', text: checksText(cardOf(step, settings, null)) })
}
