import { type Address, isAddress, toAddress } from '../lib/address.ts'
import type { Candidate } from './candidate.ts'
import type { Effect, Movement } from './effect.ts'
import type { Holding, Probe, Simulated, Surroundings } from './inspection.ts'
import type { Intent } from './intent.ts'
import { arrivingAt, meantReceiver } from './receivers.ts'

/** What came of a trial: `expected` and `most` stand beside the changes of the holdings that were watched. */
export type Tried = Readonly<{ simulated: Simulated; watched: readonly Watched[]; probes: readonly Probe[] }>

/** A holding with what its bytes promise: at least so much more, or at most so much less, in smallest units. */
export type Watched = Holding & Readonly<{ least: bigint }>

/** Why there was no trial. */
export type NotTried = Readonly<{ not: string }>

/**
 * Runs a candidate on a node of its chain, where one is set: whether its steps run after each other, what the tokens then
 * really do, and whether what is bought can be passed on.
 *
 * @throws CountersignError unavailable where the node is set and does not answer
 */
export async function tryCandidate(
  { candidate, effect, intent }: Readonly<{ candidate: Candidate; effect: Effect | undefined; intent: Intent }>,
  { simulate, balanceOf }: Pick<Surroundings, 'simulate' | 'balanceOf'>,
): Promise<Tried | NotTried> {
  const txs = candidate.steps.flatMap(({ tx }) => (tx === undefined ? [] : [tx]))
  if (effect === undefined || txs.length !== candidate.steps.length) return { not: 'The candidate was not understood.' }
  // Of a sender that nobody named a node knows nothing.
  if (!candidate.walletKnown) return { not: 'The sender is not named.' }
  const watched = watchedOf(effect)
  const probes = [
    ...passedOn(effect, meantReceiver(intent, candidate)),
    ...(await lentOut(effect, candidate, balanceOf)),
  ]
  const simulated = await simulate({ txs, wallet: candidate.wallet, watched, probes })
  return simulated === undefined ? { not: 'No node of the chain is set.' } : { simulated, watched, probes }
}

/** Everybody's holding of every token that moves, with its change on balance as the bytes have it. */
function watchedOf({ spends, receives }: Effect): readonly Watched[] {
  const holdings = new Map<string, Watched>()
  const add = ({ asset, party, amount }: Movement, sign: bigint) => {
    if (!isAddress(asset) || !isAddress(party) || amount === null) return
    const key = `${asset} ${party}`
    const { least = 0n } = holdings.get(key) ?? {}
    holdings.set(key, { asset: toAddress(asset), holder: toAddress(party), least: least + sign * amount })
  }
  for (const one of spends) add(one, -1n)
  for (const one of receives) add(one, 1n)
  return [...holdings.values()]
}

/** What was bought, handed on by whoever got it: a token that cannot be sold again is a trap. */
function passedOn(effect: Effect, holder: Address): readonly Probe[] {
  if (effect.operation !== 'swap') return []
  return arrivingAt(effect, holder).flatMap(({ asset, amount }) =>
    isAddress(asset) && amount !== null && amount > 0n ? [{ asset: toAddress(asset), holder, amount }] : [],
  )
}

/** What somebody is given a right to, as far as the wallet has it: no step moves it now. */
async function lentOut(
  { operation, grants }: Effect,
  { chainId, wallet }: Candidate,
  balanceOf: Surroundings['balanceOf'],
): Promise<readonly Probe[]> {
  if (operation !== 'approve') return []
  const given = grants.flatMap((leg) => leg.grants).filter(({ amount }) => amount !== '0')
  const probes = given.map(async ({ asset, amount }) => {
    const held = isAddress(asset) ? await balanceOf(chainId, wallet, asset) : undefined
    const most = held === undefined || held < BigInt(amount) ? (held ?? 0n) : BigInt(amount)
    return most > 0n ? [{ asset: toAddress(asset), holder: wallet, amount: most }] : []
  })
  return (await Promise.all(probes)).flat()
}
