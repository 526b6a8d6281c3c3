import type { Intent, Operation } from '../intent.ts'
import { readConditions } from './conditions.ts'
import { type Lexeme, lex } from './lex.ts'
import { VERBS } from './lexicon.ts'
import { isTrade, type Mention, readSides, type Side } from './sides.ts'

/**
 * Reads what a person asks for by a grammar alone: no model, no guess. Pure. What can be read in two ways is named in
 * `ambiguities`; what is not understood stays null.
 */
export function readIntent(text: string): Intent {
  const { lexemes, unclear } = lex(text)
  const { conditions, rest, unclear: unclearConditions } = readConditions(lexemes)
  const { operation, unclear: unclearOperation } = operationOf(rest, conditions.venue)
  const reading = readSides(rest, operation)
  const asset = assetsOf(reading.mentions, operation)
  return {
    operation,
    ...asset.found,
    minimumOut: reading.minimum,
    maximumIn: reading.maximum,
    recipient: reading.recipients[0] ?? null,
    side: operation === 'order' ? sideOf(rest) : null,
    ...conditions,
    ambiguities: [
      ...unclear,
      ...unclearConditions,
      ...unclearOperation,
      ...asset.unclear,
      ...(reading.recipients.length > 1 ? ['it names more than one address'] : []),
    ],
  }
}

/** What is asked for: the verb, where several stand for one thing the one that says most. */
function operationOf(lexemes: readonly Lexeme[], venue: string | null): Pick<Intent, 'operation'> & Unclear {
  const verbs = new Set<Operation>()
  lexemes.forEach((one, i) => {
    const verb = one.t === 'word' ? verbAt(lexemes, i, one.word, venue) : undefined
    if (verb !== undefined) verbs.add(verb)
  })
  // Approvals, and the sending on of what comes back, are parts of something else where there is something else.
  for (const part of ['approve', 'transfer'] as const) if (verbs.size > 1) verbs.delete(part)
  // "Buy 1 ETH perp" is an order: what is bought there is no token.
  if (verbs.has('order')) verbs.delete('swap')
  const wants = verbs.size === 0 && mentions(lexemes, ['get', 'receive', 'obtain', 'want', 'need'])
  if (wants && lexemes.filter((one) => one.t === 'token').length > 1) verbs.add('swap')
  const [operation = null, ...others] = verbs
  if (others.length === 0) return { operation, unclear: [] }
  return { operation: null, unclear: [`it asks for several things: ${[...verbs].join(', ')}`] }
}

/** Which way an order goes; null where the words say both or neither. */
function sideOf(lexemes: readonly Lexeme[]): Intent['side'] {
  const [buys, sells] = [mentions(lexemes, ['long', 'buy']), mentions(lexemes, ['short', 'sell'])]
  return buys === sells ? null : buys ? 'buy' : 'sell'
}

type Unclear = Readonly<{ unclear: readonly string[] }>

function verbAt(lexemes: readonly Lexeme[], i: number, word: string, venue: string | null): Operation | undefined {
  const next = lexemes[i + 1]
  const after = next?.t === 'word' ? next.word : ''
  if (word === 'pay' && (after === 'back' || after === 'off' || after === 'down')) return 'repay'
  if ((word === 'move' || word === 'put') && lexemes.length > 1)
    return venue === null ? (word === 'move' ? 'transfer' : undefined) : 'supply'
  if ((word === 'remove' || word === 'cancel') && mentions(lexemes, ['approval', 'allowance', 'permission']))
    return 'revoke'
  if (word === 'take' && mentions(lexemes, ['out'])) return 'withdraw'
  // "an allowance of", "the transfer": nouns of what a verb says already.
  if (word === 'allowance' && mentions(lexemes, ['revoke', 'remove', 'cancel', 'zero'])) return undefined
  if (word === 'pay' && mentions(lexemes, ['swap', 'buy', 'purchase', 'slippage'])) return undefined
  return VERBS.get(word)
}

function mentions(lexemes: readonly Lexeme[], words: readonly string[]): boolean {
  return lexemes.some(
    (one) => one.t === 'word' && (words.includes(one.word) || words.includes(one.word.replace(/s$/, ''))),
  )
}

type Assets = Pick<Intent, 'tokenIn' | 'tokenOut' | 'amount' | 'amountSide'>

/** The tokens and the amount, where the mentions leave no doubt. */
function assetsOf(mentions: readonly Mention[], operation: Operation | null): Readonly<{ found: Assets }> & Unclear {
  const unclear: string[] = []
  const one = (side: Side): string | null => {
    const tokens = [...new Set(mentions.filter((m) => m.side === side).flatMap((m) => m.token ?? []))]
    if (tokens.length > 1) unclear.push(`it names several tokens on one side: ${tokens.join(', ')}`)
    return tokens[0] ?? null
  }
  const traded = isTrade(operation)
  const sided = traded ? mentions : mentions.map((m) => ({ ...m, side: 'in' as const }))
  const amounts = sided.filter((m) => m.amount !== null)
  if (amounts.length > 1 && new Set(amounts.map((m) => JSON.stringify(m.amount))).size > 1)
    unclear.push('it names more than one amount')
  const first = amounts[0]
  const main = traded ? one('in') : (sided.find((m) => m.token !== null)?.token ?? null)
  return {
    found: {
      tokenIn: main,
      tokenOut: traded ? one('out') : null,
      amount: first?.amount ?? null,
      amountSide: first === undefined ? null : first.side,
    },
    unclear,
  }
}
