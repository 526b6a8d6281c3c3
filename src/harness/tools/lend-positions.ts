import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import { defineReadTool } from '../tool.ts'

/** What lies in pools and vaults. */
export const lendPositions = defineReadTool({
  name: 'lend_positions',
  description: 'Lists what the wallet has in Aave and in known vaults, and what it owes there.',
  input: z.strictObject({}),
  async read(_args, { reader }) {
    const positions = (await reader.deposits()).map(({ venue, market, address, token, supplied, debt }) => ({
      venue,
      market,
      address,
      token: token.symbol,
      supplied: formatDecimal(supplied, token.decimals),
      owed: formatDecimal(debt, token.decimals),
    }))
    const lines = positions.map(
      ({ market, token, supplied, owed }) =>
        `${market}: ${supplied} ${token}${owed === '0' ? '' : `, owed ${owed} ${token}`}`,
    )
    return ok({ message: lines.length === 0 ? 'Nothing lies in a known pool or vault.' : lines.join('\n'), positions })
  },
})
