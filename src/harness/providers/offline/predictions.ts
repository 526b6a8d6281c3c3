const NUMBER = String.raw`(\d+(?:\.\d+)?)`
const MARKET = '([a-z0-9][a-z0-9-]*)'

/** Sentences about predictions, and the tool call that each means. */
export const PREDICTION_PHRASES: readonly Readonly<{
  pattern: RegExp
  mean(groups: readonly string[]): Readonly<{ tool: string; arguments: object }>
}>[] = [
  {
    pattern: words(`(buy|sell) ${NUMBER} shares of (.{1,80}?) in ${MARKET}(?: at ${NUMBER})?(?: for (\\d+) minutes?)?`),
    mean: ([side = '', shares, outcome, market, price, minutes]) => ({
      tool: 'prediction_order',
      arguments: {
        market,
        outcome,
        side: side.toLowerCase(),
        shares,
        ...(price && { price }),
        ...(minutes && { minutes: Number(minutes) }),
      },
    }),
  },
  {
    pattern: words(`cancel (?:my )?(?:open )?orders in ${MARKET}`),
    mean: ([market]) => ({ tool: 'prediction_cancel', arguments: { market } }),
  },
  {
    pattern: words('(?:find |show )?predictions about (.{1,120})'),
    mean: ([query]) => ({ tool: 'prediction_markets', arguments: { query } }),
  },
  {
    pattern: words(`(?:show )?(?:the )?predictions? (?:of|in) ${MARKET}`),
    mean: ([market]) => ({ tool: 'prediction_markets', arguments: { market } }),
  },
]

/** What of it is known, for the list of sentences. */
export const PREDICTION_VOCABULARY = [
  '• predictions about rain, predictions in will-it-rain',
  '• buy 20 shares of Yes in will-it-rain [at 0.53] [for 30 minutes], or sell; cancel orders in will-it-rain',
]

function words(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'i')
}
