import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { predictionsOf } from '../predictions.ts'
import { defineReadTool } from '../tool.ts'

const MOST = 8
/** The venue's words are anybody's: one line of plain length. */
const plain = (text: string) => text.replace(/\s+/g, ' ').slice(0, 160)

/** Finds markets of predictions, and says how their outcomes trade. */
export const predictionMarkets = defineReadTool({
  name: 'prediction_markets',
  description:
    'Finds open markets of predictions at Polymarket by words of their question, or reads one by its name, with what is bid and asked for each outcome.',
  input: z.strictObject({
    query: z.string().min(1).max(120).optional().describe('Words of the question, like "fed rate cut".'),
    market: z.string().min(1).max(256).optional().describe('Name of one market, like "will-it-rain-tomorrow".'),
  }),
  async read({ query, market: slug }, context) {
    const predictions = predictionsOf(context)
    if (!predictions.ok) return predictions
    if (slug !== undefined) {
      const market = await predictions.value.market(slug.toLowerCase())
      if (market === undefined) return refuse(`The venue has no open market "${slug.slice(0, 80)}".`)
      const traded = await Promise.all(market.outcomes.map(({ id }) => predictions.value.terms(id)))
      const outcomes = traded.flatMap((terms) => terms ?? [])
      const prices = outcomes.map(({ outcome, bid, ask }) => `${plain(outcome)} ${bid} bid, ${ask} asked`)
      const message = `${plain(market.question)} (${market.slug}): ${prices.join('; ')}.`
      return ok({ message, market: market.slug, outcomes })
    }
    if (query === undefined) return refuse('Give words of the question, or the name of a market.')
    const found = (await predictions.value.find(query)).slice(0, MOST)
    const lines = found.map(({ slug, question, outcomes }) => {
      return `${plain(question)} (${slug}): ${outcomes.map(({ outcome, price }) => `${plain(outcome)} ${price}`).join(', ')}`
    })
    const message = found.length === 0 ? 'No open market was found.' : `Found: ${lines.join('; ')}.`
    return ok({ message, markets: found.map(({ slug, outcomes }) => ({ market: slug, outcomes })) })
  },
})
