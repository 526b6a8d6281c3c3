import { type Address, isAddress, toAddress } from '../../lib/address.ts'
import { ABOUT, SHARES, SMALL_NUMBERS, symbolOf, UNITS, ZEROS } from './lexicon.ts'

/** One word of an intent, or what a few of them mean together. Numbers are decimal texts. */
export type Lexeme =
  | Readonly<{ t: 'address'; value: Address }>
  | Readonly<{ t: 'name'; value: string }>
  | Readonly<{ t: 'number'; value: string; about: boolean }>
  | Readonly<{ t: 'usd'; value: string; about: boolean }>
  | Readonly<{ t: 'percent'; value: number }>
  | Readonly<{ t: 'bps'; value: number }>
  | Readonly<{ t: 'duration'; seconds: number }>
  | Readonly<{ t: 'moment'; at: number }>
  | Readonly<{ t: 'token'; symbol: string; word: string }>
  | Readonly<{ t: 'word'; word: string }>

const PIECE =
  /(?<address>0x[0-9a-fA-F]{40}(?![0-9a-zA-Z]))|(?<moment>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?)|(?<name>(?<![a-z0-9-])[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\.(?:eth|xyz|crypto|sol)(?![a-z0-9.]))|(?<fraction>\d+\/\d+)|(?<foreign>(?![$₮])\p{Sc})|(?<brand>1inch(?![\p{L}\p{N}]))|(?<number>(?:(?<![\p{L}\p{N}])[-−])?(?:\$\s?)?(?:\d{1,3}(?:['’]\d{3})+(?:\.\d+)?|\d[\d,_]*(?:\.\d+)?|\.\d+))(?<suffix>\s?%|(?:mm|mn|bn|[kmb])(?![a-z0-9]))?|(?<arrow>->|→|=>)|(?<most><=|≤)|(?<least>>=|≥)|(?<sign>[<>](?=\s?[$\d](?!x))|(?<=\d\s?)[+*^×÷±‰]|[+*^×÷±](?=\s?[$\d])|(?<=\d\s?)\?(?=\s?\p{L})|~~|!=|!(?=\p{L})|(?![=|<>~≈©®™°👍👌🙌🙏🚀🎉🎂🎁🔥💰💸💪💎😀😁😄😊🙂😎🤝🫡❤☕🍕])[\p{So}\p{Sm}])|(?<tilde>[~≈])|(?<word>[\p{L}₮][\p{L}\p{N}₮]*(?:\.[a-z0-9](?![\p{L}\p{N}]))?\+?)/giu

type Piece = Lexeme | Readonly<{ t: 'bad'; text: string }>

/** The lexemes of a text, and the numbers in it that can be read in more than one way. */
export function lex(text: string): Readonly<{ lexemes: readonly Lexeme[]; unclear: readonly string[] }> {
  const matches = [...text.normalize('NFKC').matchAll(PIECE)]
  const pieces = matches.map(
    (match, i) =>
      stuckPiece(match, matches[i + 1]) ?? partOfToken(match, matches[i + 1]) ?? pieceOf(match.groups ?? {}),
  )
  const lexemes = pieces.filter((piece): piece is Lexeme => piece.t !== 'bad')
  const unclear = pieces.flatMap((piece) => (piece.t === 'bad' ? [`"${piece.text}" can be read in two ways`] : []))
  const all = joined(lexemes)
  const huge = all.some((one) => !isSized(one)) ? ['it names a number that nothing has so much of'] : []
  return { lexemes: all.filter(isSized), unclear: [...unclear, ...huge] }
}

/** Whether a number is one that something can be counted or measured with. */
function isSized(one: Lexeme): boolean {
  if (one.t === 'number' || one.t === 'usd') return /^\d{1,60}(\.\d{1,60})?$/.test(one.value)
  if (one.t === 'percent' || one.t === 'bps') return one.value <= MOST
  return one.t !== 'duration' || one.seconds <= MOST
}

/** Seconds of thirty years, and more per cent than anything moves by. */
const MOST = 1e9

/** A number that runs into what follows is none, unless that is its token or its unit: `1e3`, `2x`, `0x12`. */
function stuckPiece(match: RegExpExecArray, next: RegExpExecArray | undefined): Piece | undefined {
  const word = next?.groups?.['word']
  if (match.groups?.['number'] === undefined || word === undefined) return undefined
  if (next?.index !== match.index + match[0].length || isUnit(word)) return undefined
  return { t: 'bad', text: `${match[0]}${word}` }
}

/** "1/2 ETH" is a number of them, "1/2 of my ETH" a share. */
function partOfToken({ groups = {} }: RegExpExecArray, next: RegExpExecArray | undefined): Piece | undefined {
  const { fraction } = groups
  const word = next?.groups?.['word']
  if (fraction === undefined || word === undefined || symbolOf(word) === undefined) return undefined
  const [part = 0, whole = 0] = fraction.split('/').map(Number)
  const value = part / whole
  const isExact = [2, 4, 5, 8, 10, 20, 100].includes(whole)
  return isExact ? { t: 'number', value: String(value), about: false } : { t: 'bad', text: fraction }
}

function isUnit(word: string): boolean {
  const plain = word.toLowerCase()
  return symbolOf(word) !== undefined || UNITS.has(plain) || ZEROS.has(plain) || STUCK_UNITS.has(plain)
}

const STUCK_UNITS = new Set('usd dollars dollar bucks percent pct bps bp'.split(' '))

function pieceOf(groups: Record<string, string | undefined>): Piece {
  const { address, moment, name, fraction, foreign, brand, number, suffix, arrow, tilde, word = '' } = groups
  const { most, least, sign } = groups
  if (address !== undefined)
    return isAddress(address) ? { t: 'address', value: toAddress(address) } : { t: 'bad', text: address }
  if (moment !== undefined) return momentOf(moment)
  if (name !== undefined) return { t: 'name', value: name.toLowerCase() }
  if (fraction !== undefined) {
    const [part = 0, whole = 0] = fraction.split('/').map(Number)
    return part > 0 && part <= whole ? { t: 'percent', value: (100 * part) / whole } : { t: 'bad', text: fraction }
  }
  if (foreign !== undefined) return { t: 'bad', text: foreign }
  // The one venue whose name begins with a digit.
  if (brand !== undefined) return { t: 'word', word: brand.toLowerCase() }
  if (number !== undefined) return numberOf(number, suffix?.trim().toLowerCase())
  if (arrow !== undefined) return { t: 'word', word: 'into' }
  if (most !== undefined || least !== undefined) return { t: 'word', word: most === undefined ? 'least' : 'most' }
  if (sign !== undefined) return { t: 'bad', text: sign }
  if (tilde !== undefined) return { t: 'word', word: '~' }
  const symbol = symbolOf(word)
  return symbol === undefined
    ? { t: 'word', word: word.toLowerCase() }
    : { t: 'token', symbol, word: word.toLowerCase() }
}

/** A day without a time means its end. */
function momentOf(text: string): Piece {
  const full = text.length === 10 ? `${text}T23:59:59Z` : text.replace(' ', 'T').replace(/Z?$/, 'Z')
  const at = Date.parse(full)
  return Number.isNaN(at) ? { t: 'bad', text } : { t: 'moment', at: Math.floor(at / 1000) }
}

function numberOf(text: string, suffix: string | undefined): Piece {
  if (/^[-−]/.test(text)) return { t: 'bad', text }
  const digits = text.replace(/^\$\s?/, '')
  const grouped = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)
  if (digits.includes(',') && !grouped && !digits.endsWith(',')) return { t: 'bad', text }
  // Half the world groups its thousands so: 1.000, 2.500.
  if (/^[1-9]\d{0,2}\.\d\d0$/.test(digits)) return { t: 'bad', text }
  const plain = digits.replaceAll(/[,_'’]/g, '')
  if (suffix === '%') return { t: 'percent', value: Number(plain) }
  const value = shifted(plain, suffix === undefined ? 0 : (ZEROS.get(suffix) ?? 0))
  return { t: text.startsWith('$') ? 'usd' : 'number', value, about: false }
}

/** A decimal text times a power of ten, exactly. */
function shifted(decimal: string, zeros: number): string {
  const [whole = '', fraction = ''] = decimal.split('.')
  const moved = `${whole}${fraction.padEnd(zeros, '0').slice(0, zeros)}`.replace(/^0+(?=\d)/, '')
  const rest = fraction.slice(zeros).replace(/0+$/, '')
  return `${moved || '0'}${rest ? `.${rest}` : ''}`
}

/** Puts together what belongs together: a number with its unit, words of a number, "about" with its number. */
function joined(lexemes: readonly Lexeme[]): readonly Lexeme[] {
  const out: Lexeme[] = []
  for (let i = 0; i < lexemes.length; ) {
    const { lexeme, used } = joinAt(lexemes, i)
    out.push(lexeme)
    i += used
  }
  return out.flatMap((lexeme, i) => aboutAt(out, lexeme, i))
}

function joinAt(lexemes: readonly Lexeme[], i: number): Readonly<{ lexeme: Lexeme; used: number }> {
  const first = lexemes[i] as Lexeme
  const named = namedToken(first, lexemes[i + 1])
  if (named !== undefined) return { lexeme: named, used: 2 }
  const half = first.t === 'word' && first.word === 'half' ? UNITS.get(wordAt(lexemes, i + 2) ?? '') : undefined
  if (half !== undefined && ['a', 'an'].includes(wordAt(lexemes, i + 1) ?? ''))
    return { lexeme: { t: 'duration', seconds: half / 2 }, used: 3 }
  const spoken = first.t === 'word' ? spokenNumber(lexemes, i) : undefined
  const number = first.t === 'number' || first.t === 'usd' ? { lexeme: first, used: 1 } : spoken
  if (number === undefined) return { lexeme: first, used: 1 }
  const scaled = scaledAt(lexemes, i, number)
  return scaled.lexeme.t === 'number' ? unitAt(lexemes, i, scaled) : scaled
}

/** Names of two words: "USD Coin", "wrapped ether". */
function namedToken(first: Lexeme, next: Lexeme | undefined): Lexeme | undefined {
  if (first.t !== 'word') return undefined
  if (first.word === 'usd' && next?.t === 'word' && next.word === 'coin')
    return { t: 'token', symbol: 'USDC', word: 'usdc' }
  const wrapped = first.word === 'wrapped' && next?.t === 'token' ? symbolOf(`W${next.symbol}`) : undefined
  return wrapped === undefined ? undefined : { t: 'token', symbol: wrapped, word: wrapped.toLowerCase() }
}

type Joined = Readonly<{ lexeme: Extract<Lexeme, { t: 'number' | 'usd' }>; used: number }>

/** Behind a number: thousand, million. */
function scaledAt(lexemes: readonly Lexeme[], i: number, joined: Joined): Joined {
  const zeros = ZEROS.get(wordAt(lexemes, i + joined.used) ?? '')
  if (zeros === undefined || zeros === 0) return joined
  const value = shifted(joined.lexeme.value, zeros)
  return scaledAt(lexemes, i, { lexeme: { ...joined.lexeme, value }, used: joined.used + 1 })
}

/** Behind a number: minutes, per cent, basis points, dollars. */
function unitAt(
  lexemes: readonly Lexeme[],
  i: number,
  { lexeme, used }: Joined,
): Readonly<{ lexeme: Lexeme; used: number }> {
  const unit = wordAt(lexemes, i + used) ?? ''
  const seconds = UNITS.get(unit)
  if (seconds !== undefined)
    return { lexeme: { t: 'duration', seconds: Number(lexeme.value) * seconds }, used: used + 1 }
  if (unit === 'percent' || unit === 'pct')
    return { lexeme: { t: 'percent', value: Number(lexeme.value) }, used: used + 1 }
  if (unit === 'per' && wordAt(lexemes, i + used + 1) === 'cent')
    return { lexeme: { t: 'percent', value: Number(lexeme.value) }, used: used + 2 }
  if (unit === 'bps' || unit === 'bp') return { lexeme: { t: 'bps', value: Number(lexeme.value) }, used: used + 1 }
  if (unit === 'basis') return { lexeme: { t: 'bps', value: Number(lexeme.value) }, used: used + 2 }
  if (unit === 'usd' && wordAt(lexemes, i + used + 1) === 'coin') return { lexeme, used }
  if (unit === 'usd' || unit === 'dollars' || unit === 'dollar' || unit === 'bucks')
    return { lexeme: { ...lexeme, t: 'usd' }, used: used + 1 }
  return { lexeme, used }
}

/** A number in words: "twenty five hundred", "a thousand", "one hundred and fifty", "an hour". */
function spokenNumber(lexemes: readonly Lexeme[], i: number): Joined | undefined {
  const next = wordAt(lexemes, i + 1) ?? ''
  const isArticle = ['a', 'an'].includes(wordAt(lexemes, i) ?? '')
  if (isArticle && UNITS.has(next) && next.length > 2) return { lexeme: numberLexeme(1), used: 1 }
  const scales = isArticle && (ZEROS.get(next) ?? 0) >= 2 && next.length > 2
  let [total, current, used] = scales ? [0, 1, 1] : [0, 0, 0]
  for (; ; used++) {
    const word = wordAt(lexemes, i + used) ?? ''
    const small = SMALL_NUMBERS.get(word)
    const zeros = used === 0 || word.length <= 2 ? undefined : ZEROS.get(word)
    if (small !== undefined && fits(small, current, used)) current += small
    else if (zeros === 2) current *= 100
    else if (zeros !== undefined) [total, current] = [total + current * 10 ** zeros, 0]
    else if (!(word === 'and' && isInside(lexemes, i + used))) break
  }
  return used === 0 ? undefined : { lexeme: numberLexeme(total + current), used }
}

/** "Fifty five" is one number, "five fifty" is two. */
function fits(small: number, current: number, used: number): boolean {
  const rest = current % 100
  return used === 0 || rest === 0 || (rest >= 20 && rest % 10 === 0 && small > 0 && small < 10)
}

/** Whether "and" stands between the words of one number. */
function isInside(lexemes: readonly Lexeme[], i: number): boolean {
  const [before, after] = [wordAt(lexemes, i - 1) ?? '', wordAt(lexemes, i + 1) ?? '']
  return ZEROS.has(before) && before.length > 2 && SMALL_NUMBERS.has(after)
}

function numberLexeme(value: number): Joined['lexeme'] {
  return { t: 'number', value: String(value), about: false }
}

function aboutAt(all: readonly Lexeme[], lexeme: Lexeme, i: number): readonly Lexeme[] {
  if (lexeme.t === 'word' && ABOUT.has(lexeme.word)) return []
  const before = all[i - 1]
  const about = before?.t === 'word' && ABOUT.has(before.word)
  return about && (lexeme.t === 'number' || lexeme.t === 'usd') ? [{ ...lexeme, about }] : [lexeme]
}

function wordAt(lexemes: readonly Lexeme[], i: number): string | undefined {
  const lexeme = lexemes[i]
  return lexeme?.t === 'word' && !SHARES.has(lexeme.word) ? lexeme.word : undefined
}
