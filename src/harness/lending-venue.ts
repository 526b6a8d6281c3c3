import { type Address, isAddress, toAddress } from '../lib/address.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { lendingPools, type TokenInfo, tokenAt, vaultsOf } from '../registry/index.ts'

/** Where a token can be put: a pool, or a vault of that token. */
export type LendingVenue = Readonly<{ kind: 'pool' | 'vault'; venue: string; name: string; address: Address }>

/** The pool of a chain that takes a token; the first that does. */
export function poolFor(chainId: number, token: TokenInfo): Result<LendingVenue> {
  const pool = lendingPools(chainId).find(({ reserves }) => reserves.some(({ asset }) => asset === token.address))
  if (pool) return ok({ kind: 'pool', venue: 'aave', name: pool.market, address: pool.pool })
  return refuse(`Aave takes no ${token.symbol} on chain ${chainId}, or has no pool there.`)
}

/** A vault by its name or address, and the token that it takes. */
export function vaultNamed(chainId: number, name: string): Result<Readonly<{ where: LendingVenue; token: TokenInfo }>> {
  const vaults = vaultsOf(chainId)
  const wanted = isAddress(name) ? toAddress(name) : undefined
  const found = vaults.filter((one) => one.vault === wanted || one.name.toLowerCase() === name.toLowerCase())
  const [vault, ...more] = found
  const token = vault && tokenAt(chainId, vault.asset)
  if (vault && token && more.length === 0)
    return ok({ where: { kind: 'vault', venue: vault.venue, name: vault.name, address: vault.vault }, token })
  const known = vaults.flatMap((one) => (tokenAt(chainId, one.asset) ? [one.name] : []))
  return refuse(
    `vault: "${name.slice(0, 80)}" is none that is known. Known on chain ${chainId}: ${known.slice(0, 40).join(', ') || 'none'}.`,
  )
}
