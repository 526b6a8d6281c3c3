import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { formatDecimal, formatUsd, groupThousands, valueOf } from '../../lib/usd.ts'
import { type Balance, defineReadTool, type Reader } from '../tool.ts'

/** What the wallet holds, and what it is worth where a price is known. */
export const readPortfolio = defineReadTool({
  name: 'read_portfolio',
  description:
    "Reads the wallet's balances of the chain's own coin and of all listed tokens, with their US dollar value.",
  input: z.strictObject({}),
  async read(_args, { reader, wallet, chainId }) {
    const balances = await reader.balances()
    const holdings = await Promise.all(balances.map((balance) => holdingOf(balance, reader)))
    const texts = holdings.map(
      ({ symbol, amount, usd }) => `${groupThousands(amount)} ${symbol}${usd === null ? '' : ` (${usd})`}`,
    )
    const message = texts.length > 0 ? `The wallet holds ${listOf(texts)}.` : 'The wallet holds nothing.'
    return ok({ message, wallet, chainId, holdings })
  },
})

async function holdingOf({ token, amount }: Balance, reader: Reader) {
  const price = await reader.usdPrice(token)
  const { symbol, address, decimals } = token
  return {
    symbol,
    address,
    amount: formatDecimal(amount, decimals),
    usd: price === undefined ? null : worth(amount, decimals, price),
  }
}

/** For display: the policy values what it decides from its own sources. */
function worth(amount: bigint, decimals: number, price: number): string {
  return formatUsd(valueOf(amount, decimals, BigInt(Math.round(price * 1e8)), 'down'))
}

function listOf(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}
