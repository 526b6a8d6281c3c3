import { type Address, checksumAddress, isAddress, toAddress } from '../lib/address.ts'
import { formatDecimal, formatUsd, groupThousands, toMicroUsd } from '../lib/usd.ts'
import { chainOf, contractAt, contractName, tokenAt } from '../registry/index.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { Verdict } from '../schema/verdict.ts'
import { orderLines, projectionLines } from './order-lines.ts'

/** One decoded fact, for people. */
export type CardLine = Readonly<{ label: string; text: string }>

/** What became of an approved action. */
export type CardExecution = Readonly<{
  mode: 'dry-run' | 'direct'
  ok: boolean
  text: string
  txHash: string | null
  /** Where the chain's public explorer shows it, for those who do not know the chains. */
  explorerUrl?: string | undefined
}>

/** A verdict as a person sees it, made from the decoded bytes and never from a model's words. */
export type VerdictCard = Readonly<{
  requestHash: string
  /** Chain that it is about. */
  chainId?: number | undefined
  /** What was asked for, in the tool's words. */
  title: string
  outcome: 'pending' | 'approved' | 'rejected'
  reasonCode: string
  reason: string
  /** Decoded facts as label and text: what leaves, what arrives at least, to whom, where, USD value. */
  lines: readonly CardLine[]
  checks: readonly Readonly<{ id: string; status: 'passed' | 'failed' | 'not_checked'; reason: string }>[]
  /** What became of it, where it was approved. */
  execution: CardExecution | null
}>

/** What a card is made of: the decision, and the wallet it is about. */
export type CardFacts = Readonly<{ requestHash: string; title: string; verdict: Verdict; wallet: Address }>

/** The card of a decision. `execution` is null until the action was executed or simulated. */
export function verdictCard(facts: CardFacts, execution: CardExecution | null = null): VerdictCard {
  const { requestHash, title, verdict } = facts
  return {
    requestHash,
    chainId: verdict.evidence.decodedAction.chainId,
    title,
    outcome: verdict.outcome,
    reasonCode: verdict.reasonCode,
    reason: verdict.humanReason,
    lines: linesOf(facts),
    checks: verdict.checks.map(({ checkId, status, humanReason }) => ({ id: checkId, status, reason: humanReason })),
    execution,
  }
}

function linesOf({ verdict, wallet }: CardFacts): readonly CardLine[] {
  const { decodedAction, decodedActions: legs = [] } = verdict.evidence
  const lines = [...legs.flatMap((leg) => legLines(leg, wallet)), ...projectionLines(decodedAction.projection)]
  const deadline = legs.find((leg) => leg.deadline !== null)?.deadline
  if (deadline) lines.push({ label: 'until', text: new Date(deadline * 1000).toISOString() })
  const { protocol, chainId, target } = decodedAction
  const through = typeof target === 'string' && isAddress(target) ? `, ${who(chainId, target)}` : ''
  lines.push({ label: 'where', text: `${protocol} on ${chainName(chainId)}${through}` })
  if (verdict.usdNotional !== null) lines.push({ label: 'worth', text: formatUsd(toMicroUsd(verdict.usdNotional)) })
  return lines
}

function legLines(leg: DecodedLeg, wallet: Address): CardLine[] {
  const { chainId, spends, receives, grants } = leg
  const lines: CardLine[] = [...orderLines(leg, wallet)]
  for (const { asset, amount, bound, party } of spends) {
    const from = toAddress(party) === wallet ? '' : ` of ${who(chainId, party)}`
    lines.push({
      label: 'leaves',
      text: `${bound === 'max' ? 'at most ' : ''}${amountOf(chainId, asset, amount)}${from}`,
    })
  }
  for (const { asset, amount, bound, party } of receives) {
    const text = `${bound === 'min' ? 'at least ' : ''}${amountOf(chainId, asset, amount)}`
    const own = toAddress(party) === wallet
    lines.push(own ? { label: 'comes back', text } : { label: 'goes to', text: `${who(chainId, party)}: ${text}` })
  }
  for (const { asset, amount, unlimited, spender, owner, expiresAt } of grants) {
    const limit = unlimited ? `UNLIMITED ${symbolOf(chainId, asset)}` : amountOf(chainId, asset, amount)
    const of = toAddress(owner) === wallet ? '' : ` of ${who(chainId, owner)}`
    const until = expiresAt === null ? '' : ` until ${new Date(expiresAt * 1000).toISOString()}`
    lines.push({ label: 'may spend', text: `${who(chainId, spender)}: ${limit}${of}${until}` })
  }
  return lines
}

/** By its listed name only: what a contract calls itself proves nothing. */
function amountOf(chainId: number, asset: string, amount: string): string {
  const token = asset === 'native' ? nativeOf(chainId) : tokenAt(chainId, toAddress(asset))
  if (token) return `${groupThousands(formatDecimal(BigInt(amount), token.decimals))} ${token.symbol}`
  return `${amount} of the smallest unit of ${symbolOf(chainId, asset)}`
}

function symbolOf(chainId: number, asset: string): string {
  if (asset === 'native') return nativeOf(chainId).symbol
  return tokenAt(chainId, toAddress(asset))?.symbol ?? checksumAddress(toAddress(asset))
}

function nativeOf(chainId: number) {
  return { symbol: chainOf(chainId)?.native ?? "the chain's coin", decimals: 18 }
}

function who(chainId: number, party: string): string {
  const address = checksumAddress(toAddress(party))
  const contract = contractAt(chainId, toAddress(party))
  return contract ? `${contractName(contract)} ${address}` : address
}

function chainName(chainId: number): string {
  return chainOf(chainId)?.name ?? `chain ${chainId}`
}
