import { isAddress, toAddress } from '../../lib/address.ts'
import type { Intent } from '../intent.ts'
import { readConditions } from './conditions.ts'
import { type Lexeme, lex } from './lex.ts'
import { FILLERS, symbolOf, VERBS } from './lexicon.ts'
import { readIntent } from './read-intent.ts'

/** Deeds that are neither a trade nor a payment, or their contrary: no model can make them one. */
const OTHER_DEEDS = new Set(
  `access add airdrop allocate allot assign auction average avoid bet bill block bridge budget burn cap charge check claim
  collateralize collect commit compare connect control copy credit debit decline delegate demand deny double draft earmark
  enable entitle escrow estimate expose farm fine freeze grant handle hedge hold index invoice keep leverage limit link list
  loan lock lower lp manage map match migrate mint offer owe pair peg plan pledge pool prepare price promise propose quote
  raise receive record refuse reject remember report request reserve restake restrict retain reverse save schedule set share
  sign spare split stop stream subtract tax track unlock value vest vote wager withhold`.split(/\s+/),
)
const INTO = new Set(['into', 'to', 'towards'])
const WITH = new Set(['with', 'using', 'paying', 'spending'])
const BEFORE_ADDRESS = new Set(['to', 'the', 'address', 'over'])
const ARTICLES = new Set(['some', 'the', 'more', 'a', 'my', 'of'])
const BEFORE_TOKENS = new Set('for to into of some my with from using buy sell swap send'.split(' '))

/** A refusal of what somebody else read of a text, in words; undefined where the text bears it out. */
export type Objection = string | undefined

/** The words of an intent, without those of its conditions. */
export function wordsOf(text: string): readonly Lexeme[] {
  return readConditions(lex(text).lexemes).rest
}

/**
 * Whether a verb that the grammar does not know can stand for an operation. Only trades and payments can be borne out by
 * the rest of the words: two tokens and which way, or a receiver.
 */
export function objectToOperation(text: string, operation: string, verb: string | null): Objection {
  if (operation !== 'swap' && operation !== 'transfer')
    return 'only a swap or a transfer can be told from the other words'
  const words = wordsOf(text)
  const isThere = words.some((one) => one.t === 'word' && one.word === verb?.toLowerCase())
  if (verb === null || !isThere) return 'the word for it is not in the text'
  if (isKnown(verb.toLowerCase())) return `"${verb}" does not say so`
  const beside = words.find((one) => one.t === 'word' && one.word !== verb.toLowerCase() && !FILLERS.has(one.word))
  if (beside?.t === 'word') return `it says more than that: "${beside.word}"`
  const read = readIntent(text, operation)
  if (read.ambiguities.length > 0) return `the words are not clear then: ${read.ambiguities.join('; ')}`
  if (operation === 'swap') {
    if (read.recipient !== null) return 'an address is named, and a verb that is not known may mean to pay it'
    return isDirected(words, read) ? undefined : 'the words do not say which token is given and which is got'
  }
  if (read.recipient === null || 'name' in read.recipient) return 'no address is named that could receive it'
  if (read.venue !== null) return 'it speaks of a venue'
  return isPaidTo(words, verb.toLowerCase()) ? undefined : 'the words do not say that it is for the address'
}

/** Whether the address is somebody to whom something goes: "… to 0x…", or "verb 0x… …". */
function isPaidTo(words: readonly Lexeme[], verb: string): boolean {
  const at = words.findIndex(({ t }) => t === 'address')
  const before = words.slice(0, at).findLast((one) => one.t !== 'word' || !BEFORE_ADDRESS.has(one.word))
  const isToward = words
    .slice(0, at)
    .some((one, i) => one.t === 'word' && one.word === 'to' && words.indexOf(before ?? one) <= i)
  const isObject = before?.t === 'word' && before.word === verb
  return (isToward || isObject) && !words.some((one) => one.t === 'word' && one.word === 'from')
}

/** Words that have a meaning of their own, so that none can be lent to them. */
function isKnown(word: string): boolean {
  return FILLERS.has(word) || VERBS.has(word) || OTHER_DEEDS.has(word) || INTO.has(word) || WITH.has(word)
}

/** Whether the text itself says which way a trade goes, whatever the verb means: "… into B", "… with A". */
function isDirected(words: readonly Lexeme[], { tokenIn, tokenOut }: Intent): boolean {
  if (tokenIn === null || tokenOut === null) return false
  return marks(words, tokenOut, INTO) || marks(words, tokenIn, WITH)
}

/** Whether one of the words stands before a token, maybe with its amount between. */
function marks(words: readonly Lexeme[], token: string, marking: ReadonlySet<string>): boolean {
  return words.some((one, i) => {
    if (one.t !== 'token' || one.symbol !== token) return false
    const before = words
      .slice(0, i)
      .findLast(({ t, ...rest }) => t === 'word' && !ARTICLES.has('word' in rest ? rest.word : ''))
    const far = before === undefined ? 0 : i - words.indexOf(before)
    return before?.t === 'word' && marking.has(before.word) && far <= 3
  })
}

/** The token that a word of the text names, in the form of the grammar; an objection where the text does not bear it out. */
export function tokenInText(text: string, name: string): Readonly<{ token: string }> | Readonly<{ objection: string }> {
  if (isAddress(name)) {
    const isThere = lex(text).lexemes.some((one) => one.t === 'address' && one.value === toAddress(name))
    return isThere ? { token: toAddress(name) } : { objection: 'that address is not in the text' }
  }
  const token = symbolOf(name) ?? symbolOf(name.toUpperCase())
  if (token === undefined) return { objection: 'it is no token of a list' }
  const words = wordsOf(text)
  const isThere = words.some((one, i) => {
    const before = words[i - 1]
    if (one.t === 'token') return one.symbol === token
    const inPlace = before?.t === 'number' || (before?.t === 'word' && BEFORE_TOKENS.has(before.word))
    return one.t === 'word' && inPlace && symbolOf(one.word.toUpperCase()) === token
  })
  return isThere ? { token } : { objection: 'the text does not name it' }
}

/** Whether a text has a number, whatever it is there for. */
export function hasNumber(text: string, amount: string): boolean {
  const [said] = lex(amount).lexemes
  const numbers = lex(text).lexemes.filter((one) => one.t === 'number' || one.t === 'usd')
  return said?.t === 'number' && numbers.some(({ value }) => value === said.value)
}
