import type { Chains } from '../../../chain/index.ts'
import { CountersignError } from '../../../lib/errors.ts'
import type { Hex } from '../../../lib/hash.ts'
import type { Result } from '../../../lib/result.ts'
import { sequencerUptimeFeed, type UsdFeed } from '../../../registry/index.ts'
import { readContracts, textOf, wordsOf } from '../../contract-reads.ts'
import type { UsdPrice } from '../../facts.ts'

const LATEST_ROUND_DATA: Hex = '0xfeaf968c'
const DECIMALS: Hex = '0x313ce567'
const DESCRIPTION: Hex = '0x7284e416'

/** Feeds are late by up to 84 s of a day's heartbeat; a busy chain makes them later. */
const GRACE_SECONDS = 3600
/** How far ahead of our clock an answer may be dated, in seconds. */
export const MAX_FUTURE_SECONDS = 300
/** After a halt of its sequencer a rollup runs on old prices for a while. */
const SEQUENCER_GRACE_SECONDS = 3600
const CACHE_MS = 15_000
/** Above any price. A negative answer, read as the unsigned word that it is, lies beyond it too. */
const MAX_ANSWER = 1n << 96n

/** What a feed said, and when it was asked. `updatedAt` is in Unix seconds. */
type Round = Readonly<{ answer: bigint; updatedAt: bigint; readAt: Date }>
/** A price that is beyond doubt, when it was read, and whether that was for an earlier question. */
export type Quote = Readonly<{ price: UsdPrice; observedAt: Date; cached: boolean }>

/** Quotes of feeds of one chain, by `keyOf`. */
export type FeedReader = (
  feeds: readonly UsdFeed[],
  chainId: number,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, Quote>>

/**
 * Reads Chainlink's feeds together and keeps what they say for 15 s. It throws `unavailable` when one of them is not
 * beyond doubt.
 *
 * @see https://docs.chain.link/data-feeds/api-reference, https://docs.chain.link/data-feeds/l2-sequencer-feeds
 */
export function createFeedReader(chains: Chains, now: () => Date): FeedReader {
  const rounds = new Map<string, Round>()
  const described = new Set<string>()

  /** What feeds say now. Nothing is kept of an answer that is in doubt. */
  async function read(feeds: readonly UsdFeed[], chainId: number, signal: AbortSignal): Promise<Map<string, Round>> {
    const sequencer = sequencerUptimeFeed(chainId)
    // Settled before anything is asked: another question may learn the description while this one waits.
    const unknown = new Set(feeds.filter((one) => !described.has(keyOf(one))))
    const calls = feeds.flatMap((one) => {
      const questions = unknown.has(one) ? [LATEST_ROUND_DATA, DECIMALS, DESCRIPTION] : [LATEST_ROUND_DATA]
      return questions.map((data) => ({ to: one.feed, data }))
    })
    const uptime = sequencer === undefined ? [] : [{ to: sequencer, data: LATEST_ROUND_DATA }]
    const answers = [...(await readContracts(chains, chainId, [...calls, ...uptime], signal))]
    const readAt = now()
    if (sequencer !== undefined) checkSequencer(chainId, answers.pop(), readAt)
    const fresh = new Map<string, Round>()
    for (const one of feeds) {
      const round = wordsOf(answers.shift(), 5)
      if (round === undefined) throw unusable(one, 'gave no answer of the right shape')
      if (unknown.has(one)) checkDescription(one, answers.shift(), answers.shift())
      described.add(keyOf(one))
      fresh.set(keyOf(one), { answer: round[1] ?? 0n, updatedAt: round[3] ?? 0n, readAt })
    }
    return fresh
  }

  return async (feeds, chainId, signal) => {
    const recent = (one: UsdFeed) => now().getTime() - (rounds.get(keyOf(one))?.readAt.getTime() ?? 0) < CACHE_MS
    const wanted = new Map(feeds.map((one) => [keyOf(one), one]))
    const missing = [...wanted.values()].filter((one) => !recent(one))
    const fresh = missing.length === 0 ? new Map<string, Round>() : await read(missing, chainId, signal)
    const quotes = [...wanted].map(([key, one]) => {
      return [key, quoteOf(one, fresh.get(key) ?? rounds.get(key), now(), !fresh.has(key))] as const
    })
    for (const [key, round] of fresh) rounds.set(key, round)
    return new Map(quotes)
  }
}

function quoteOf(feed: UsdFeed, round: Round | undefined, now: Date, cached: boolean): Quote {
  if (round === undefined) throw unusable(feed, 'gave no answer')
  const { answer, updatedAt, readAt } = round
  const age = BigInt(Math.floor(now.getTime() / 1000)) - updatedAt
  const limit = feed.heartbeatSeconds + GRACE_SECONDS
  if (answer <= 0n || answer >= MAX_ANSWER) throw unusable(feed, 'answered with a number that is no price')
  if (age > BigInt(limit)) throw unusable(feed, `is older than its limit of ${limit} s`)
  if (age < -BigInt(MAX_FUTURE_SECONDS)) throw unusable(feed, 'is dated in the future')
  const updated = new Date(Number(updatedAt) * 1000).toISOString()
  const price = { usdE8: answer.toString(), source: `Chainlink ${feed.description}`, updatedAt: updated }
  return { price, observedAt: readAt, cached }
}

/** Several proxies carry one pair's name, and some answer with 18 decimals. */
function checkDescription(feed: UsdFeed, decimals: Result<Hex> | undefined, text: Result<Hex> | undefined): void {
  if (wordsOf(decimals, 1)?.[0] !== 8n) throw unusable(feed, 'does not answer with 8 decimals')
  if (pairOf(textOf(text) ?? '') !== pairOf(feed.description)) throw unusable(feed, 'describes itself as another pair')
}

function pairOf(description: string): string {
  return description.replaceAll(' ', '').toUpperCase()
}

function checkSequencer(chainId: number, answer: Result<Hex> | undefined, now: Date): void {
  const [, status, since] = wordsOf(answer, 5) ?? []
  const down = (why: string) => new CountersignError('unavailable', `The sequencer of chain ${chainId} ${why}.`)
  if (status === undefined || since === undefined || since === 0n || status > 1n) throw down('has an unknown state')
  if (status === 1n) throw down('is down')
  const upFor = BigInt(Math.floor(now.getTime() / 1000)) - since
  if (upFor < BigInt(SEQUENCER_GRACE_SECONDS)) throw down(`came back less than ${SEQUENCER_GRACE_SECONDS} s ago`)
}

function unusable({ chainId, description }: UsdFeed, what: string): CountersignError {
  return new CountersignError('unavailable', `The price feed ${description} of chain ${chainId} ${what}.`)
}

/** What a feed is told from others by. */
export function keyOf({ chainId, feed }: UsdFeed): string {
  return `${chainId}:${feed}`
}
