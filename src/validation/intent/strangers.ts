import type { Operation } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { ABOUT, FILLERS, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT, SHARES, symbolOf, UNLIMITED, VERBS } from './lexicon.ts'

const PLACES = words('on at via through into')
const SIDES = words('for into to')
const ARTICLES = words('the a an my any your this that of')
/** What may stand behind a word of place and is no place. */
const GENERAL = words(
  `account address aggregator amount app approx available average balance behalf best blockchain chain cheapest collateral cost current
  debt dex exchange fair fixed floating l1 l2 full going good immediate latest layer least live loan lowest main market max maximum min minimum
  moment most network normal once onchain order output own platform pool pools position positions present price prices protocol rate rates result return route router
  same settlement slippage spot standard swap swaprouter02 time today top total trade v2 v3 v4 variable vault wallet way whatever whichever work`,
)
/** What may stand before a token and makes no other of it. */
const PLAIN = words(
  `also available back balance coin coins entire erc20 every exact exactly existing extra full input just many maximum minimum much native of only output plain
  receive received remaining resulting s set spare idle spending supplied stablecoin than token tokens total up worth`,
)

/**
 * Words where a place or a token should stand, that name neither: "on tron", "fake USDC", "for an nft". Who knows what is
 * meant by them would ask.
 */
export function strangersOf(lexemes: readonly Lexeme[], operation: Operation): readonly string[] {
  return lexemes.flatMap((one, i) => {
    const before = lexemes[i - 1]
    if (one.t === 'token' && before?.t === 'word' && !isKnown(before.word) && !PLAIN.has(before.word))
      return [`"${before.word} ${one.word}" may be another token`]
    if (one.t !== 'word') return []
    const next = lexemes.slice(i + 1).find((other) => other.t !== 'word' || !ARTICLES.has(other.word))
    // In capitals it would be one: whether it is meant so is another's question.
    if (next?.t === 'word' && symbolOf(next.word.toUpperCase()) !== undefined) return []
    if (next?.t !== 'word' || isKnown(next.word) || GENERAL.has(next.word) || PLAIN.has(next.word)) return []
    const leaves = one.word === 'from' && (operation === 'withdraw' || operation === 'borrow')
    if (PLACES.has(one.word) || leaves) return [`"${one.word} ${next.word}" is a place that is not known`]
    return operation === 'swap' && SIDES.has(one.word) ? [`"${next.word}" is no token that is known`] : []
  })
}

function isKnown(word: string): boolean {
  return [FILLERS, VERBS, ABOUT, SHARES, UNLIMITED, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT].some((list) => list.has(word))
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
