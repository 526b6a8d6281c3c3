// Compares src/registry/venues.json with the installed packages of the venues, and rewrites what they say otherwise:
// npm run refresh-venues. Entries with a `source` of their own were proven by hand: they stay as they are.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { CHAINS } from '../src/registry/chains.ts'
import { Address } from '../src/schema/primitives.ts'

const TARGET = new URL('../src/registry/venues.json', import.meta.url)

const Entry = z.strictObject({
  chainId: z.int(),
  address: Address,
  venue: z.string(),
  kind: z.string(),
  version: z.string().optional(),
  source: z.string().optional(),
})
type Entry = z.output<typeof Entry>
const File = z.strictObject({ asOf: z.iso.date(), source: z.string(), contracts: z.array(Entry) })

/** What the packages say of one contract. */
export type Published = Omit<Entry, 'source'>

/** The refreshed text, and each difference in a line. */
export type Refreshed = Readonly<{ text: string; differences: readonly string[] }>

/**
 * Brings the file's entries up to what is published. Of kinds and versions that the file has on no chain nothing is
 * added: no decoder would read them.
 */
export function refreshVenues(current: unknown, published: readonly Published[], today: string): Refreshed {
  const { asOf, source, contracts } = File.parse(current)
  const differences: string[] = []
  const byPlace = new Map(published.map((one) => [placeOf(one), one]))
  const kept = contracts.map((entry) => {
    const found = byPlace.get(placeOf(entry))
    if (entry.source !== undefined || found?.address === entry.address) return entry
    if (found === undefined) {
      differences.push(`${placeOf(entry)}: in no package, kept at ${entry.address}`)
      return entry
    }
    differences.push(`${placeOf(entry)}: ${entry.address} is now ${found.address}`)
    return { ...entry, address: found.address }
  })
  const places = new Set(kept.map(placeOf))
  const kinds = new Set(contracts.map(({ kind, version }) => `${kind} ${version}`))
  const added = published.filter((one) => !places.has(placeOf(one)) && kinds.has(`${one.kind} ${one.version}`))
  for (const one of added) differences.push(`${placeOf(one)}: new at ${one.address}`)
  const changed = added.length > 0 || kept.some((entry, i) => entry !== contracts[i])
  const head = { asOf: changed ? today : asOf, source }
  return { text: render(head, [...kept, ...added]), differences }
}

function placeOf({ chainId, kind, version }: Published): string {
  return `chain ${chainId}, ${[kind, version].filter(Boolean).join(' ')}`
}

/** One entry a line, in the file's own order of members. */
function render({ asOf, source }: Readonly<{ asOf: string; source: string }>, entries: readonly Entry[]): string {
  const lines = entries.map((entry) => {
    const members = Object.entries(entry).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
    return `    {${members.join(', ')}}`
  })
  return `{\n  "asOf": "${asOf}",\n  "source": ${JSON.stringify(source)},\n  "contracts": [\n${lines.join(',\n')}\n  ]\n}\n`
}

const AddressOf = z.record(z.string(), z.string())
const SdkCore = z.object({
  WETH9: z.record(z.string(), z.object({ address: z.string() })),
  V2_ROUTER_ADDRESSES: AddressOf,
  SWAP_ROUTER_02_ADDRESSES: z.custom<(chainId: number) => string | undefined>((value) => typeof value === 'function'),
})
const RouterSdk = z.object({
  UNIVERSAL_ROUTER_ADDRESS: z.custom<(version: string, chainId: number) => string>((v) => typeof v === 'function'),
  UniversalRouterVersion: AddressOf,
})
const Permit2Sdk = z.object({
  permit2Address: z.custom<(chainId: number) => string>((value) => typeof value === 'function'),
})

/** 2.1.1 is known to the decoders as 2.1. */
const VERSION_NAMES: Readonly<Record<string, string>> = { '2.1.1': '2.1' }

/** All contracts that the installed packages of Uniswap name on the product's chains. */
function readPackages(): readonly Published[] {
  const require = createRequire(createRequire(import.meta.url).resolve('@uniswap/universal-router-sdk'))
  const core = SdkCore.parse(require('@uniswap/sdk-core'))
  const router = RouterSdk.parse(require('@uniswap/universal-router-sdk'))
  const { permit2Address } = Permit2Sdk.parse(require('@uniswap/permit2-sdk'))
  return CHAINS.flatMap(({ id: chainId }) => {
    const swapRouter = core.SWAP_ROUTER_02_ADDRESSES(chainId)
    if (!swapRouter) return []
    const one = (kind: string, venue: string, address: string | undefined, version?: string) =>
      address === undefined
        ? []
        : [{ chainId, address: Address.parse(address.toLowerCase()), venue, kind, ...(version && { version }) }]
    const routers = Object.values(router.UniversalRouterVersion).flatMap((version) =>
      one('uniswap-universal-router', 'uniswap', routerAt(router, version, chainId), VERSION_NAMES[version] ?? version),
    )
    return [
      ...one('wrapped-native', 'weth', core.WETH9[chainId]?.address),
      ...one('permit2', 'permit2', permit2Address(chainId)),
      ...one('uniswap-v2-router-02', 'uniswap', core.V2_ROUTER_ADDRESSES[chainId]),
      ...one('uniswap-swap-router-02', 'uniswap', swapRouter),
      ...routers,
    ]
  })
}

/** The package throws where a version is not on a chain. */
function routerAt(sdk: z.output<typeof RouterSdk>, version: string, chainId: number): string | undefined {
  try {
    return sdk.UNIVERSAL_ROUTER_ADDRESS(version, chainId)
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const current = readFileSync(TARGET, 'utf8')
  const { text, differences } = refreshVenues(
    JSON.parse(current),
    readPackages(),
    new Date().toISOString().slice(0, 10),
  )
  for (const line of differences) console.log(line)
  if (text === current) console.log('venues.json is what the packages say.')
  else {
    writeFileSync(TARGET, text)
    console.log('wrote src/registry/venues.json')
  }
}
