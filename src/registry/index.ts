export { CHAINS, type Chain, chainOf } from './chains.ts'
export { type TokenInfo, tokenAt, tokenBySymbol, tokensOf } from './tokens.ts'
export { type Contract, contractAt, contractOf, VENUES_AS_OF, venueIds, wrappedNative } from './venues.ts'
