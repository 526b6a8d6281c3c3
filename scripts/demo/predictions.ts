import type { Policy } from '../../src/schema/policy.ts'
import { startExchange } from '../../test/support/polymarket/exchange.ts'
import type { Scene } from './conversation.ts'
import { standInWorld } from './stand-in-world.ts'

/** What the demo's wallet may do: one market, near the mid, a little at a time. */
const policy: Policy = {
  venues: { allow: ['polymarket'] },
  chains: { allow: [137] },
  assets: { allow: [{ venue: 'polymarket', symbol: 'will-it-rain' }] },
  priceBound: { maxDeviationBps: 500 },
  caps: { perTxUsd: 50, outflow24hUsd: 100 },
  exposure: { perProtocolUsd: { polymarket: 60 } },
  approvalTtlSeconds: 120,
}

/** The conversation of the demo of predictions. */
const conversation: readonly Scene[] = [
  { title: 'What there is', text: 'Predictions about rain', expected: { kind: 'words' } },
  { title: 'How it trades', text: 'Predictions in will-it-rain', expected: { kind: 'words' } },
  {
    title: 'Shares within the limits',
    text: 'Buy 20 shares of Yes in will-it-rain',
    expected: { kind: 'executed' },
  },
  {
    title: 'Too far from the market',
    text: 'Buy 20 shares of Yes in will-it-rain at 0.6',
    expected: { kind: 'rejected', reasonCode: 'no_execution_price_bound' },
  },
  {
    title: 'Above the cap, with the fee',
    text: 'Buy 95 shares of Yes in will-it-rain at 0.53',
    expected: { kind: 'rejected', reasonCode: 'per_tx_cap_exceeded' },
  },
  {
    title: 'Another market',
    text: 'Buy 10 shares of Yes in who-wins at 0.3',
    expected: { kind: 'rejected', reasonCode: 'asset_not_in_universe' },
  },
  { title: 'Why', text: 'Why was that rejected?', expected: { kind: 'words' } },
  {
    title: 'An order that rests',
    text: 'Buy 20 shares of No in will-it-rain at 0.4 for 30 minutes',
    expected: { kind: 'executed' },
  },
  {
    title: 'Too much at one venue',
    text: 'Buy 85 shares of Yes in will-it-rain at 0.52',
    expected: { kind: 'rejected', reasonCode: 'protocol_exposure_exceeded' },
  },
  { title: 'Taking it back', text: 'Cancel orders in will-it-rain', expected: { kind: 'executed' } },
  { title: 'Selling again', text: 'Sell 20 shares of Yes in will-it-rain', expected: { kind: 'executed' } },
]

/** Outcomes, at a stand-in of Polymarket. */
export const predictionsWorld = standInWorld({
  start: startExchange,
  chain: { id: 137, name: 'Polygon' },
  policy,
  conversation,
  sources: (url) => ({ polymarket: { url, marketsUrl: url, dataUrl: url } }),
  ending({ accepted, book }, wallet) {
    const left = (book.accountOf(wallet).dollars / 1_000_000).toFixed(2)
    return `The venue took ${accepted.length} orders, each signed as approved; ${left} US dollars are left.`
  },
})
