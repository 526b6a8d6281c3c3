import type { Address } from '../../lib/address.ts'
import type { Bound, IntendedAmount, Intent, Operation } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { BUYS, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT, SHARES, UNLIMITED, VERBS } from './lexicon.ts'

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
  senders: readonly Address[]
  unclear: readonly string[]
}>

/** What has been read so far, and what the next token or amount will belong to. */
type Reading = {
  readonly lexemes: readonly Lexeme[]
  readonly operation: Operation | null
  readonly mentions: Mention[]
  readonly recipients: NonNullable<Intent['recipient']>[]
  readonly senders: Address[]
  minimum: Bound | null
  maximum: Bound | null
  side: Side
  bound: 'least' | 'most' | null
  amount: IntendedAmount | null
  toward: 'party' | 'token'
  readonly unclear: string[]
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
    senders: [],
    minimum: null,
    maximum: null,
    side: 'in',
    bound: null,
    amount: null,
    toward: 'party',
    unclear: [],
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
      if (attach(reading, { kind: 'tokens', value: lexeme.value, about: lexeme.about }, i)) return
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
      // What a loan is taken out against is no part of it.
      if (reading.operation === 'borrow' && reading.amount === null && isAgainst(reading.lexemes, i)) return
      if (isWord(reading.lexemes[i + 1], 'worth') && reading.amount?.kind === 'tokens')
        readWorth(reading, lexeme.symbol)
      else mention(reading, lexeme.symbol)
      return
    case 'address':
      if (reading.toward === 'token') mention(reading, lexeme.value)
      else if (reading.operation !== 'revoke' && isSender(reading.lexemes, i)) reading.senders.push(lexeme.value)
      else {
        reading.recipients.push({ address: lexeme.value })
        if (!isReceiver(reading, i)) reading.unclear.push('it does not say what the address is for')
      }
      reading.toward = 'party'
      return
    case 'name':
      reading.recipients.push({ name: lexeme.value })
      return
    case 'word':
      // A bound reaches no further than to the verb of something else.
      if (VERBS.has(lexeme.word)) reading.bound = null
      if (!readAmountWord(reading, lexeme.word, i)) readSideWord(reading, lexeme.word, i)
      return
    case 'bps':
    case 'duration':
    case 'moment':
  }
}

/** "USDC 1,500 → WETH": a number right behind a token that has none is that token's, where no other follows. */
function attach({ lexemes, mentions, bound }: Reading, amount: IntendedAmount, i: number): boolean {
  const last = mentions.at(-1)
  const behind = lexemes[i - 1]
  if (bound !== null || behind?.t !== 'token' || last?.token !== behind.symbol || last.amount !== null) return false
  if (lexemes[i + 1]?.t === 'token') return false
  mentions[mentions.length - 1] = { ...last, amount }
  return true
}

/** Words of an amount: shares, no limit, bounds. Whether it was one. */
function readAmountWord(reading: Reading, word: string, i: number): boolean {
  const { lexemes, operation } = reading
  const share = SHARES.get(word)
  const part = partOfOne(lexemes, i)
  const unlimited = UNLIMITED.has(word) || (word === 'max' && operation === 'approve')
  if (part !== undefined) reading.amount = { kind: 'tokens', value: part, about: false }
  else if (share !== undefined && share < 100 && lexemes[i + 1]?.t === 'token')
    reading.unclear.push(`"${word}" may be a part of one token, or of all there is`)
  else if (share !== undefined) reading.amount = { kind: 'share', percent: share }
  else if (unlimited) reading.amount = { kind: 'unlimited' }
  else if (LEAST.has(word)) reading.bound = 'least'
  else if (word === 'up' && isWord(lexemes[i + 1], 'to')) reading.bound = 'most'
  // "More" bounds nothing by itself: "no more than" does.
  else if (word === 'more') reading.bound = isWord(lexemes[i - 1], 'no') ? 'most' : reading.bound
  else if (MOST.has(word)) reading.bound = 'most'
  else return false
  return true
}

/** "Half an ETH", "a quarter of a WETH": a part of one of them, and none of what there is. */
function partOfOne(lexemes: readonly Lexeme[], i: number): string | undefined {
  const at = isWord(lexemes[i + 1], 'of') ? i + 2 : i + 1
  const word = lexemes[i]
  const isOne = isWord(lexemes[at], 'a') || isWord(lexemes[at], 'an')
  return isOne && lexemes[at + 1]?.t === 'token' && word?.t === 'word' ? PARTS.get(word.word) : undefined
}

const PARTS = new Map([
  ['half', '0.5'],
  ['quarter', '0.25'],
])

/** Words that say on which side the next thing is, or that somebody is named. */
function readSideWord(reading: Reading, word: string, i: number): void {
  const { lexemes, operation, mentions, amount } = reading
  const next = lexemes[i + 1]
  if (word === 'token' || (word === 'contract' && !isPlace(reading, i))) reading.toward = 'token'
  else if (MARKS_RECIPIENT.has(word)) reading.toward = 'party'
  else if (word === 'to' && isWord(lexemes[i - 1], 'up')) return
  else if (word === 'to') reading.side = isTrade(operation) && isAsset(next) ? 'out' : reading.side
  else if (BUYS.has(word)) reading.side = 'out'
  // The verb right before what it is done to says which way: "buy the dip: swap …".
  else if (mentions.length === 0 && amount === null && VERBS.get(word) === 'swap') reading.side = 'in'
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
  if (amount === null) return
  if (amount.kind === 'share' && mentions.length > 0)
    reading.unclear.push('it names a share of something that it does not name')
  else mention(reading, null)
}

function noteBound(reading: Reading, bound: 'least' | 'most', token: string | null): void {
  const { mentions, side, amount, unclear } = reading
  if (token !== null && !mentions.some((one) => one.token === token))
    mentions.push({ side: bound === 'least' ? 'out' : side, token, amount: null })
  if (amount === null) return
  if (amount.kind !== 'tokens') unclear.push('it bounds it by something else than a number of tokens')
  else if (bound === 'least') reading.minimum = { value: amount.value, token }
  else reading.maximum = { value: amount.value, token }
}

/**
 * Whether an address is that of whoever gets it: "to my friend 0x…". Behind the verb of a payment that needs no word for
 * it, and a right to spend names nobody else.
 */
function isReceiver({ lexemes, operation }: Reading, i: number): boolean {
  if (operation === null || operation === 'approve' || operation === 'revoke') return true
  const from = lexemes.findLastIndex((one, at) => at < i && one.t !== 'word') + 1
  const said = lexemes.slice(from, i).flatMap((one) => (one.t === 'word' ? [one.word] : []))
  const role = said.findLastIndex((word) => ROLES.has(word))
  if (role === -1) return operation === 'transfer'
  if (said[role] === 'of' && said[role - 1] === 'behalf') return true
  return RECEIVING.has(said[role] ?? '') || (operation === 'transfer' && PAYING.has(said[role] ?? ''))
}

const RECEIVING = new Set(['to', 'for', 'deliver', 'delivered', 'delivering', ...MARKS_RECIPIENT])
/** "My landlord at 0x…", "5 USDC → 0x…". */
const PAYING = new Set(['at', 'into'])
const ROLES = new Set([
  ...RECEIVING,
  ...PAYING,
  ...'as between by from in like of on over than through under using via with'.split(' '),
])

/** "From 0x…", "from my wallet 0x…". */
function isSender(lexemes: readonly Lexeme[], i: number): boolean {
  const before = lexemes.slice(0, i).findLast((one) => one.t !== 'word' || !OWN.has(one.word))
  return isWord(before, 'from') || isWord(before, 'am')
}

const OWN = new Set(['my', 'the', 'wallet', 'address', 'account'])

function isAgainst(lexemes: readonly Lexeme[], i: number): boolean {
  return [lexemes[i - 1], lexemes[i - 2]].some((one) => isWord(one, 'against'))
}

/** "To the contract 0x…", "grant the contract 0x…": somebody, and no token. */
function isPlace({ lexemes, operation }: Reading, i: number): boolean {
  if (operation === 'approve' || operation === 'revoke') return true
  return isWord(lexemes[i - 1], 'to') || (isWord(lexemes[i - 1], 'the') && isWord(lexemes[i - 2], 'to'))
}

function isWord(lexeme: Lexeme | undefined, word: string): boolean {
  return lexeme?.t === 'word' && lexeme.word === word
}

/** Whether an amount or a token follows, maybe behind a small word. */
function isAsset(lexeme: Lexeme | undefined): boolean {
  if (lexeme?.t === 'word') return ['some', 'the', 'exactly', 'just', 'native'].includes(lexeme.word)
  return lexeme?.t === 'token' || lexeme?.t === 'number' || lexeme?.t === 'usd'
}
