import type { Bound, IntendedAmount, Intent, Operation } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { BUYS, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT, SHARES, UNLIMITED } from './lexicon.ts'

/** The side of an action that something is on: what leaves, or what comes. */
export type Side = 'in' | 'out'

/** A token or an amount, on its side. */
export type Mention = Readonly<{ side: Side; token: string | null; amount: IntendedAmount | null }>

/** What the words say of the two sides of an action. */
export type Sides = Readonly<{
  mentions: readonly Mention[]
  minimum: Bound | null
  maximum: Bound | null
  recipients: readonly NonNullable<Intent['recipient']>[]
}>

/** What has been read so far, and what the next token or amount will belong to. */
type Reading = {
  readonly lexemes: readonly Lexeme[]
  readonly operation: Operation | null
  readonly mentions: Mention[]
  readonly recipients: NonNullable<Intent['recipient']>[]
  minimum: Bound | null
  maximum: Bound | null
  side: Side
  bound: 'least' | 'most' | null
  amount: IntendedAmount | null
  toward: 'party' | 'token'
}

/** Words that name what is wanted where it stands right behind them. */
const PLAIN_OUT = new Set(['on', 'need', 'want'])
const LEAST = new Set('least minimum min less fewer'.split(' '))
const MOST = new Set('most maximum more exceeding exceed over max'.split(' '))

/** Goes through the words once: which side of the action each amount and token is on, and who is named. */
export function readSides(lexemes: readonly Lexeme[], operation: Operation | null): Sides {
  const reading: Reading = {
    lexemes,
    operation,
    mentions: [],
    recipients: [],
    minimum: null,
    maximum: null,
    side: 'in',
    bound: null,
    amount: null,
    toward: 'party',
  }
  lexemes.forEach((lexeme, i) => readLexeme(reading, lexeme, i))
  flush(reading)
  return reading
}

/** Whether one asset is given for another. */
export function isTrade(operation: Operation | null): boolean {
  return operation === 'swap' || operation === 'wrap' || operation === 'unwrap'
}

function readLexeme(reading: Reading, lexeme: Lexeme, i: number): void {
  switch (lexeme.t) {
    case 'number':
      flush(reading)
      reading.amount = { kind: 'tokens', value: lexeme.value, about: lexeme.about }
      return
    case 'usd':
      flush(reading)
      reading.amount = { kind: 'usd', value: lexeme.value, about: lexeme.about }
      return
    case 'percent':
      reading.amount = { kind: 'share', percent: lexeme.value }
      return
    case 'token':
      reading.toward = 'party'
      if (isWord(reading.lexemes[i + 1], 'worth') && reading.amount?.kind === 'tokens')
        readWorth(reading, lexeme.symbol)
      else mention(reading, lexeme.symbol)
      return
    case 'address':
      if (reading.toward === 'token') mention(reading, lexeme.value)
      else reading.recipients.push({ address: lexeme.value })
      reading.toward = 'party'
      return
    case 'name':
      reading.recipients.push({ name: lexeme.value })
      return
    case 'word':
      if (!readAmountWord(reading, lexeme.word, i)) readSideWord(reading, lexeme.word, i)
      return
    case 'bps':
    case 'duration':
    case 'moment':
  }
}

/** Words of an amount: shares, no limit, bounds. Whether it was one. */
function readAmountWord(reading: Reading, word: string, i: number): boolean {
  const { lexemes, operation } = reading
  const share = SHARES.get(word)
  const unlimited = UNLIMITED.has(word) || (word === 'max' && operation === 'approve')
  if (share !== undefined) reading.amount = { kind: 'share', percent: share }
  else if (unlimited) reading.amount = { kind: 'unlimited' }
  else if (LEAST.has(word)) reading.bound = 'least'
  else if (word === 'up' && isWord(lexemes[i + 1], 'to')) reading.bound = 'most'
  // "More" bounds nothing by itself: "no more than" does.
  else if (word === 'more') reading.bound = isWord(lexemes[i - 1], 'no') ? 'most' : reading.bound
  else if (MOST.has(word)) reading.bound = 'most'
  else return false
  return true
}

/** Words that say on which side the next thing is, or that somebody is named. */
function readSideWord(reading: Reading, word: string, i: number): void {
  const { lexemes, operation, mentions, amount } = reading
  const next = lexemes[i + 1]
  if (word === 'token' || word === 'contract') reading.toward = 'token'
  else if (MARKS_RECIPIENT.has(word)) reading.toward = 'party'
  else if (word === 'to') reading.side = isTrade(operation) && isAsset(next) ? 'out' : reading.side
  else if (BUYS.has(word)) reading.side = 'out'
  else if (word === 'for' && operation === 'swap' && (mentions.length > 0 || amount !== null)) turn(reading)
  else if (MARKS_OUT.has(word) || (PLAIN_OUT.has(word) && isAsset(next))) reading.side = 'out'
  else if (MARKS_IN.has(word) && operation === 'swap') reading.side = 'in'
}

/** "For" leads from what was named last to the other side. */
function turn(reading: Reading): void {
  flush(reading)
  reading.side = (reading.mentions.at(-1)?.side ?? reading.side) === 'in' ? 'out' : 'in'
}

/** "100 USDC worth of ETH": the first is what is paid, the second what is traded. */
function readWorth(reading: Reading, token: string): void {
  const traded = reading.operation === 'swap'
  reading.mentions.push({ side: traded || reading.side === 'out' ? 'in' : reading.side, token, amount: reading.amount })
  reading.amount = null
  if (traded) reading.side = 'out'
}

/** A token with the amount before it. Behind "at least" and the like it is a bound. */
function mention(reading: Reading, token: string | null): void {
  const { side, amount, bound } = reading
  if (bound === null) reading.mentions.push({ side, token, amount })
  else noteBound(reading, bound, token)
  reading.amount = null
  reading.bound = null
}

/** An amount that no token followed. */
function flush(reading: Reading): void {
  const { amount, mentions } = reading
  if (amount !== null && !(amount.kind === 'share' && mentions.length > 0)) mention(reading, null)
}

function noteBound(reading: Reading, bound: 'least' | 'most', token: string | null): void {
  const { mentions, side, amount } = reading
  if (token !== null && !mentions.some((one) => one.token === token))
    mentions.push({ side: bound === 'least' ? 'out' : side, token, amount: null })
  if (amount?.kind !== 'tokens') return
  if (bound === 'least') reading.minimum = { value: amount.value, token }
  else reading.maximum = { value: amount.value, token }
}

function isWord(lexeme: Lexeme | undefined, word: string): boolean {
  return lexeme?.t === 'word' && lexeme.word === word
}

/** Whether an amount or a token follows, maybe behind a small word. */
function isAsset(lexeme: Lexeme | undefined): boolean {
  if (lexeme?.t === 'word') return lexeme.word === 'some' || lexeme.word === 'the'
  return lexeme?.t === 'token' || lexeme?.t === 'number' || lexeme?.t === 'usd'
}
