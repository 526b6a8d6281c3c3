import type { Address } from '../lib/address.ts'
import type { ExtractedElements } from '../schema/validation.ts'

/** What a person can ask for. */
export const OPERATIONS = [
  'swap',
  'transfer',
  'approve',
  'revoke',
  'wrap',
  'unwrap',
  'supply',
  'withdraw',
  'borrow',
  'repay',
  'order',
] as const
export type Operation = (typeof OPERATIONS)[number]

/** A token as it was named: a symbol in capitals, or an address. */
export type TokenName = string

/** How much: a decimal number of tokens, a share of what there is, or an amount of US dollars. */
export type IntendedAmount =
  | Readonly<{ kind: 'tokens'; value: string; about: boolean }>
  | Readonly<{ kind: 'share'; percent: number }>
  | Readonly<{ kind: 'usd'; value: string; about: boolean }>
  | Readonly<{ kind: 'unlimited' }>

/** A bound that the person sets on one side of a trade, in whole tokens; `token` null where it was not named. */
export type Bound = Readonly<{ value: string; token: TokenName | null }>

/** What a person asked for, null where the words are silent. */
export type Intent = Readonly<{
  operation: Operation | null
  tokenIn: TokenName | null
  tokenOut: TokenName | null
  amount: IntendedAmount | null
  amountSide: 'in' | 'out' | null
  /** Of an order at a venue. */
  side: 'buy' | 'sell' | null
  /** The least that must come back, and the most that may leave. */
  minimumOut: Bound | null
  maximumIn: Bound | null
  recipient: Readonly<{ address: Address }> | Readonly<{ name: string }> | null
  /** Who pays, where an address says so. */
  sender: Address | null
  slippageBps: number | null
  feeBps: number | null
  /** Seconds from now, or a moment in Unix seconds. */
  deadline: Readonly<{ within: number }> | Readonly<{ by: number }> | null
  venue: string | null
  chainId: number | null
  /** What can be read in more than one way. Never decided by a guess. */
  ambiguities: readonly string[]
}>

/** The intent in the form of the answer. */
export function elementsOf(intent: Intent): ExtractedElements {
  const { operation, tokenIn, tokenOut, amount, amountSide, recipient, slippageBps, deadline, venue, chainId } = intent
  return {
    operation,
    tokenIn,
    tokenOut,
    amount: amount && amountText(amount),
    amountSide,
    recipient: recipient && ('address' in recipient ? recipient.address : recipient.name),
    slippageBps,
    deadline: deadline && ('within' in deadline ? `${deadline.within}s` : new Date(deadline.by * 1000).toISOString()),
    venue,
    chainId,
  }
}

/** An amount in words: `~100`, `50%`, `$100`, `unlimited`. */
export function amountText(amount: IntendedAmount): string {
  switch (amount.kind) {
    case 'tokens':
      return `${amount.about ? '~' : ''}${amount.value}`
    case 'usd':
      return `${amount.about ? '~' : ''}$${amount.value}`
    case 'share':
      return amount.percent === 100 ? 'all' : `${amount.percent}%`
    case 'unlimited':
      return 'unlimited'
  }
}
