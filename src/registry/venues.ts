import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import { CHAINS } from './chains.ts'
import { lendingPools, vaultsOf } from './lending.ts'
import data from './venues.json' with { type: 'json' }

/** A contract that the decoders know: its venue, what kind of contract it is, and its version where kinds have several. */
export type Contract = Readonly<{
  chainId: number
  address: Address
  venue: string
  kind: string
  version?: string | undefined
}>

const VenuesFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  contracts: z.array(
    z.strictObject({
      chainId: ChainId,
      address: AddressSchema,
      venue: z.string(),
      kind: z.string(),
      version: z.string().optional(),
      /** Where it is from, when not from the file's own source. */
      source: z.string().optional(),
    }),
  ),
})

const file = VenuesFile.parse(data)
const contracts: readonly Contract[] = [...file.contracts, ...CHAINS.flatMap(({ id }) => lendingContracts(id))]
const byTarget = new Map<number, Map<Address, Contract>>(CHAINS.map(({ id }) => [id, new Map()]))
for (const contract of contracts) byTarget.get(contract.chainId)?.set(contract.address, contract)
/** Asked at each decoding. */
const wrappedCoins = new Map(
  contracts.flatMap(({ chainId, kind, address }) => (kind === 'wrapped-native' ? [[chainId, address] as const] : [])),
)

/** The contracts of a chain's lending pools and vaults, whose own files say more of them. */
function lendingContracts(chainId: number): readonly Contract[] {
  const pools = lendingPools(chainId).flatMap(({ pool, gateway, reserves }) => [
    { chainId, address: pool, venue: 'aave', kind: 'aave-pool' },
    ...(gateway === null ? [] : [{ chainId, address: gateway, venue: 'aave', kind: 'aave-gateway' }]),
    ...reserves.flatMap(({ aToken, variableDebtToken }) => [
      { chainId, address: aToken, venue: 'aave', kind: 'aave-a-token' },
      { chainId, address: variableDebtToken, venue: 'aave', kind: 'aave-debt-token' },
    ]),
  ])
  return [
    ...pools,
    ...vaultsOf(chainId).map(({ vault, venue }) => ({ chainId, address: vault, venue, kind: 'erc4626' })),
  ]
}

/** Every venue that there is a contract of, and those of tokens and coins, in order. */
export const VENUES: readonly string[] = [
  ...new Set(['native', 'erc20', ...contracts.map(({ venue }) => venue)]),
].sort()

/** The known contract at an address. Decoding is keyed by this, never by a selector alone. */
export function contractAt(chainId: number, address: Address): Contract | undefined {
  return byTarget.get(chainId)?.get(address)
}

/** What a word of a contract's kind is written as, where a capital letter alone would not do. */
const WORDS: Readonly<Record<string, string>> = {
  a: 'a',
  cow: 'CoW',
  ctf: 'CTF',
  erc4626: 'ERC-4626 vault',
  multicall3: 'Multicall3',
  native: 'Coin',
  uniswapx: 'UniswapX',
}

/** What a known contract is called by people: `Uniswap Universal Router 2.1`. */
export function contractName({ kind, version }: Pick<Contract, 'kind' | 'version'>): string {
  const words = kind.split('-').map((word) => WORDS[word] ?? `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return [...words, ...(version === undefined ? [] : [version])].join(' ')
}

/**
 * Contracts that act for whoever calls them: a right to spend that is given to one of them is anybody's. CoW Protocol's
 * settlement makes any call that a solver wants, and its relayer alone is meant to be approved; a reactor is given nothing
 * but by an order.
 */
const ACTS_FOR_ANYBODY: ReadonlySet<string> = new Set([
  'cow-settlement',
  'multicall3',
  'safe-multi-send',
  'uniswapx-reactor',
])

/** The known contract at an address, if it spends for nobody but the account that calls it. */
export function spenderAt(chainId: number, address: Address): Contract | undefined {
  const contract = contractAt(chainId, address)
  return contract && !ACTS_FOR_ANYBODY.has(contract.kind) ? contract : undefined
}

/** The address of a kind of contract on a chain; the one listed last where there are several versions and none is named. */
export function contractOf(chainId: number, kind: string, version?: string): Address | undefined {
  const found = file.contracts.filter(
    (c) => c.chainId === chainId && c.kind === kind && (version === undefined || c.version === version),
  )
  return found.at(-1)?.address
}

/** Morpho Blue on a chain: one contract that keeps all its markets. */
export function morphoOf(chainId: number): Address | undefined {
  return contractOf(chainId, 'morpho-blue')
}

/** The wrapped form of a chain's own coin. */
export function wrappedNative(chainId: number): Address | undefined {
  return wrappedCoins.get(chainId)
}
