const NUMBER = String.raw`(\d+(?:\.\d+)?)`
const MARKET = '((?:[a-z0-9]+:)?[a-z0-9]+)'
const ADDRESS = '(0x[0-9a-f]{40})'

/** Sentences about perpetuals, and the tool call that each means. */
export const PERP_PHRASES: readonly Readonly<{
  pattern: RegExp
  mean(groups: readonly string[]): Readonly<{ tool: string; arguments: object }>
}>[] = [
  {
    pattern: words(
      `(long|short|buy|sell) ${NUMBER} ${MARKET} perps?( without (?:a |any )?price bound)?(?: at ${NUMBER})?`,
    ),
    mean: ([verb = '', size, market, unbounded, price]) => ({
      tool: 'perp_order',
      arguments: {
        market,
        side: /^(long|buy)$/i.test(verb) ? 'buy' : 'sell',
        size,
        ...(price && { price }),
        ...(unbounded && { unbounded: true }),
      },
    }),
  },
  {
    pattern: words(`close ${NUMBER} ${MARKET} (long|short)`),
    mean: ([size, market, side = '']) => ({
      tool: 'perp_order',
      arguments: { market, side: side.toLowerCase() === 'long' ? 'sell' : 'buy', size, reduceOnly: true },
    }),
  },
  {
    pattern: words(`set (?:the )?leverage of ${MARKET} to (\\d{1,3})`),
    mean: ([market, leverage]) => ({ tool: 'perp_leverage', arguments: { market, leverage: Number(leverage) } }),
  },
  {
    pattern: words(`cancel (?:my )?(?:open )?${MARKET} orders`),
    mean: ([market]) => ({ tool: 'perp_cancel', arguments: { market } }),
  },
  {
    pattern: words(`withdraw ${NUMBER} usdc(?: to ${ADDRESS})?`),
    mean: ([amount, to]) => ({ tool: 'perp_withdraw', arguments: { amount, ...(to && { to }) } }),
  },
  {
    pattern: words(`(?:what is the )?mark price of ${MARKET}\\??`),
    mean: ([market]) => ({ tool: 'market_price', arguments: { market } }),
  },
  {
    pattern: /^(?:(?:show )?(?:my |the )?(?:perp(?:etual)? )?positions)$/i,
    mean: () => ({ tool: 'perp_positions', arguments: {} }),
  },
]

/** What of it is known, for the list of sentences. */
export const PERP_VOCABULARY = [
  '• long 0.01 BTC perp [without a price bound] [at 60000], or short',
  '• close 0.01 BTC long, or short',
  '• set leverage of BTC to 3',
  '• my positions, mark price of BTC, cancel BTC orders, withdraw 100 USDC [to 0x…]',
]

function words(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'i')
}
