import { CountersignError } from '../lib/errors.ts'
import { parseDecimal } from '../lib/usd.ts'
import { HYPER_EVM } from '../registry/index.ts'
import type { PaperAmount } from '../storage/index.ts'
import { parseAmount } from './amount.ts'
import { DOLLARS, PERPS_PLACE, SIZE_DECIMALS, WALLET_PLACE } from './paper-fill.ts'
import type { PerpAccount } from './perps.ts'
import type { Balance, Reader } from './tool.ts'

/** What a portfolio begins with. */
export type OpeningSettings = Readonly<{
  reader: Reader
  chainId: number
  /** Decimal texts by symbol, in place of what the wallet has. */
  balances?: Readonly<Record<string, string>> | undefined
  /** US dollars in the margin account of perpetuals, as decimal text, in place of that account. */
  margin?: string | undefined
}>

/**
 * What the owner set, else what the wallet has: on it, lent and owed, and at the venue of perpetuals.
 *
 * @throws CountersignError invalid_request for a balance of no known token, unavailable where a node or venue fails
 */
export async function openingOf(settings: OpeningSettings): Promise<readonly PaperAmount[]> {
  const { balances, reader } = settings
  const [tokens, margin] = await Promise.all([
    balances === undefined ? ownTokens(reader) : setBalances(balances, reader),
    marginOf(settings),
  ])
  return [...tokens, ...margin]
}

/** What lies on the wallet, and what is lent and owed. */
async function ownTokens(reader: Reader): Promise<readonly PaperAmount[]> {
  const [own, deposits] = await Promise.all([reader.balances(), reader.deposits()])
  return [
    ...own.flatMap(({ token, amount }) => at(WALLET_PLACE, token, amount)),
    ...deposits.flatMap(({ address, token, supplied, debt }) => [
      ...at(address, token, supplied),
      ...at(`debt ${address}`, token, debt),
    ]),
  ]
}

async function marginOf({ reader, chainId, margin }: OpeningSettings): Promise<readonly PaperAmount[]> {
  if (margin !== undefined) return [{ place: PERPS_PLACE, ...DOLLARS, amount: parseDecimal(margin, DOLLARS.decimals) }]
  const account = chainId === HYPER_EVM ? await reader.perps?.account() : undefined
  return account === undefined ? [] : accountAmounts(account)
}

async function setBalances(
  balances: Readonly<Record<string, string>>,
  reader: Reader,
): Promise<readonly PaperAmount[]> {
  const read = await Promise.all(
    Object.entries(balances).map(async ([name, text]) => {
      const token = await reader.token(name)
      if (!token.ok) throw wrong(name, token.reason)
      const amount = parseAmount(text, token.value)
      if (!amount.ok) throw wrong(name, amount.reason)
      return at(WALLET_PLACE, token.value, amount.value)
    }),
  )
  return read.flat()
}

function wrong(name: string, why: string): CountersignError {
  return new CountersignError('invalid_request', `paper.balances.${name.slice(0, 64)}: ${why}`)
}

function at(place: string, token: Balance['token'], amount: bigint): readonly PaperAmount[] {
  const { address: asset, symbol, decimals } = token
  return amount === 0n ? [] : [{ place, asset, symbol, decimals, amount }]
}

/** Positions, and the dollars that with them at the marks make up the equity. */
function accountAmounts({ equity, positions }: PerpAccount): readonly PaperAmount[] {
  let dollars = signed(equity, DOLLARS.decimals)
  const open = positions.map(({ symbol, size, mark }): PaperAmount => {
    const amount = signed(size, SIZE_DECIMALS)
    dollars -= (amount * signed(mark ?? '0', SIZE_DECIMALS)) / 10n ** 10n
    return { place: PERPS_PLACE, asset: symbol, symbol, decimals: SIZE_DECIMALS, amount }
  })
  return dollars === 0n && open.length === 0 ? [] : [{ place: PERPS_PLACE, ...DOLLARS, amount: dollars }, ...open]
}

function signed(text: string, decimals: number): bigint {
  return text.startsWith('-') ? -parseDecimal(text.slice(1), decimals) : parseDecimal(text, decimals)
}
