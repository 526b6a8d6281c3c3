import type { Operation } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { FILLERS, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT, SHARES, symbolOf, UNLIMITED, VERBS } from './lexicon.ts'
import { DONE } from './operation.ts'

/** Words that change nothing of what is asked for: of courtesy, of manner, of things that everybody calls so. */
const PLAIN = words(
  `accept access account accurately action actual advance agent ahead allowance allowing am amount amounting amounts app
  appreciate approvals apr apy arrange asap asset assets assist assistance automatically available away awesome bag bags
  bearing because beer before behalf benefit best better big bill bills birthday bot breakfast bro buddy bullish careful
  carefully cash cheapest cheers clean coffee coin coins cold collateral collateralised collateralized competitive conduct
  connected contract convenient conversion cool correctly crypto current d dapp deadline dear debt debts delivered
  delivering deposited desire desired dex dinner dip direct directly diversify dollar dollars earn earns easily easy
  efficient efficiently ensure ensuring enter entirely equivalent erc20 ether evm exact exactly execute executed existing
  expect expecting expenses expires expiry exposure facilitate fast favor favorable favour favourable fee feel feeling fees
  final finalize fine first flight following fren frens fully fund funds gain gains gas gave get getting gift gifts gm go
  going gonna good grant granted grants great greetings groceries grow growth guys haha held hello help helping highest
  holdings hot hotel howdy ideally idle immediate immediately important initiate instantly interest investing invoice kept
  kindly l1 later ledger let lets ll loan loans lol looking love low lowest lunch m main mainnet making many market
  matching mate metamask mine mined modest money move much multisig must myself named native network new no non normal
  normally not okay onchain only open optimal order ordinary originally our outcome outstanding own pair passive perform
  permission permissions personal plain platform please pls plz pool portfolio position precisely preferably pretty price
  proceed proceeds process processed promptly proper properly protocol purpose purposes put quantity quick quickly rapid
  rapidly rate rates re ready reason reasonable reasons rebalance received recipient regarding regards rent result
  resulting results rewards right rights route router routing s safe safely salary savings securely ser service services
  set simply sir sizable size slippage smooth smoothly soonest spare specific specifically specified spender stable
  stablecoin stablecoins stack stay stays steady storage straight strategy submit subscription successful successfully
  suitable super supplied sure swap swaprouter02 swaps swift swiftly target task team than thanks these thx tickets tier
  tiers tight time token tokens tolerance tolerate too total totaling totalling towards trades transaction transactions
  transfers trezor tx ty typical universal urgent urgently used usual usually v2 v3 v4 valid value variable vault ve wages
  wallet wallets wanna way welcome well whole willing within work worth yes yield yields yours`,
)
/** Whom somebody pays. Before the verb they would be the ones who pay. */
const PEOPLE = words(
  `accountant boss brother charity client colleague contractor cousin dad daughter employee family father friend girlfriend boyfriend
  freelancer husband landlord lawyer merchant mom mother mum neighbor neighbour partner roommate shop sister son supplier treasury
  vendor wife`,
)
const ARTICLES = words('a all an any entire half my of some the')
const LEADS = words('my to')
/** Words that turn a name into whoever is not meant. */
const OTHERS = words('anybody anyone anywhere besides everybody everyone else nobody nowhere other others than')
/** Words that are no reason and no name, but terms of the payment. */
const TERMS = words(
  `another anyone conditional contingent each equally far long minus next nobody others pending per plus same soon subject upon until
  week weekly whenever year`,
)
/** What follows them is something else. */
const ENDS = words('also and but or so then')
/** How far a reason may reach. */
const REASON = 6

type At = Readonly<{
  /** The words around it; empty where there is none or something else. */
  before: string
  after: string
  later: string
  /** What stands right before and right behind it. */
  last: Lexeme | undefined
  next: Lexeme | undefined
  /** What follows behind articles. */
  object: Lexeme | undefined
  operation: Operation
  /** Whether it is behind the verb of a payment. */
  isPaid: boolean
}>

const isAmount = (one: Lexeme | undefined) => one !== undefined && ['number', 'usd', 'percent', 'bps'].includes(one.t)
const isDenied = ({ before }: At) => ['no', 'not', 't', 'without'].includes(before)
const isPlace = ({ next }: At) => !isAmount(next)
const of =
  (...operations: readonly Operation[]) =>
  ({ operation }: At) =>
    operations.includes(operation)

const isSecurity = ({ operation, object }: At) =>
  operation === 'borrow' && (object?.t === 'token' || (object?.t === 'word' && object.word === 'collateral'))

/** Words that mean nothing more where they stand so, and change what is asked for elsewhere. */
const IN_CONTEXT: ReadonlyMap<string, (at: At) => boolean> = new Map([
  ...['more', 'less', 'fewer', 'exceed', 'exceeding'].map((word) => [word, isDenied] as const),
  ...['under', 'below', 'above'].map((word) => [word, isPlace] as const),
  ['over', (at) => isPlace(at) || isDenied(at)],
  ['but', () => false],
  ['balance', ({ last }) => last?.t === 'token' || (last?.t === 'word' && SHARES.has(last.word))],
  ['once', ({ before }) => before === 'at'],
  ['keep', ({ object }) => object === undefined || object.t === 'word'],
  ['against', isSecurity],
  ['complete', ({ last }) => last === undefined],
  ['limit', of('approve')],
  ['has', of('approve', 'revoke')],
  ['add', of('supply')],
  ['remove', of('withdraw', 'revoke')],
  ['cancel', of('revoke')],
  ['close', of('repay')],
  ['clear', of('repay')],
  ['settle', of('repay', 'transfer')],
  ['possible', ({ before }) => ['as', 'best', 'fast', 'much', 'quickly', 'soon'].includes(before)],
  ['place', ({ before }) => before !== 'in'],
  ['down', ({ before }) => before === 'pay'],
  ['receive', ({ operation }) => operation !== 'approve'],
  ['owe', ({ before }) => before === 'i'],
  ['delay', ({ before }) => before === 'without'],
  ['nothing', ({ after }) => after === 'else'],
  ['else', ({ before }) => before === 'nothing'],
  ['soon', ({ after, later }) => after === 'as' && later === 'possible'],
  ['usd', ({ next }) => next?.t === 'number'],
  ['back', ({ operation, next }) => operation !== 'order' && (operation !== 'swap' || next !== undefined)],
  ['and', ({ last, after }) => last?.t !== 'address' || after !== 'my'],
  // Of what is open at a venue an order does not say whether it grows or shrinks.
  ...'change convert exchange flip leverage off out rotate spot swap take turn'
    .split(' ')
    .map((word) => [word, ({ operation }: At) => operation !== 'order'] as const),
] satisfies readonly (readonly [string, (at: At) => boolean])[])

/**
 * Words of a request that the grammar gives no meaning: another language, a condition, a second wish. Whoever knows them
 * may read it otherwise. Of a payment, the name of whoever gets it and what it is for are his own affair.
 */
export function unreadOf(lexemes: readonly Lexeme[], operation: Operation): readonly string[] {
  return lexemes.flatMap((one, i) => {
    if (one.t !== 'word' || isRead(one.word, atOf(lexemes, i, operation))) return []
    const isTold = isName(lexemes, i) || (operation === 'transfer' && isReason(lexemes, i))
    const own = isTold && /^[a-z]+$/.test(one.word) && !IN_CONTEXT.has(one.word) && !TERMS.has(one.word)
    return own ? [] : [`"${one.word}" is not understood`]
  })
}

function isRead(word: string, at: At): boolean {
  const inContext = IN_CONTEXT.get(word)
  if (inContext !== undefined) return inContext(at)
  if (at.before === 'be' && DONE.has(word)) return true
  if (PEOPLE.has(word)) return at.isPaid
  // The receipt of a deposit stands for it where it is taken out.
  if (at.operation === 'withdraw' && word.startsWith('a') && symbolOf(word.slice(1)) !== undefined) return true
  // In capitals it would be a token: whether it is meant so is another's question.
  if (symbolOf(word.toUpperCase()) !== undefined) return true
  const known = [PLAIN, FILLERS, VERBS, SHARES, UNLIMITED, MARKS_IN, MARKS_OUT, MARKS_RECIPIENT]
  return known.some((list) => list.has(word))
}

function atOf(lexemes: readonly Lexeme[], i: number, operation: Operation): At {
  const wordAt = (at: number) => {
    const one = lexemes[at]
    return one?.t === 'word' ? one.word : ''
  }
  return {
    before: wordAt(i - 1),
    after: wordAt(i + 1),
    later: wordAt(i + 2),
    last: lexemes[i - 1],
    next: lexemes[i + 1],
    object: lexemes.slice(i + 1).find((one) => one.t !== 'word' || (!ARTICLES.has(one.word) && one.word !== 'of')),
    operation,
    isPaid: operation === 'transfer' && lexemes.slice(0, i).some((one) => one.t === 'word' && isDeed(one.word)),
  }
}

/** "To Alice (0x…)", "my brother Tom at 0x…", "to the public library at 0x…". */
function isName(lexemes: readonly Lexeme[], i: number): boolean {
  const end = lexemes.findIndex((one, at) => at > i && one.t !== 'word')
  const start = lexemes.findLastIndex((one, at) => at < i && (one.t !== 'word' || LEADS.has(one.word)))
  const lead = lexemes[start]
  if (lexemes[end]?.t !== 'address' || lead?.t !== 'word') return false
  return lexemes.slice(start + 1, end).every((one) => one.t === 'word' && !OTHERS.has(one.word) && !isDeed(one.word))
}

function isDeed(word: string): boolean {
  return VERBS.has(word) || MARKS_IN.has(word)
}

/** "For the concert on the hill", "as a thank-you". */
function isReason(lexemes: readonly Lexeme[], i: number): boolean {
  const run = lexemes.slice(Math.max(0, i - REASON), i)
  const from = run.findLastIndex((one) => one.t === 'word' && (one.word === 'for' || one.word === 'as'))
  return from !== -1 && run.slice(from).every((one) => one.t === 'word' && !ENDS.has(one.word))
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
