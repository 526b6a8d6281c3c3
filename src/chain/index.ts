export type { AssetChange } from './asset-changes.ts'
export { outgoing } from './asset-changes.ts'
export type {
  Block,
  Broadcast,
  ChainCall,
  ChainClient,
  FeeHistory,
  KnownTransaction,
  ManyResults,
  ProposedCall,
  Receipt,
  SequencedCall,
  Simulation,
} from './chain-client.ts'
export { type ChainSettings, type Chains, createChains } from './clients.ts'
export { type FeeCaps, type Fees, feeCapsOf, proposeFees } from './fees.ts'
export {
  type CoreAccount,
  type CoreOrder,
  createHyperliquid,
  type Hyperliquid,
  type HyperliquidSettings,
} from './hyperliquid.ts'
export type { ExchangeAnswer } from './hyperliquid-answers.ts'
export { createOrderFeed, type OrderFeed } from './hyperliquid-feed.ts'
export type { CoreMarket } from './hyperliquid-markets.ts'
export type { ReadOptions } from './node.ts'
export { createPolymarket, type FoundMarket, type OutcomeMarket, type Polymarket } from './polymarket.ts'
export {
  clobAuthDigest,
  createPolymarketAccount,
  type PolymarketAccount,
  type StandingOrder,
} from './polymarket-account.ts'
export { type PoolImpact, readPoolImpacts } from './pool-impact.ts'
export type { PoolTrade } from './pool-trades.ts'
export type { SpendWeight } from './weight-budget.ts'
