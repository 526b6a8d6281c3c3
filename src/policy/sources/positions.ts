import type { Chains } from '../../chain/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import { lendingPools, morphoOf, vaultsOf } from '../../registry/index.ts'
import { marketOf } from '../account.ts'
import { readPresent } from '../contract-reads.ts'
import type { Question, Source } from '../source.ts'
import { aaveAccount } from './positions/aave.ts'
import type { AccountReading, RawAccount } from './positions/account-reading.ts'
import { morphoAccount } from './positions/morpho.ts'
import { createOracleReader } from './positions/oracles.ts'
import { vaultAccount } from './positions/vault.ts'
import { createValuer } from './positions/worth.ts'

/** Where positions are read, and who says what assets cost that no venue prices. */
export type PositionsDeps = Readonly<{ chains: Chains; now: () => Date; prices: Source<'prices'> }>

/**
 * The wallet's accounts at the lending pools and vaults of the action's chain, and in those markets of Morpho Blue that
 * the action changes: all read in one block. Amounts are read anew for each question, as the action before may have
 * changed them; where a pool's prices come from is kept for an hour. An account that the action changes and that cannot
 * be read makes the whole fact unavailable.
 */
export function positions({ chains, now, prices }: PositionsDeps): Source<'positions'> {
  const oraclesOf = createOracleReader(chains, now)
  const value = createValuer({ chains, now, prices })
  return {
    id: 'positions',
    fact: 'positions',
    timeoutMs: 7_000,
    async ask(question) {
      const { chainId, accounts, signal } = question
      if (accounts === undefined) throw new CountersignError('unavailable', 'Nobody is asked about.')
      const pools = lendingPools(chainId)
      const [raw, oracles] = await Promise.all([
        readAccounts({ chains, now }, chainId, accounts, signal),
        oraclesOf(chainId, pools, signal),
      ])
      const withOracles = raw.map((one) => {
        const oracle = oracles.get(one.market)
        return oracle === undefined ? one : { ...one, oracle }
      })
      const valued = await value(chainId, withOracles, signal)
      return { value: { accounts: valued }, observedAt: now() }
    },
  }
}

async function readAccounts(
  { chains, now }: Pick<PositionsDeps, 'chains' | 'now'>,
  chainId: number,
  { wallet, changed }: NonNullable<Question['accounts']>,
  signal: AbortSignal,
): Promise<readonly RawAccount[]> {
  const morpho = morphoOf(chainId)
  const ids = new Set(changed.flatMap(({ market, marketId }) => (market === morpho && marketId ? [marketId] : [])))
  const readings: readonly AccountReading[] = [
    ...lendingPools(chainId).map((pool) => aaveAccount(pool, wallet)),
    ...vaultsOf(chainId).map((vault) => vaultAccount(vault, wallet)),
    ...(morpho === undefined ? [] : [...ids].map((id) => morphoAccount(morpho, id, wallet))),
  ]
  const calls = readings.flatMap((reading) => reading.calls)
  if (calls.length === 0) return []
  const answers = await readPresent(chains, chainId, calls, { signal, now })
  let at = 0
  const found = readings.flatMap((reading) => {
    at += reading.calls.length
    return reading.read(answers.slice(at - reading.calls.length, at)) ?? []
  })
  const absent = changed.find((one) => !found.some(({ market }) => market === marketOf(one)))
  if (absent) throw new CountersignError('unavailable', `What ${absent.venue} keeps for the wallet could not be read.`)
  return found
}
