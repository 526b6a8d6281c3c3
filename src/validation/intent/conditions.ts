import { contractOf } from '../../registry/index.ts'
import type { Intent } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { CHAIN_WORDS, VENUES, VERBS } from './lexicon.ts'

type Conditions = Pick<Intent, 'slippageBps' | 'feeBps' | 'deadline' | 'venue' | 'chainId'>

/** How many words may stand between a condition and its number. */
const NEAR = 4

/** Words of a bound before its number: what they bound is read with them. */
const BOUND_WORDS = new Set(
  'a at below by exceed less max maximum more most no not of than the to under up with'.split(' '),
)
const LIMITS = new Set(['cap', 'limit', 'max', 'maximum', 'most', 'tolerance'])
/** Words around a time that make it the last at which something may happen, and not when it should. */
const LATEST = new Set(
  'before deadline expire expires good expiring expiry latest later next until valid within'.split(' '),
)
/** Words that make it the first, or one of several. */
const EARLIEST = new Set('after daily each every over per since start starting'.split(' '))
const LIMIT_WORDS = new Set('within in by before until next for deadline expires expiring valid under'.split(' '))
const PLACE_WORDS = new Set('on over at via through network chain using with from into to in of'.split(' '))

/**
 * What an intent says beside its action: slippage, fee, deadline, venue, chain. What was read for that is left out of
 * `rest`, so that a slippage of 1 % is never taken for a share of the balance.
 */
export function readConditions(lexemes: readonly Lexeme[]): Readonly<{
  conditions: Conditions
  rest: readonly Lexeme[]
  /** Whether something is to come from the venue. */
  leaves: boolean
  unclear: readonly string[]
}> {
  const taken = new Set<number>()
  const slippage = rateNear(lexemes, 'slippage', taken)
  const fee = rateNear(lexemes, 'fee', taken)
  const tier = rateNear(lexemes, 'pool', taken)
  const times = lexemes.flatMap((one, i) => (one.t === 'duration' || one.t === 'moment' ? [i] : []))
  const deadlines = deadlinesOf(lexemes, taken)
  const venues = new Set([
    ...placesOf(lexemes, VENUES, taken),
    ...(isAtVenue(lexemes) ? coinPlaces(lexemes, VENUES, taken) : []),
  ])
  const chains = new Set(chainsOf(lexemes, taken))
  const unclear = [
    ...(times.every((at) => isLatest(lexemes, at)) ? [] : ['it may be a time at which to do it']),
    ...(deadlines.length > 1 ? ['it names more than one deadline'] : []),
    ...(venues.size > 1 ? [`it names more than one venue: ${[...venues].join(', ')}`] : []),
    ...([...chains].every(Number.isSafeInteger) ? [] : ['it names a chain that cannot be']),
    ...(chains.size > 1 ? ['it names more than one chain'] : []),
  ]
  return {
    conditions: {
      slippageBps: slippage ?? null,
      feeBps: tier === undefined && !isOfPool(lexemes) ? (fee ?? null) : null,
      deadline: deadlines[0] ?? null,
      venue: [...venues][0] ?? null,
      chainId: [...chains].find(Number.isSafeInteger) ?? null,
    },
    rest: lexemes.filter((_, i) => !taken.has(i)),
    leaves: lexemes.some((one, i) => taken.has(i) && isVenue(one) && isLeft(lexemes, i)),
    unclear,
  }
}

function isVenue(one: Lexeme): boolean {
  return (one.t === 'word' || one.t === 'token') && VENUES.has(one.word)
}

/** "From Aave", "out of Aave", "from my Aave account". */
function isLeft(lexemes: readonly Lexeme[], i: number): boolean {
  const before = lexemes.slice(0, i).findLast((one) => one.t !== 'word' || !['the', 'my', 'of'].includes(one.word))
  return before?.t === 'word' && (before.word === 'from' || before.word === 'out')
}

/** The rate that stands nearest to a word, in basis points. */
function rateNear(lexemes: readonly Lexeme[], word: string, taken: Set<number>): number | undefined {
  const at = lexemes.findIndex((one) => one.t === 'word' && (one.word === word || one.word === `${word}s`))
  if (at === -1) return undefined
  const order = Array.from({ length: NEAR }, (_, i) => i + 1).flatMap((far) => [at + far, at - far])
  for (const i of order) {
    const one = lexemes[i]
    if (taken.has(i) || (one?.t !== 'percent' && one?.t !== 'bps')) continue
    for (let k = Math.min(i, at); k <= Math.max(i, at); k++)
      if (k === i || k === at || isBound(lexemes[k])) taken.add(k)
    for (let k = Math.min(i, at) - 1; isBound(lexemes[k]); k--) taken.add(k)
    const behind = lexemes[Math.max(i, at) + 1]
    if (behind?.t === 'word' && LIMITS.has(behind.word)) taken.add(Math.max(i, at) + 1)
    return one.t === 'percent' ? Math.round(one.value * 100) : one.value
  }
  return undefined
}

function isBound(one: Lexeme | undefined): boolean {
  return one?.t === 'word' && BOUND_WORDS.has(one.word)
}

/** "The 0.3% fee pool", "the LP fee": what the pool takes, and nobody else. */
function isOfPool(lexemes: readonly Lexeme[]): boolean {
  return lexemes.some((one, i) => {
    if (one.t !== 'word' || (one.word !== 'fee' && one.word !== 'fees')) return false
    return lexemes.slice(Math.max(0, i - 1), i + 2).some((other) => other.t === 'word' && POOL_WORDS.has(other.word))
  })
}

const POOL_WORDS = new Set(['lp', 'pool', 'pools', 'tier', 'tiers'])

function isLatest(lexemes: readonly Lexeme[], i: number): boolean {
  const from = lexemes.findLastIndex((one, at) => at < i && one.t !== 'word') + 1
  const around = lexemes.slice(Math.max(from, i - NEAR), i + 2).flatMap((one) => (one.t === 'word' ? [one.word] : []))
  return around.some((word) => LATEST.has(word)) && !around.some((word) => EARLIEST.has(word))
}

function deadlinesOf(lexemes: readonly Lexeme[], taken: Set<number>): NonNullable<Intent['deadline']>[] {
  return lexemes.flatMap((one, i) => {
    if (one.t !== 'duration' && one.t !== 'moment') return []
    taken.add(i)
    const before = lexemes[i - 1]
    if (before?.t === 'word' && LIMIT_WORDS.has(before.word)) taken.add(i - 1)
    return [one.t === 'duration' ? { within: Math.floor(one.seconds) } : { by: one.at }]
  })
}

/** Names of places, with the small word before each. */
function placesOf<T>(lexemes: readonly Lexeme[], names: ReadonlyMap<string, T>, taken: Set<number>): readonly T[] {
  return lexemes.flatMap((one, i) => {
    const place = one.t === 'word' && !taken.has(i) ? names.get(one.word) : undefined
    return place === undefined ? [] : takePlace(lexemes, i, place, taken)
  })
}

function takePlace<T>(lexemes: readonly Lexeme[], i: number, place: T, taken: Set<number>): readonly [T] {
  taken.add(i)
  const before = lexemes[i - 1]
  if (before?.t === 'word' && PLACE_WORDS.has(before.word)) taken.add(i - 1)
  return [place]
}

/** Chains by name or number. "Ethereum" is a chain behind a word of place, and a coin elsewhere. */
function chainsOf(lexemes: readonly Lexeme[], taken: Set<number>): readonly number[] {
  const byName = placesOf(lexemes, CHAIN_WORDS, taken)
  const byNumber = lexemes.flatMap((one, i) => {
    if (one.t !== 'word' || (one.word !== 'chain' && one.word !== 'chainid')) return []
    const next = lexemes[i + 1]
    const skip = next?.t === 'word' && next.word === 'id' ? 2 : 1
    const number = lexemes[i + skip]
    if (number?.t !== 'number') return []
    for (let k = i; k <= i + skip; k++) taken.add(k)
    return [Number(number.value)]
  })
  return [...byName, ...byNumber, ...coinPlaces(lexemes, CHAIN_COINS, taken)]
}

/** Places whose names are coins' names too: they are places behind a word of place. */
function coinPlaces<T>(lexemes: readonly Lexeme[], names: ReadonlyMap<string, T>, taken: Set<number>): readonly T[] {
  return lexemes.flatMap((one, i) => {
    const before = lexemes.slice(0, i).findLast((other) => other.t !== 'word' || other.word !== 'the')
    const words = names === VENUES ? COIN_PLACE_WORDS : CHAIN_PLACE_WORDS
    const isPlace = before?.t === 'word' && words.has(before.word)
    const isOwn = names === VENUES && isHeldAt(lexemes, i)
    const place = one.t === 'token' && (isPlace || isOwn) && !taken.has(i) ? names.get(one.word) : undefined
    return place === undefined ? [] : takePlace(lexemes, i, place, taken)
  })
}

/** "Out of Aave", "my Aave debt": what is kept there. */
function isHeldAt(lexemes: readonly Lexeme[], i: number): boolean {
  const [earlier, before, after] = [i - 2, i - 1, i + 1].map((at) => {
    const one = lexemes[at]
    return one?.t === 'word' ? one.word : ''
  })
  return (before === 'of' && earlier === 'out') || HELD.has(after ?? '')
}

const HELD = new Set(
  'debt loan debts loans position account deposit deposits collateral balance market pool protocol lending router contract v2 v3'.split(
    ' ',
  ),
)

/** Whether the request is one that a venue whose coin has its name could be meant by. */
function isAtVenue(lexemes: readonly Lexeme[]): boolean {
  const words = lexemes.flatMap((one) => (one.t === 'word' ? [one.word] : []))
  return words.some((word) => VENUE_OPERATIONS.has(VERBS.get(word) ?? '') || VENUE_WORDS.has(word))
}

const VENUE_OPERATIONS: ReadonlySet<string> = new Set([
  'supply',
  'withdraw',
  'borrow',
  'repay',
  'approve',
  'revoke',
  'order',
])
const VENUE_WORDS = new Set('put out back off remove loan debt collateral yield'.split(' '))
const CHAIN_PLACE_WORDS = new Set(['on', 'over', 'via'])
const COIN_PLACE_WORDS = new Set('on over via through from into at in to using'.split(' '))

/** Names of chains that are coins' names too. */
const CHAIN_COINS: ReadonlyMap<string, number> = new Map([
  ['ethereum', 1],
  ['eth', 1],
  ['matic', 137],
  ['arb', 42_161],
])

/** The contract that a venue's name stands for as a spender, on a chain. */
export function spendersOf(venue: string, chainId: number): readonly string[] {
  const kinds = venue === 'permit2' ? ['permit2'] : SPENDER_KINDS.get(venue)
  return (kinds ?? []).flatMap((kind) => contractOf(chainId, kind) ?? [])
}

const SPENDER_KINDS = new Map([
  ['uniswap', ['uniswap-universal-router', 'uniswap-swap-router-02', 'permit2']],
  ['aave', ['aave-pool']],
  ['morpho', ['morpho-blue']],
])
