import { CHAINS, tokensOf } from '../../registry/index.ts'
import type { Operation } from '../intent.ts'

/** Verbs by what they ask for. `move` is read by what it is done to. */
export const VERBS: ReadonlyMap<string, Operation> = new Map(
  (
    [
      ['swap', 'swap swapping exchange exchanging convert converting trade trading turn flip change rotate'],
      ['swap', 'buy buying purchase purchasing acquire sell selling dump liquidate'],
      [
        'transfer',
        'send sending transfer transferring pay wire forward donate donation tip remit give gift payment reimburse refund',
      ],
      ['approve', 'approve approving authorize authorise allow allowance permit approval'],
      ['revoke', 'revoke revoking disapprove unapprove'],
      ['wrap', 'wrap wrapping'],
      ['unwrap', 'unwrap unwrapping'],
      ['supply', 'supply supplying lend lending deposit depositing stake park invest'],
      ['withdraw', 'withdraw withdrawing redeem redeeming unstake pull'],
      ['borrow', 'borrow borrowing'],
      ['repay', 'repay repaying'],
      // As fingers slip.
      ['swap', 'swp sawp swpa exhange excahnge exchnage convertt'],
      ['transfer', 'snd sned sedn tranfer trasnfer trnasfer tansfer'],
      ['approve', 'aprove approv appprove'],
      ['supply', 'suply depost deposite'],
      ['withdraw', 'withdrawl witdraw widthdraw'],
      ['order', 'long short leverage perp perps perpetual perpetuals'],
    ] as const
  ).flatMap(([operation, words]) => words.split(' ').map((word) => [word, operation] as const)),
)

/** Verbs of a trade that name what is wanted first. */
export const BUYS = new Set('buy buying purchase purchasing acquire'.split(' '))

/** Verbs of a trade that say that something is given away, and no more. */
export const SELLS = new Set('sell selling dump liquidate'.split(' '))

/** Tokens that stand for dollars where an order is paid in them. */
export const DOLLARS = new Set(['USDC', 'USDT'])

/** Words before what leaves, what comes, and who gets it. `for` turns to the other side. */
export const MARKS_IN = new Set('with using from spending spend use paying input'.split(' '))
export const MARKS_OUT = new Set('into receive receiving get getting obtain output'.split(' '))
export const MARKS_RECIPIENT = new Set('recipient receiver beneficiary deliver'.split(' '))

export const ABOUT = new Set('about around approximately roughly approx circa ~ nearly'.split(' '))

/** Shares of what there is, in percent. */
export const SHARES: ReadonlyMap<string, number> = new Map([
  ['all', 100],
  ['everything', 100],
  ['entire', 100],
  ['whole', 100],
  ['full', 100],
  ['half', 50],
  ['quarter', 25],
  ['third', 100 / 3],
])

export const UNLIMITED = new Set('unlimited infinite infinitely'.split(' '))

/** Words that hold a sentence together: none of them says what to do. */
export const FILLERS = new Set(
  `a address an and any are as at be but by can could do for from get give have hello hey hi how i if in into is it its just
  least like make max maximum me min minimum most my need now of off ok on one or our out over please should so some thank
  thanks that the their them then there these this those to today towards up use using via want we what when which will with
  would you your`.split(/\s+/),
)

/** Seconds of a unit of time. */
export const UNITS: ReadonlyMap<string, number> = new Map(
  (
    [
      [1, 's sec secs second seconds'],
      [60, 'min mins minute minutes'],
      [3_600, 'h hr hrs hour hours'],
      [86_400, 'd day days'],
      [604_800, 'week weeks'],
    ] as const
  ).flatMap(([seconds, words]) => words.split(' ').map((word) => [word, seconds] as const)),
)

const TEENS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'

/** Numbers in words. */
export const SMALL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...TEENS.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, i) => [word, 20 + 10 * i] as const),
])

/** How many zeros a word or a suffix adds. */
export const ZEROS: ReadonlyMap<string, number> = new Map([
  ['hundred', 2],
  ['k', 3],
  ['thousand', 3],
  ['m', 6],
  ['mm', 6],
  ['mn', 6],
  ['million', 6],
  ['b', 9],
  ['bn', 9],
  ['billion', 9],
])

/** Venues by the words for them. Those that are not decoded are here too: an intent that names one must not match another. */
export const VENUES: ReadonlyMap<string, string> = new Map([
  ['uniswap', 'uniswap'],
  ['aave', 'aave'],
  ['morpho', 'morpho'],
  ['permit2', 'permit2'],
  ['hyperliquid', 'hyperliquid'],
  ['polymarket', 'polymarket'],
  ['uniswapx', 'uniswapx'],
  ['cowswap', 'cow'],
  ...'sushiswap curve balancer 1inch compound aerodrome pancakeswap cow lido gmx paraswap matcha spark euler'
    .split(' ')
    .map((word) => [word, word] as const),
])

/** Chains by the words for them, those beyond the supported ones too, so that they match nothing. */
export const CHAIN_WORDS: ReadonlyMap<string, number> = new Map([
  ...CHAINS.map(({ name, id }) => [name.toLowerCase().split(' ')[0] ?? '', id] as const),
  ['mainnet', 1],
  ['hyperevm', 999],
  ['optimism', 10],
  ['bnb', 56],
  ['bsc', 56],
  ['avalanche', 43_114],
  ['linea', 59_144],
  ['scroll', 534_352],
  ['unichain', 130],
])

/** Other names of tokens, by symbol in capitals. */
const TOKEN_ALIASES: ReadonlyMap<string, string> = new Map([
  ['ether', 'ETH'],
  ['ethereum', 'ETH'],
  ['eth', 'ETH'],
  ['pol', 'POL'],
  ['matic', 'POL'],
  ['hype', 'HYPE'],
  ['tether', 'USDT'],
  ['dai', 'DAI'],
  ['btc', 'BTC'],
  ['bitcoin', 'BTC'],
  ['sol', 'SOL'],
  ['solana', 'SOL'],
  ['doge', 'DOGE'],
  ['xrp', 'XRP'],
])

const SYMBOLS = new Set(CHAINS.flatMap(({ id }) => tokensOf(id).map(({ symbol }) => symbol.toUpperCase())))

/** Symbols that are words of the language too: only in capitals are they tokens. */
const WORDS_TOO = new Set(['LINK', 'WELL', 'MAGIC', 'ENS', 'VIRTUAL'])

/** The symbol that a word stands for, in capitals, if it is one of a known token. */
export function symbolOf(word: string): string | undefined {
  const alias = TOKEN_ALIASES.get(word.toLowerCase())
  if (alias !== undefined) return alias
  const symbol = word.toUpperCase()
  if (!SYMBOLS.has(symbol)) return undefined
  return WORDS_TOO.has(symbol) && word !== symbol ? undefined : symbol
}
