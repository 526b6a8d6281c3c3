import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import aave from './aave.json' with { type: 'json' }
import vaultList from './vaults.json' with { type: 'json' }

/** An asset of a lending pool, and the tokens in which the pool counts what is deposited and what is owed of it. */
export type Reserve = Readonly<{
  /** Its place in the pool's list, by which packed calldata names it. */
  id: number
  symbol: string
  asset: Address
  aToken: Address
  variableDebtToken: Address
}>

/** A pool of Aave v3. */
export type LendingPool = Readonly<{
  chainId: number
  /** Name in Aave's address book: `AaveV3Ethereum`. */
  market: string
  pool: Address
  /** What wraps native coin on its way in and out; null where the market has none. */
  gateway: Address | null
  /** Whether it takes arguments packed into one word, as pools of rollups do. */
  packed: boolean
  reserves: readonly Reserve[]
}>

/** A vault of ERC-4626: its shares are worth a part of one asset. */
export type Vault = Readonly<{ chainId: number; venue: string; name: string; vault: Address; asset: Address }>

const AaveFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  markets: z.array(
    z.strictObject({
      chainId: ChainId,
      market: z.string(),
      pool: AddressSchema,
      gateway: AddressSchema.nullable(),
      packed: z.boolean(),
      reserves: z.array(
        z.strictObject({
          id: z.int().min(0).max(65_535),
          symbol: z.string(),
          asset: AddressSchema,
          aToken: AddressSchema,
          variableDebtToken: AddressSchema,
          vault: AddressSchema.optional(),
        }),
      ),
    }),
  ),
})

const VaultsFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  vaults: z.array(
    z.strictObject({
      chainId: ChainId,
      venue: z.string(),
      name: z.string(),
      vault: AddressSchema,
      asset: AddressSchema,
      origin: z.string(),
    }),
  ),
})

const { markets } = AaveFile.parse(aave)

/** Aave's own vaults hold aTokens; the listed ones stand in the file of vaults. */
const vaults: readonly Vault[] = [
  ...VaultsFile.parse(vaultList).vaults,
  ...markets.flatMap(({ chainId, market, reserves }) =>
    reserves.flatMap(({ vault, asset, symbol }) =>
      vault === undefined ? [] : [{ chainId, venue: 'aave', name: `${market} ${symbol}`, vault, asset }],
    ),
  ),
]

const poolsByPlace: ReadonlyMap<string, LendingPool> = new Map(markets.map((m) => [`${m.chainId}:${m.pool}`, m]))
const depositsByPlace: ReadonlyMap<string, Readonly<{ pool: Address; asset: Address }>> = new Map(
  markets.flatMap(({ chainId, pool, reserves }) =>
    reserves.map(({ aToken, asset }) => [`${chainId}:${aToken}`, { pool, asset }] as const),
  ),
)
const vaultsByPlace: ReadonlyMap<string, Vault> = new Map(vaults.map((v) => [`${v.chainId}:${v.vault}`, v]))

/** The lending pools of a chain. */
export function lendingPools(chainId: number): readonly LendingPool[] {
  return markets.filter((market) => market.chainId === chainId)
}

/** The lending pool at an address. */
export function lendingPoolAt(chainId: number, pool: Address): LendingPool | undefined {
  return poolsByPlace.get(`${chainId}:${pool}`)
}

/** The assets of a lending pool; none where the address is no pool. */
export function reservesOf(chainId: number, pool: Address): readonly Reserve[] {
  return lendingPoolAt(chainId, pool)?.reserves ?? []
}

/** Which deposits an aToken counts: in which pool, and of which asset. */
export function depositsOf(chainId: number, aToken: Address): Readonly<{ pool: Address; asset: Address }> | undefined {
  return depositsByPlace.get(`${chainId}:${aToken}`)
}

/** The vaults of a chain. */
export function vaultsOf(chainId: number): readonly Vault[] {
  return vaults.filter((vault) => vault.chainId === chainId)
}

/** The vault at an address. */
export function vaultAt(chainId: number, vault: Address): Vault | undefined {
  return vaultsByPlace.get(`${chainId}:${vault}`)
}
