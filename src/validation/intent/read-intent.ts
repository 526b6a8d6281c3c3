import type { Bound, IntendedAmount, Intent, Operation } from '../intent.ts'
import { readConditions } from './conditions.ts'
import { type Lexeme, lex } from './lex.ts'
import { BUYS, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT, SHARES, UNLIMITED, VERBS } from './lexicon.ts'

type Role = 'in' | 'out'
type Mention = Readonly<{ role: Role; token: string | null; amount: IntendedAmount | null }>

/** Words that name what is wanted where it stands right behind them. */
const PLAIN_OUT = new Set(['on', 'need', 'want'])
const LEAST = new Set('least minimum min less fewer'.split(' '))
const MOST = new Set('most maximum more exceeding exceed over max'.split(' '))

/**
 * Reads what a person asks for by a grammar alone: no model, no guess. Pure. What can be read in two ways is named in
 * `ambiguities`; what is not understood stays null.
 */
export function readIntent(text: string): Intent {
  const { lexemes, unclear } = lex(text)
  const { conditions, rest, unclear: unclearConditions } = readConditions(lexemes)
  const { operation, unclear: unclearOperation } = operationOf(rest, conditions.venue)
  const reading = walk(rest, operation)
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

type Reading = {
  mentions: Mention[]
  minimum: Bound | null
  maximum: Bound | null
  recipients: NonNullable<Intent['recipient']>[]
}

/** Goes through the words once: which side of the action each amount and token is on. */
function walk(lexemes: readonly Lexeme[], operation: Operation | null): Reading {
  const reading: Reading = { mentions: [], minimum: null, maximum: null, recipients: [] }
  let role: Role = 'in'
  let bound: 'least' | 'most' | null = null
  let amount: IntendedAmount | null = null
  let toward: 'to' | 'token' | null = null
  const mention = (token: string | null) => {
    if (bound === null) reading.mentions.push({ role, token, amount })
    else noteBound(reading, bound, role, amount, token)
    amount = null
    bound = null
  }
  const flush = () => {
    if (amount !== null && !(amount.kind === 'share' && reading.mentions.length > 0)) mention(null)
  }

  lexemes.forEach((one, i) => {
    switch (one.t) {
      case 'number':
        flush()
        amount = { kind: 'tokens', value: one.value, about: one.about }
        return
      case 'usd':
        flush()
        amount = { kind: 'usd', value: one.value, about: one.about }
        return
      case 'percent':
        amount = { kind: 'share', percent: one.value }
        return
      case 'token':
        if (isWorth(lexemes, i) && amount?.kind === 'tokens') return worth()
        mention(one.symbol)
        toward = null
        return
      case 'address':
        if (toward === 'token') mention(one.value)
        else reading.recipients.push({ address: one.value })
        toward = null
        return
      case 'name':
        reading.recipients.push({ name: one.value })
        return
      case 'word':
        return word(one.word)
      case 'bps':
      case 'duration':
      case 'moment':
    }

    /** "100 USDC worth of ETH": the first is what is paid, the second what is traded. */
    function worth(): void {
      const token = one.t === 'token' ? one.symbol : null
      const paid = role === 'out' || operation === 'swap' ? 'in' : role
      reading.mentions.push({ role: paid, token, amount })
      amount = null
      role = operation === 'swap' ? 'out' : role
    }

    function word(text: string): void {
      const share = SHARES.get(text)
      if (share !== undefined) amount = { kind: 'share', percent: share }
      else if (UNLIMITED.has(text)) amount = { kind: 'unlimited' }
      else if (text === 'max' && operation === 'approve') amount = { kind: 'unlimited' }
      else if (LEAST.has(text)) bound = 'least'
      else if (MOST.has(text) || (text === 'up' && isWord(lexemes[i + 1], 'to')))
        bound = text === 'more' && !isWord(lexemes[i - 1], 'no') ? bound : 'most'
      else if (text === 'token' || text === 'contract') toward = 'token'
      else if (text === 'to' || MARKS_RECIPIENT.has(text)) turn(text)
      else if (BUYS.has(text)) role = 'out'
      else if (text === 'for')
        role = operation === 'swap' && (reading.mentions.length > 0 || amount !== null) ? opposite() : role
      else if (MARKS_OUT.has(text) || (PLAIN_OUT.has(text) && isAsset(lexemes[i + 1]))) role = 'out'
      else if (MARKS_IN.has(text) && operation === 'swap') role = 'in'
    }

    function turn(text: string): void {
      if (isTrade(operation) && text === 'to' && isAsset(lexemes[i + 1])) role = 'out'
      toward = 'to'
    }

    function opposite(): Role {
      flush()
      const last = reading.mentions.at(-1)?.role ?? role
      return last === 'in' ? 'out' : 'in'
    }
  })
  flush()
  return reading
}

/** Whether one asset is given for another. */
function isTrade(operation: Operation | null): boolean {
  return operation === 'swap' || operation === 'wrap' || operation === 'unwrap'
}

function isWord(lexeme: Lexeme | undefined, word: string): boolean {
  return lexeme?.t === 'word' && lexeme.word === word
}

/** Whether an amount or a token follows, maybe behind a small word. */
function isAsset(lexeme: Lexeme | undefined): boolean {
  if (lexeme?.t === 'word') return lexeme.word === 'some' || lexeme.word === 'the'
  return lexeme?.t === 'token' || lexeme?.t === 'number' || lexeme?.t === 'usd'
}

function isWorth(lexemes: readonly Lexeme[], i: number): boolean {
  return isWord(lexemes[i + 1], 'worth')
}

function noteBound(
  reading: Reading,
  bound: 'least' | 'most',
  role: Role,
  amount: IntendedAmount | null,
  token: string | null,
): void {
  if (token !== null && !reading.mentions.some((one) => one.token === token)) {
    reading.mentions.push({ role: bound === 'least' ? 'out' : role, token, amount: null })
  }
  if (amount?.kind !== 'tokens') return
  if (bound === 'least') reading.minimum = { value: amount.value, token }
  else reading.maximum = { value: amount.value, token }
}

type Assets = Pick<Intent, 'tokenIn' | 'tokenOut' | 'amount' | 'amountSide'>

/** The tokens and the amount, where the mentions leave no doubt. */
function assetsOf(mentions: readonly Mention[], operation: Operation | null): Readonly<{ found: Assets }> & Unclear {
  const unclear: string[] = []
  const one = (role: Role): string | null => {
    const tokens = [...new Set(mentions.filter((m) => m.role === role).flatMap((m) => m.token ?? []))]
    if (tokens.length > 1) unclear.push(`it names several tokens on one side: ${tokens.join(', ')}`)
    return tokens[0] ?? null
  }
  const traded = isTrade(operation)
  const sided = traded ? mentions : mentions.map((m) => ({ ...m, role: 'in' as const }))
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
      amountSide: first === undefined ? null : first.role,
    },
    unclear,
  }
}
