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
  Simulation,
} from './chain-client.ts'
export { type ChainSettings, type Chains, createChains } from './clients.ts'
export { type FeeCaps, type Fees, feeCapsOf, proposeFees } from './fees.ts'
export {
  type CoreAccount,
  type CoreMarket,
  type CoreOrder,
  createHyperliquid,
  type Hyperliquid,
  type HyperliquidSettings,
} from './hyperliquid.ts'
export type { ExchangeAnswer } from './hyperliquid-answers.ts'
export type { ReadOptions } from './node.ts'
