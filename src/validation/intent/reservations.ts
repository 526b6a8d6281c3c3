import type { Intent } from '../intent.ts'
import type { Lexeme } from './lex.ts'

/** Words that take back what is said, or say what not to do. */
const NEGATIONS = words(
  `abort avoid block cancel cancelled cannot didn disregard don dont except forget hold ignore instead neither never nevermind nor not refrain
  refuse refused reject rejected reverse scam shouldn stop t undo without won wouldn`,
)
/** What such a word may stand before, as part of a bound or a wish: "not more than", "no later than", "without delay". */
const BOUNDS = words(
  'more less fewer later longer exceed exceeding below above over under higher lower worse than delay fee fees',
)
/** Words that put a condition, or another time, before it. */
const CONDITIONS = words(
  `after assuming before dips drops falls hits if once provided reaches rises suppose unless until when whenever while`,
)
const TIMES = words(
  `afterwards again daily dca every evening friday hourly later midnight monday monthly morning night nightly noon
  recurring regularly repeat repeatedly saturday schedule sunday thrice thursday times tomorrow tonight tuesday twice
  wednesday weekend weekly yearly`,
)
/** Words of somebody who asks about it, or thinks aloud. */
const QUESTIONS = words(
  `example explain monitor notify remind warn watch hypothetical hypothetically how imagine preview pretend quote simulate simulation tell what whether why`,
)
const ASKING = words('am are did do does is may might shall should was were which who')
const SELVES = words('i we it that this there')
/** Words of somebody who corrects himself. */
const CORRECTIONS = words('actually correction mistake oops rather scratch wait wrong')
/** Units of other money, or of parts of it: what they come to in a token is nobody's guess. */
const OTHER_UNITS = words(
  `aud cad cent cents chf eur euro euros franc francs gbp gwei inr jpy lamports pence penny pound pounds rupees sat satoshi
  satoshis sats wei yen`,
)
/** Words that start from what there is, so that the amount is a difference. */
const DIFFERENCES = words('decrease increase raise reduce')
/** Words that speak to whoever checks a request, and not of what is wanted. */
const ASIDES = words(
  `admin administrator allowlisted assistant compliance decision developer instruction instructions jailbreak node nodes
  override overrides pass preapproved prompt sudo system validator validators verdict verified whitelisted`,
)
const AFTER_OR = words('better fewer higher less lower more so')

/** What of a request stands against doing it now, once and as it says; in words, each once. */
export function reservationsOf(
  lexemes: readonly Lexeme[],
  { operation, deadline }: Pick<Intent, 'operation' | 'deadline'>,
): readonly string[] {
  // "Cancel the approval" is what is asked for.
  // "Before the deadline" is a deadline.
  const isMeant = (word: string) =>
    (word === 'cancel' && operation === 'revoke') || (word === 'before' && deadline !== null)
  const said = lexemes.map((one) => (one.t === 'word' && !isMeant(one.word) ? one.word : ''))
  const found = said.flatMap((word, i) => reservationOf(word, said[i - 1] ?? '', said[i + 1] ?? '') ?? [])
  const [first = '', second = ''] = said
  const asks =
    (ASKING.has(first) && SELVES.has(second)) || said.some((word, i) => word === 'should' && said[i + 1] === 'i')
  return [...new Set([...found, ...(asks ? ['it asks whether to do it'] : [])])]
}

function reservationOf(word: string, before: string, after: string): string | undefined {
  if (NEGATIONS.has(word) && !BOUNDS.has(after)) return `"${word === 't' ? `${before}'t` : word}" may take it back`
  if (word === 'no' && !BOUNDS.has(after) && after !== 'slippage') return '"no" may take it back'
  if (CONDITIONS.has(word) && !(word === 'once' && before === 'at')) return `"${word}" puts a condition`
  if (TIMES.has(word) && !(word === 'later' && before === 'no')) return `"${word}" asks for another time, or several`
  if (QUESTIONS.has(word)) return `"${word}" asks about it`
  if (word === 'limit' && after === 'order') return '"limit order" waits for a price'
  if (CORRECTIONS.has(word)) return `"${word}" corrects it`
  if (OTHER_UNITS.has(word)) return `what "${word}" is in tokens is not known`
  if (DIFFERENCES.has(word)) return `"${word}" starts from what there is`
  if (ASIDES.has(word)) return `"${word}" speaks to whoever checks it`
  if (word === 'or' && !AFTER_OR.has(after)) return '"or" leaves a choice'
  return undefined
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
