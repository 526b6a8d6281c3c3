import type { Intent } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { VERBS } from './lexicon.ts'

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
const ASKING = words('am are did does has have is may might shall should was were which who')
/** "Can you" asks to do it, "can I" whether to. */
const MODAL = words('can could do would')
const SELVES = words('i it that they this there we')
/** Words that make a deed a thing that is spoken of, and those that ask for such a thing. */
const DETERMINERS = words('my our that the this your')
const REQUESTS = words(
  `add cancel do execute get give go grant initiate let lets make need open perform place please pls process put remove set
  submit take use want`,
)
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
const PARTS = words('any few many most much some')
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
  const at = (i: number) => said[i] ?? ''
  const found = said.flatMap((word, i) => reservationOf(word, at(i - 1), [at(i + 1), at(i + 2)]) ?? [])
  const [first = '', second = ''] = said
  const asks =
    (ASKING.has(first) && !REQUESTS.has(second)) ||
    (MODAL.has(first) && SELVES.has(second)) ||
    (first === 'do' && second === 'you') ||
    said.some((word, i) => word === 'should' && said[i + 1] === 'i')
  const told = isSpokenOf(lexemes) ? ['it speaks of it, and does not ask for it'] : []
  return [...new Set([...found, ...(asks ? ['it asks whether to do it'] : []), ...told])]
}

/** "Thanks for the swap of …", "my 0.5 ETH long". */
function isSpokenOf(lexemes: readonly Lexeme[]): boolean {
  const said = lexemes.map((one) => (one.t === 'word' ? one.word : ''))
  if (said.some((word) => REQUESTS.has(word))) return false
  const deeds = said.flatMap((word, i) => (VERBS.has(word) ? [i] : []))
  const isThing = (at: number) =>
    DETERMINERS.has(said[at - 1] ?? '') ||
    lexemes.slice(0, at).some(({ t }, i) => t === 'number' && DETERMINERS.has(said[i - 1] ?? ''))
  return deeds.length > 0 && deeds.every(isThing)
}

function reservationOf(word: string, before: string, [after, then]: readonly [string, string]): string | undefined {
  const isBound = BOUNDS.has(after) && (!['later', 'longer'].includes(after) || then === 'than')
  if (NEGATIONS.has(word) && !isBound) return `"${word === 't' ? `${before}'t` : word}" may take it back`
  if (word === 'no' && !isBound) return '"no" may take it back'
  if (CONDITIONS.has(word) && !(word === 'once' && before === 'at')) return `"${word}" puts a condition`
  if (TIMES.has(word) && !(word === 'later' && before === 'no')) return `"${word}" asks for another time, or several`
  if (QUESTIONS.has(word)) return `"${word}" asks about it`
  if (VERBS.get(word) === 'approve' && after === 'me') return `"${word} me" asks for a right`
  if (word === 'limit' && after === 'order') return '"limit order" waits for a price'
  if (CORRECTIONS.has(word)) return `"${word}" corrects it`
  if (OTHER_UNITS.has(word)) return `what "${word}" is in tokens is not known`
  if (DIFFERENCES.has(word)) return `"${word}" starts from what there is`
  if (ASIDES.has(word)) return `"${word}" speaks to whoever checks it`
  if (PARTS.has(word) && after === 'of') return `"${word} of" does not say how much`
  if (word === 'or' && !AFTER_OR.has(after)) return '"or" leaves a choice'
  return undefined
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
