import { type Address, isAddress, toAddress } from '../lib/address.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { chainOf, contractAt } from '../registry/index.ts'
import { isEvmTx, ProposedTx } from '../schema/action.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { CandidateStep, CandidateTx } from '../schema/validation.ts'
import type { Inspection, Surroundings } from './inspection.ts'

/** One step of a candidate, and what its bytes do; a refusal says what is wrong with them. */
export type Step = Readonly<{
  step: CandidateStep
  tx: ProposedTx | undefined
  /** What is wrong with its form, before anything is decoded. */
  malformed: string | undefined
  inspection: Result<Inspection>
}>

/** A candidate: its steps in their order, where they would run and who sends them. */
export type Candidate = Readonly<{
  steps: readonly Step[]
  chainId: number
  wallet: Address
  /** Whether the request says who sends. Where it does not, a literal receiver may be anybody. */
  walletKnown: boolean
  /** The step that does what was asked for; the others prepare it. */
  primary: Step
}>

/** Stands for a sender that nobody named. No key is known for it. */
const NOBODY: Address = '0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0'
const DEFAULT_CHAIN = 1

type Defaults = Readonly<{ chainId: number | null; metadata: Readonly<Record<string, unknown>> | undefined }>

/** Reads a candidate, and has each of its steps decoded. */
export async function readCandidate(
  { transactions, ...single }: CandidateTx,
  { chainId: intended, metadata }: Defaults,
  inspect: Surroundings['inspect'],
): Promise<Candidate> {
  const listed = transactions ?? []
  const own = single.to !== undefined || single.data !== undefined || single.order !== undefined
  const steps = own || listed.length === 0 ? [...listed, single] : listed
  const said = (name: string) => [single.context, single.metadata, metadata].map((one) => one?.[name]).find(isGiven)
  const [first] = steps
  const ordered = numberOf(first?.order?.['chainId'])
  const chainId =
    single.chainId ?? ordered ?? numberOf(said('chainId')) ?? listed[0]?.chainId ?? intended ?? DEFAULT_CHAIN
  const from =
    single.from ?? listed[0]?.from ?? said('from') ?? said('wallet') ?? said('walletAddress') ?? said('sender')
  const walletKnown = typeof from === 'string' && isAddress(from)
  const wallet = walletKnown ? toAddress(from) : NOBODY
  const read = await Promise.all(
    steps.map((step) => readStep(step, single.protocol, { chainId, wallet, walletKnown }, inspect)),
  )
  return { steps: read, chainId, wallet, walletKnown, primary: primaryOf(read) }
}

/** The last step that does more than to give rights; else the last one. */
function primaryOf(steps: readonly Step[]): Step {
  const acts = steps.filter(({ inspection }) => inspection.ok && inspection.value.legs.some((leg) => !isGrant(leg)))
  return acts.at(-1) ?? (steps.at(-1) as Step)
}

/** Whether a leg gives or takes a right, and does nothing else. */
export function isGrant({ kind }: DecodedLeg): boolean {
  return kind === 'approve' || kind === 'revoke' || kind === 'authorize'
}

type Whole = Pick<Candidate, 'chainId' | 'wallet' | 'walletKnown'>

const APART = 'transactions: expected steps of one sender on one chain.'

/** Whether a step that says for itself where it runs and who sends it says what the others do. */
function belongs({ chainId, from }: CandidateStep, whole: Whole): boolean {
  const isSender = from === undefined || !whole.walletKnown || (isAddress(from) && toAddress(from) === whole.wallet)
  return isSender && (chainId === undefined || chainId === whole.chainId)
}

async function readStep(
  step: CandidateStep,
  protocol: string | undefined,
  whole: Whole,
  inspect: Surroundings['inspect'],
): Promise<Step> {
  const { chainId, wallet } = whole
  const form = belongs(step, whole) ? formOf(step, protocol, chainId) : refuse(APART)
  if (!form.ok) return { step, tx: undefined, malformed: form.reason, inspection: form }
  return { step, tx: form.value, malformed: undefined, inspection: await inspect(form.value, wallet) }
}

/** The step as an action, or what is wrong with its form. */
function formOf(step: CandidateStep, named: string | undefined, chainId: number): Result<ProposedTx> {
  const { to, data = '0x', value = 0, order } = step
  if (chainOf(chainId) === undefined) return refuse(`chainId: ${chainId} is not a supported chain.`)
  if (order !== undefined) {
    const parsed = ProposedTx.safeParse({ chainId, ...order, protocol: step.protocol ?? named ?? order['protocol'] })
    if (!parsed.success || isEvmTx(parsed.data))
      return refuse('order: expected the fields of an order of the venue that "protocol" names.')
    return parsed.data.chainId === chainId
      ? ok(parsed.data)
      : refuse(`order.chainId: expected ${chainId}, as beside it.`)
  }
  if (to === undefined) return refuse('to: expected the address that is called.')
  if (!isAddress(to)) return refuse('to: expected an address, in lower case or with a correct checksum.')
  if (!/^0x([0-9a-fA-F]{2})*$/.test(data)) return refuse('data: expected 0x and an even number of hex digits.')
  const wei = weiOf(value)
  if (wei === undefined) return refuse('value: expected an amount of wei as a whole number or 0x….')
  // The target says what it is: a wrong name is for a node to find, not for the decoder to stumble over.
  const protocol = contractAt(chainId, toAddress(to))?.venue ?? 'evm'
  const parsed = ProposedTx.safeParse({ protocol, chainId, to, data, value: wei })
  return parsed.success ? ok(parsed.data) : refuse('It is not a transaction that a chain would take.')
}

function weiOf(value: string | number): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined
  return /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value) ? value : undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined
}
