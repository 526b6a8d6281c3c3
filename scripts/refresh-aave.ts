// Regenerates src/registry/aave.json from Aave's address book: node scripts/refresh-aave.ts <folder of the unpacked npm
// package @aave-dao/aave-address-book> <date of its release>.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { CHAINS } from '../src/registry/chains.ts'
import { Address } from '../src/schema/primitives.ts'

const TARGET = new URL('../src/registry/aave.json', import.meta.url)

const Reserve = z.object({
  id: z.int().min(0).max(65_535),
  UNDERLYING: Address,
  A_TOKEN: Address,
  V_TOKEN: Address,
  STATA_TOKEN: Address.optional(),
})
const Placed = z.object({ CHAIN_ID: z.int() })
const Market = Placed.extend({
  POOL: Address,
  WETH_GATEWAY: Address.optional(),
  L2_ENCODER: Address.optional(),
  ASSETS: z.record(z.string(), Reserve),
})

/** The text of aave.json: the v3 markets on the product's chains, of an address book's exports. */
export function renderAave(book: Readonly<Record<string, unknown>>, version: string, asOf: string): string {
  const ids: ReadonlySet<number> = new Set(CHAINS.map(({ id }) => id))
  const markets = Object.keys(book)
    .filter((name) => name.startsWith('AaveV3'))
    .sort()
    .flatMap((name) => (ids.has(Placed.parse(book[name]).CHAIN_ID) ? [marketText(name, Market.parse(book[name]))] : []))
  const source = `npm @aave-dao/aave-address-book ${version}`
  return `{\n  "asOf": "${asOf}",\n  "source": "${source}",\n  "markets": [\n${markets.join(',\n')}\n  ]\n}\n`
}

/** Pools of rollups take packed arguments too: the book lists an encoder beside them. */
function marketText(
  name: string,
  { CHAIN_ID, POOL, WETH_GATEWAY, L2_ENCODER, ASSETS }: z.output<typeof Market>,
): string {
  const members = {
    chainId: CHAIN_ID,
    market: name,
    pool: POOL,
    gateway: WETH_GATEWAY ?? null,
    packed: L2_ENCODER !== undefined,
  }
  const head = Object.entries(members).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
  const reserves = Object.entries(ASSETS)
    .sort(([, a], [, b]) => a.id - b.id)
    .map(([symbol, reserve]) => `        ${reserveText(symbol, reserve)}`)
  return `    {\n      ${head.join(',\n      ')},\n      "reserves": [\n${reserves.join(',\n')}\n      ]\n    }`
}

function reserveText(
  symbol: string,
  { id, UNDERLYING, A_TOKEN, V_TOKEN, STATA_TOKEN }: z.output<typeof Reserve>,
): string {
  const reserve = {
    id,
    symbol,
    asset: UNDERLYING,
    aToken: A_TOKEN,
    variableDebtToken: V_TOKEN,
    ...(STATA_TOKEN && { vault: STATA_TOKEN }),
  }
  return `{ ${Object.entries(reserve)
    .map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
    .join(', ')} }`
}

if (import.meta.main) {
  const [folder = '', asOf = ''] = process.argv.slice(2)
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string
    module: string
  }
  const book = (await import(pathToFileURL(path.join(folder, manifest.module)).href)) as Record<string, unknown>
  writeFileSync(TARGET, renderAave(book, manifest.version, z.iso.date().parse(asOf)))
  console.log(`wrote ${TARGET.pathname}`)
}
