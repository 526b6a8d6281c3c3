import type { Policy } from '../../src/schema/policy.ts'
import { startExchange } from '../../test/support/hyperliquid/exchange.ts'
import type { Scene } from './conversation.ts'
import { standInWorld } from './stand-in-world.ts'

const STRANGER = '0x00000000000000000000000000000000deadbeef'
const USDC = '0xb88339cb7199b77e23db6e890353e22632ba630f'

/** What the demo's wallet may do: BTC and ETH, near the mark, with little leverage, and withdraw to nobody else. */
const policy: Policy = {
  venues: { allow: ['hyperliquid'] },
  chains: { allow: [999] },
  assets: {
    allow: [
      { venue: 'hyperliquid', symbol: 'BTC' },
      { venue: 'hyperliquid', symbol: 'ETH' },
      { chainId: 999, address: USDC },
    ],
  },
  priceBound: { maxDeviationBps: 200 },
  leverage: { max: 5, perMarket: { BTC: 3 }, maxPortfolio: 2 },
  caps: { perTxUsd: 2_000, outflow24hUsd: 2_000 },
  approvalTtlSeconds: 120,
}

/** The conversation of the demo of perpetuals. */
const conversation: readonly Scene[] = [
  { title: 'What is open', text: 'My positions', expected: { kind: 'words' } },
  { title: 'What it costs', text: 'What is the mark price of BTC?', expected: { kind: 'words' } },
  { title: 'Leverage within the policy', text: 'Set leverage of BTC to 3', expected: { kind: 'executed' } },
  { title: 'A long within the limits', text: 'Long 0.02 BTC perp', expected: { kind: 'executed' } },
  { title: 'What is open now', text: 'My positions', expected: { kind: 'words' } },
  {
    title: 'More than the account may carry',
    text: 'Long 0.02 BTC perp',
    expected: { kind: 'rejected', reasonCode: 'leverage_cap_exceeded' },
  },
  {
    title: 'Too much leverage',
    text: 'Set leverage of BTC to 20',
    expected: { kind: 'rejected', reasonCode: 'leverage_cap_exceeded' },
  },
  {
    title: 'A market order without a bound',
    text: 'Long 0.002 BTC perp without a price bound',
    expected: { kind: 'rejected', reasonCode: 'no_execution_price_bound' },
  },
  {
    title: 'Another market',
    text: 'Long 10 HYPE perp',
    expected: { kind: 'rejected', reasonCode: 'asset_not_in_universe' },
  },
  {
    title: 'Withdraw to a stranger',
    text: `Withdraw 100 USDC to ${STRANGER}`,
    expected: { kind: 'rejected', reasonCode: 'recipient_not_allowed' },
  },
  { title: 'Why', text: 'Why was that rejected?', expected: { kind: 'words' } },
  { title: 'An order that rests', text: 'Long 0.01 BTC perp at 59000', expected: { kind: 'executed' } },
  { title: 'Taking it back', text: 'Cancel BTC orders', expected: { kind: 'executed' } },
  { title: 'Closing the position', text: 'Close 0.02 BTC long', expected: { kind: 'executed' } },
]

/** Perpetuals, at a stand-in of Hyperliquid. */
export const perpsWorld = standInWorld({
  start: startExchange,
  chain: { id: 999, name: 'HyperEVM' },
  policy,
  conversation,
  sources: (url) => ({
    prices: { table: { asOf: new Date().toISOString(), maxAgeSeconds: 86_400, prices: { [`999:${USDC}`]: '1' } } },
    hyperliquid: { url },
  }),
  ending: ({ accepted, book }, wallet) =>
    `The venue took ${accepted.length} actions, each signed as approved; the account is worth ${book.equityOf(wallet)} US dollars.`,
})
