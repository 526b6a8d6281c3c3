export { CHAINS, type Chain, chainOf } from './chains.ts'
export { poolFactoryOf, sequencerUptimeFeed, type UsdFeed, usdFeed } from './feeds.ts'
export { CORE_USDC, type CoreToken, coreBridge, coreToken, HYPER_EVM, isCoreSystemAddress } from './hyper-core.ts'
export {
  depositsOf,
  type LendingPool,
  lendingPoolAt,
  lendingPools,
  type Reserve,
  reservesOf,
  type Vault,
  vaultAt,
  vaultsOf,
} from './lending.ts'
export {
  type MarketParams,
  type MorphoMarket,
  morphoMarketAt,
  morphoMarketId,
  morphoMarketsOf,
} from './morpho.ts'
export {
  POLYMARKET_CHAIN,
  POLYMARKET_COLLATERAL,
  POLYMARKET_MAX_FEE_BPS,
  POLYMARKET_NEG_RISK_COLLATERAL,
  polymarketExchange,
  polymarketVersionAt,
  polymarketVersionOf,
} from './polymarket.ts'
export { type QuoterKind, quoterOf } from './quoters.ts'
export { isListedSanctioned, SANCTIONS_AS_OF, sanctionsOracle } from './sanctions.ts'
export { type TokenInfo, tokenAt, tokenBySymbol, tokensOf } from './tokens.ts'
export {
  type Contract,
  contractAt,
  contractName,
  contractOf,
  morphoOf,
  spenderAt,
  VENUES,
  wrappedNative,
} from './venues.ts'
