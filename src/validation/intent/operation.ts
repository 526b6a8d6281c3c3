import type { Intent, Operation } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { BUYS, FILLERS, SHARES, VERBS } from './lexicon.ts'

/** What cannot be read in one way, in words. */
export type Unclear = Readonly<{ unclear: readonly string[] }>

/** `buys`: the verb of a trade names what is wanted, and not what is given. */
type Reading = Pick<Intent, 'operation'> & Unclear & Readonly<{ buys: boolean }>

type Verb = Readonly<{ operation: Operation; at: number }>

/** The venue that is named, and whether something is to come from it. */
type Place = Readonly<{ venue: string | null; leaves: boolean }>

const CLEARING = new Set(['close', 'clear', 'settle'])
const RIGHTS = ['approval', 'allowance', 'permission', 'access']
/** What is asked to be done, behind "be". */
export const DONE: ReadonlyMap<string, Operation> = new Map([
  ['sent', 'transfer'],
  ['transferred', 'transfer'],
  ['paid', 'transfer'],
  ['swapped', 'swap'],
  ['exchanged', 'swap'],
  ['converted', 'swap'],
  ['sold', 'swap'],
  ['wrapped', 'wrap'],
  ['unwrapped', 'unwrap'],
  ['deposited', 'supply'],
  ['supplied', 'supply'],
  ['withdrawn', 'withdraw'],
  ['repaid', 'repay'],
])

/** What is asked for: the verb, where several stand for one thing the one that says most. */
export function operationOf(lexemes: readonly Lexeme[], place: Place): Reading {
  const said = lexemes.flatMap((one, at): readonly Verb[] => {
    const operation = one.t === 'word' ? verbAt(lexemes, at, one.word, place) : undefined
    return operation === undefined ? [] : [{ operation, at }]
  })
  // "My 100 USDC deposit": what is kept, where another word says what to do with it.
  const named = said.filter(({ at }) => !isNoun(lexemes, at))
  // What is kept at a venue is there taken out, and cannot be traded or sent.
  const deeds = named.every(({ operation }) => KEEPING.has(operation))
    ? named
    : said.filter(({ at }) => !isLender(lexemes, at))
  const verbs = new Set((deeds.length > 0 ? deeds : said).map(({ operation }) => operation))
  const lent = verbs.size === 2 && verbs.has('approve') && verbs.has('transfer')
  // "Allow X to transfer …" gives a right; "approve and send …" asks for two things.
  if (lent && isForAnother(lexemes, said)) verbs.delete('transfer')
  // Approvals, and the sending on of what comes back, are parts of something else where there is something else.
  else if (!lent) for (const part of ['approve', 'transfer'] as const) if (verbs.size > 1) verbs.delete(part)
  // "Buy 1 ETH perp" is an order: what is bought there is no token.
  if (verbs.has('order')) verbs.delete('swap')
  const wants = verbs.size === 0 && mentions(lexemes, ['get', 'receive', 'obtain', 'want', 'need'])
  if (wants && lexemes.filter((one) => one.t === 'token').length > 1) verbs.add('swap')
  const trades = lexemes.flatMap((one) => (one.t === 'word' && VERBS.get(one.word) === 'swap' ? [one.word] : []))
  const buys = trades.length > 0 && trades.every((word) => BUYS.has(word))
  const [operation = shorthandOf(lexemes), ...others] = verbs
  if (others.length > 0)
    return { operation: null, unclear: [`it asks for several things: ${[...verbs].join(', ')}`], buys }
  if (place.leaves && (operation === 'supply' || operation === 'repay')) {
    const isBack = deeds.length === 0 && mentions(lexemes, ['back', 'get', 'take'])
    return isBack
      ? { operation: 'withdraw', unclear: [], buys }
      : { operation, unclear: ['what it gives comes from the venue'], buys }
  }
  if (operation === 'transfer') return { operation, unclear: payerOf(lexemes, said), buys }
  const turned = operation === 'swap' && isNamedBefore(lexemes, said)
  return { operation, unclear: turned ? ['it does not say which of the tokens is given'] : [], buys }
}

/** Whether the first verb gives somebody a right, and the other says what for. */
function isForAnother(lexemes: readonly Lexeme[], [first, second]: readonly Verb[]): boolean {
  const before = second && lexemes[second.at - 1]
  return first?.operation === 'approve' && before?.t === 'word' && before.word === 'to'
}

/** "WETH for 100 USDC, swap": before the verb "for" does not say which way. */
function isNamedBefore(lexemes: readonly Lexeme[], [verb]: readonly Verb[]): boolean {
  const before = verb === undefined ? [] : lexemes.slice(0, verb.at)
  const at = before.findIndex((one) => one.t === 'word' && one.word === 'for')
  return before.slice(0, at === -1 ? 0 : at).some(({ t }) => t === 'token')
}

/** "100 USDC into WETH", "5 USDC to 0x…": what is asked without a verb, where there is no other word either. */
function shorthandOf(lexemes: readonly Lexeme[]): Operation | null {
  if (lexemes.some((one) => one.t === 'word' && !FILLERS.has(one.word) && !SHARES.has(one.word))) return null
  const tokens = new Set(lexemes.flatMap((one) => (one.t === 'token' ? [one.symbol] : [])))
  const isLed = (to: Lexeme['t'], marks: readonly string[]) =>
    lexemes.some((one, i) => {
      const before = lexemes.slice(0, i).findLast((other) => other.t !== 'word' || !ARTICLES.has(other.word))
      return one.t === to && before?.t === 'word' && marks.includes(before.word)
    })
  const people = lexemes.filter(({ t }) => t === 'address').length
  if (tokens.size === 2 && people === 0 && isLed('token', ['into', 'to'])) return 'swap'
  return tokens.size === 1 && people === 1 && isLed('address', ['to']) ? 'transfer' : null
}

function isLender(lexemes: readonly Lexeme[], at: number): boolean {
  return wordAt(lexemes, at) === 'lending' && LENDERS.has(wordAt(lexemes, at + 1))
}

function isNoun(lexemes: readonly Lexeme[], at: number): boolean {
  const isKept = lexemes[at - 1]?.t === 'token' || wordAt(lexemes, at - 1) === 'my'
  return isLender(lexemes, at) || (NOUNS.has(wordAt(lexemes, at)) && isKept)
}

/** "Send me …", "0x… should pay …": somebody else is to pay. */
function payerOf(lexemes: readonly Lexeme[], verbs: readonly Verb[]): readonly string[] {
  const toMe = lexemes.some((_, i) => {
    const before = wordAt(lexemes, i - 1)
    return wordAt(lexemes, i) === 'me' && (before === 'to' || VERBS.get(before) === 'transfer')
  })
  const verb = verbs.find(({ operation }) => operation === 'transfer')
  const at = lexemes.findIndex(({ t }) => t === 'address')
  const before = lexemes.slice(0, Math.max(at, 0)).findLast((one) => one.t !== 'word' || !ARTICLES.has(one.word))
  const isSubject = verb !== undefined && at !== -1 && at < verb.at && !(before?.t === 'word' && LEADS.has(before.word))
  return toMe || isSubject ? ['it may be for somebody else to pay'] : []
}

/** Words that lead to whoever is paid, or to the wallet that pays. */
const LEADS = new Set(['to', 'for', 'from', 'am', 'owe', 'recipient', 'receiver', 'beneficiary'])
const LENDERS = new Set(['protocol', 'pool', 'market', 'platform'])
const NOUNS = new Set(['deposit', 'supply'])
const KEEPING: ReadonlySet<Operation> = new Set(['supply', 'withdraw'])
const ARTICLES = new Set(['the', 'some', 'address'])

function verbAt(lexemes: readonly Lexeme[], i: number, word: string, { venue, leaves }: Place): Operation | undefined {
  const [before, after] = [wordAt(lexemes, i - 1), wordAt(lexemes, i + 1)]
  if (word === 'pay' && (after === 'back' || after === 'off' || after === 'down')) return 'repay'
  if ((word === 'move' || word === 'put') && lexemes.length > 1)
    return venue === null ? (word === 'move' ? movedTo(lexemes) : undefined) : leaves ? 'withdraw' : 'supply'
  if ((word === 'remove' || word === 'cancel') && mentions(lexemes, RIGHTS)) return 'revoke'
  if ((word === 'give' || word === 'grant') && mentions(lexemes, RIGHTS)) return 'approve'
  if (word === 'take' && after === 'away' && mentions(lexemes, RIGHTS)) return 'revoke'
  if (word === 'set' && mentions(lexemes, ['spending'])) return 'approve'
  if (word === 'add' && venue !== null && !leaves) return 'supply'
  if (word === 'remove' && venue !== null) return 'withdraw'
  if ((word === 'take' || word === 'get') && mentions(lexemes, ['loan'])) return 'borrow'
  if (word === 'take' && mentions(lexemes, ['out'])) return 'withdraw'
  if (CLEARING.has(word) && mentions(lexemes, ['debt', 'loan'])) return 'repay'
  if (word === 'earn' && venue !== null) return 'supply'
  if (word === 'let' && mentions(lexemes, ['spend', 'use'])) return 'approve'
  // "an allowance of", "the transfer": nouns of what a verb says already.
  if (RIGHTS.includes(word) && mentions(lexemes, ['revoke', 'remove', 'cancel', 'zero', 'away'])) return undefined
  if (word === 'pay' && mentions(lexemes, ['swap', 'buy', 'purchase', 'slippage'])) return undefined
  if (before === 'be') return DONE.get(word) ?? VERBS.get(word)
  return VERBS.get(word)
}

/** "Move 100 USDC into WETH" is a trade, "move 100 USDC to 0x…" a payment. */
function movedTo(lexemes: readonly Lexeme[]): Operation {
  const tokens = new Set(lexemes.flatMap((one) => (one.t === 'token' ? [one.symbol] : [])))
  return tokens.size === 2 && !lexemes.some(({ t }) => t === 'address' || t === 'name') ? 'swap' : 'transfer'
}

function wordAt(lexemes: readonly Lexeme[], i: number): string {
  const one = lexemes[i]
  return one?.t === 'word' ? one.word : ''
}

/** Whether one of the words is there, maybe with an s. */
export function mentions(lexemes: readonly Lexeme[], words: readonly string[]): boolean {
  return lexemes.some(
    (one) => one.t === 'word' && (words.includes(one.word) || words.includes(one.word.replace(/s$/, ''))),
  )
}
