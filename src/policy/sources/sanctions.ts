import type { Chains } from '../../chain/index.ts'
import type { Address } from '../../lib/address.ts'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hash.ts'
import { isListedSanctioned, SANCTIONS_AS_OF, sanctionsOracle } from '../../registry/index.ts'
import { readContracts, wordsOf } from '../contract-reads.ts'
import type { Source } from '../source.ts'

/** `maxAgeDays`: how old the bundled list may be for its word alone to clear an address. */
export type SanctionsDeps = Readonly<{ chains: Chains; now: () => Date; maxAgeDays: number }>

/** Setting `sources.sanctions.maxAgeDays` where the operator sets none. */
export const SANCTIONS_MAX_AGE_DAYS = 30

const IS_SANCTIONED = '0xdf592f7d'
const ETHEREUM = 1
const DAY_MS = 86_400_000
const TIMEOUT_MS = 6_000
/** Shorter than the source's own limit, so that a fresh list can still speak for an oracle that is silent. */
const ORACLE_TIMEOUT_MS = 4_000

/**
 * Which of some addresses are sanctioned. A hit in the bundled list always counts. That there is none is believed
 * of the chain's oracle (of Ethereum's, where the chain has none), or of a bundled list that is not older than its limit.
 *
 * @see https://go.chainalysis.com/chainalysis-oracle-docs.html
 */
export function sanctions({ chains, now, maxAgeDays }: SanctionsDeps): Source<'sanctions'> {
  return {
    id: 'sanctions',
    fact: 'sanctions',
    timeoutMs: TIMEOUT_MS,
    async ask({ chainId, addresses: screened, signal }) {
      const listed = screened.filter(isListedSanctioned)
      if (listed.length > 0) return { value: { screened, hits: listed }, observedAt: now() }

      const limit = AbortSignal.any([signal, AbortSignal.timeout(ORACLE_TIMEOUT_MS)])
      const oracle = await askOracle(chains, chainId, screened, limit)
      if (oracle.hits.length > 0 || oracle.failure === null) {
        return { value: { screened, hits: oracle.hits }, observedAt: now() }
      }
      const fault = listFault(now(), maxAgeDays)
      if (fault !== null) throw new CountersignError('unavailable', `${oracle.failure} ${fault}`)
      return { value: { screened, hits: [] }, observedAt: new Date(SANCTIONS_AS_OF.asOf), cached: true }
    },
  }
}

/** Why the bundled list's word alone clears nobody now; null while it does. A hit in it counts at any age. */
export function listFault(now: Date, maxAgeDays: number): string | null {
  const age = Math.floor((now.getTime() - new Date(SANCTIONS_AS_OF.asOf).getTime()) / DAY_MS)
  if (age >= 0 && age <= maxAgeDays) return null
  const list = age < 0 ? 'is dated in the future' : `is ${age} days old, over its limit of ${maxAgeDays}`
  return `The bundled list of ${SANCTIONS_AS_OF.asOf} ${list}.`
}

type OracleAnswer = Readonly<{ hits: readonly Address[]; failure: string | null }>

/** Asks about all addresses together. A hit counts even where the call about another address reverted. */
async function askOracle(
  chains: Chains,
  chainId: number,
  screened: readonly Address[],
  signal: AbortSignal,
): Promise<OracleAnswer> {
  const place = oracleOf(chains, chainId)
  if (place === undefined) return { hits: [], failure: `No sanctions oracle can be asked for chain ${chainId}.` }
  const calls = screened.map((address) => ({ to: place.oracle, data: callOf(address) }))
  try {
    const answers = await readContracts(chains, place.chainId, calls, signal)
    const verdicts = screened.map((_, i) => wordsOf(answers[i], 1)?.[0])
    const sure = verdicts.every((verdict) => verdict === 0n || verdict === 1n)
    const failure = sure ? null : `The sanctions oracle of chain ${place.chainId} gave no clear answer.`
    return { hits: screened.filter((_, i) => verdicts[i] === 1n), failure }
  } catch (thrown) {
    return {
      hits: [],
      failure: thrown instanceof CountersignError ? messageOf(thrown) : 'The sanctions oracle failed.',
    }
  }
}

function oracleOf(chains: Chains, chainId: number): Readonly<{ chainId: number; oracle: Address }> | undefined {
  const own = sanctionsOracle(chainId)
  if (own !== undefined) return { chainId, oracle: own }
  const general = sanctionsOracle(ETHEREUM)
  return general === undefined || chains.of(ETHEREUM) === undefined ? undefined : { chainId: ETHEREUM, oracle: general }
}

function callOf(address: Address): Hex {
  return `${IS_SANCTIONED}${address.slice(2).padStart(64, '0')}`
}
