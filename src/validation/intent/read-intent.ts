import type { Bound, IntendedAmount, Intent, Operation } from '../intent.ts'
import { readConditions } from './conditions.ts'
import { type Lexeme, lex } from './lex.ts'
import { BUYS, DOLLARS, SELLS, VERBS } from './lexicon.ts'
import { mentions, operationOf, type Unclear } from './operation.ts'
import { reservationsOf } from './reservations.ts'
import { secondThingOf } from './sent-on.ts'
import { isTrade, type Mention, readSides, type Side } from './sides.ts'
import { strangersOf } from './strangers.ts'
import { unreadOf } from './unread.ts'

/**
 * Reads what a person asks for by a grammar alone: no model, no guess. Pure. What can be read in two ways is named in
 * `ambiguities`; what is not understood stays null. `assumed` stands for a verb where the grammar finds none.
 */
export function readIntent(text: string, assumed: Operation | null = null): Intent {
  const { lexemes, unclear } = lex(text)
  const { conditions, rest, leaves, unclear: unclearConditions } = readConditions(lexemes)
  const { operation: said, unclear: unclearOperation, buys } = operationOf(rest, { venue: conditions.venue, leaves })
  const verb = said ?? (unclearOperation.length === 0 ? assumed : null)
  const reading = readSides(rest, verb)
  const isTwice = rest.filter((one) => one.t === 'word' && VERBS.get(one.word) === verb).length > 1
  const exact = rest.flatMap((one, i) => (one.t === 'number' && isExact(rest[i - 1]) ? [one.value] : []))
  const asset = assetsOf(reading, verb, { buys, isTwice, exact })
  const operation = verb === 'approve' && isNothing(asset.found.amount) ? 'revoke' : verb
  const ambiguities = [
    ...unclear,
    ...unclearConditions,
    ...unclearOperation,
    ...reservationsOf(rest, { operation, deadline: conditions.deadline }),
    ...(operation === null ? [] : strangersOf(rest, operation)),
    ...asset.unclear,
    ...secondThingOf(rest, { operation, ...asset.found }),
    ...(reading.recipients.length > 1 ? ['it names more than one address'] : []),
  ]
  return {
    operation,
    ...asset.found,
    recipient: reading.recipients[0] ?? null,
    sender: reading.senders[0] ?? null,
    side: operation === 'order' ? sideOf(rest) : null,
    ...conditions,
    // A verb that is assumed is no word of the grammar: all words beside it have been looked at then.
    ambiguities: ambiguities.length === 0 && said !== null ? unreadOf(rest, said) : ambiguities,
  }
}

function isExact(before: Lexeme | undefined): boolean {
  return before?.t === 'word' && ['exactly', 'precisely'].includes(before.word)
}

/** An allowance of nothing is the end of one. */
function isNothing(amount: IntendedAmount | null): boolean {
  return amount?.kind === 'tokens' && /^[0.]+$/.test(amount.value)
}

/** Which way an order goes; null where the words say both or neither. */
function sideOf(lexemes: readonly Lexeme[]): Intent['side'] {
  const [buys, sells] = [mentions(lexemes, ['long', ...BUYS]), mentions(lexemes, ['short', ...SELLS])]
  return buys === sells ? null : buys ? 'buy' : 'sell'
}

type Assets = Pick<Intent, 'tokenIn' | 'tokenOut' | 'amount' | 'amountSide' | 'minimumOut' | 'maximumIn'>
type Sides = ReturnType<typeof readSides>
/** Whether the verb names what is wanted, whether it is there more than once, and which numbers are to be kept exactly. */
type Said = Readonly<{ buys: boolean; isTwice: boolean; exact: readonly string[] }>

/** The tokens, the amount and its bounds, where the mentions leave no doubt. */
function assetsOf(
  sides: Sides,
  operation: Operation | null,
  { buys, isTwice, exact }: Said,
): Readonly<{ found: Assets }> & Unclear {
  const unclear: string[] = []
  const traded = isTrade(operation)
  const mentions = traded
    ? sides.mentions.map((m) => ({ ...m, side: firstSideOf(sides.mentions, m) }))
    : sides.mentions.map((m) => ({ ...m, side: 'in' as const }))
  const one = (side: Side): string | null => {
    const tokens = [...new Set(mentions.filter((m) => m.side === side).flatMap((m) => m.token ?? []))]
    // The coin of an order is the market's, and the dollars that it is paid in may be named beside it.
    const isPaidIn = operation === 'order' && tokens.slice(1).every((token) => DOLLARS.has(token))
    if (tokens.length > 1 && operation !== null && !isPaidIn)
      unclear.push(`it names several tokens on one side: ${tokens.join(', ')}`)
    return tokens[0] ?? null
  }
  const bounded = operation === 'swap' ? boundedBy(mentions, buys) : undefined
  const amounts = mentions.filter((m) => m.amount !== null)
  if (bounded === undefined && amounts.length > 1 && new Set(amounts.map((m) => JSON.stringify(m.amount))).size > 1)
    unclear.push('it names more than one amount')
  if (bounded === undefined && amounts.length > 1 && isTwice) unclear.push('it may ask for it twice')
  const first = bounded?.main ?? amounts[0]
  if (bounded !== undefined && exact.includes(bounded.bound.value)) unclear.push('both amounts cannot be exact')
  const market = one('in')
  if (operation === 'order' && first !== undefined && first.token !== null && first.token !== market)
    unclear.push(`it is an amount of ${first.token}, and not of what is traded`)
  const minimum = sides.minimum ?? (buys ? null : (bounded?.bound ?? null))
  const maximum = sides.maximum ?? (buys ? (bounded?.bound ?? null) : null)
  const out = traded ? one('out') : null
  const isOf = (bound: Bound | null, token: string | null) =>
    bound === null || bound.token === null || bound.token === token
  if (!isOf(minimum, out) || !isOf(maximum, market)) unclear.push('it sets a bound on the other side')
  return {
    found: {
      tokenIn: market,
      tokenOut: out,
      amount: first?.amount ?? null,
      amountSide: first?.side ?? null,
      minimumOut: minimum,
      maximumIn: maximum,
    },
    unclear: [...unclear, ...sides.unclear],
  }
}

/** "DAI to USDC, 250 DAI": what is named again is on the side where it was. */
function firstSideOf(mentions: readonly Mention[], { token, side }: Mention): Side {
  return mentions.find((one) => token !== null && one.token === token)?.side ?? side
}

/** "3000 USDC for 1 WETH": whoever sells gives just so much for at least that, whoever buys gets just that for at most so much. */
function boundedBy(
  mentions: readonly Mention[],
  buys: boolean,
): Readonly<{ main: Mention; bound: NonNullable<Intent['minimumOut']> }> | undefined {
  const amounts = mentions.filter((m) => m.amount !== null)
  const [given, got] = (['in', 'out'] as const).map((side) => amounts.find((m) => m.side === side))
  if (amounts.length !== 2 || given === undefined || got === undefined) return undefined
  const [main, other] = buys ? [got, given] : [given, got]
  if (main.amount?.kind !== 'tokens' || other.amount?.kind !== 'tokens' || other.amount.about) return undefined
  return { main, bound: { value: other.amount.value, token: other.token } }
}
