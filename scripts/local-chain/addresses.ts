/**
 * Where the contracts of the local chain live: the addresses they have on Ethereum mainnet.
 *
 * Source of the venue addresses: the deployment pages of docs.uniswap.org and the Universal Router's `deploy-addresses`;
 * of the feeds: docs.chain.link; of the oracle: Chainalysis' documentation. Read in November 2026.
 */
export const addresses = {
  tokens: {
    WETH: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    DAI: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  },
  uniswap: {
    permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    v2Factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
    v2Router02: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
    v3Factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
    v3SwapRouter: '0xE592427A0AEce92De3Edee1F18E0157C05861564',
    v3PositionManager: '0xC36442b4a4522E871399CD717aBDD847Ab11FE88',
    swapRouter02: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
    quoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
    v4PoolManager: '0x000000000004444c5dc75cB358380D2e3dE08A90',
    v4PositionManager: '0xbD216513d74C8cf14cf4747E6AaA6420FF64ee9e',
    v4Quoter: '0x52F0E24D1c21C8A0cB1e5a5dD6198556BD9E1203',
    v4StateView: '0x7fFE42C4a5DEeA5b0feC41C94C136Cf115597227',
    universalRouter20: '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af',
    universalRouter21: '0x4C82D1fBFe28C977cBB58D8C7FF8FCF9F70a2cCA',
  },
  /** What the factories create for the liquidity of the local chain; mainnet has these pools at the same addresses. */
  pools: {
    v2UsdcWeth: '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc',
    v2DaiWeth: '0xA478c2975Ab1Ea89e8196811F51A7B7Ade33eB11',
    v3UsdcWeth500: '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640',
    v3UsdcWeth3000: '0x8ad599c3A0ff1De082011EFDDc58f1908eb6e6D8',
    v3DaiWeth3000: '0xC2e9F25Be6257c210d7Adf0D4Cd6E3E881ba25f8',
    v3DaiUsdc100: '0x5777d92f208679DB4b9778590Fa3CAB3aC9e2168',
  },
  /** Aave v3, core market. */
  aave: {
    provider: '0x2f39d218133AFaB8F2B819B1066c7E434Ad94E9e',
    pool: '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2',
    configurator: '0x64b761D848206f447Fe2dd461b0c635Ec39EbB27',
    aWETH: '0x4d5F47FA6A74757f35C14fD3a6Ef8E3C9BC514E8',
    aUSDC: '0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c',
    aDAI: '0x018008bfb33d285247A21d44E50697654f754e63',
    debtWETH: '0xeA51d7853EEFb32b6ee06b1C12E6dcCA88Be0fFE',
    debtUSDC: '0x72E95b8931767C79bA4EeE721354d6E99a61D004',
    debtDAI: '0xcF8d0c70c850859266f5C338b38F9D663181C314',
    /** The code that pools of rollups have, for tests to put behind the pool; not an address of mainnet. */
    l2PoolImplementation: '0x0000000000000000000000000000000000Aa0100',
  },
  vaults: { steakUSDC: '0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB' },
  feeds: {
    'ETH/USD': '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
    'USDC/USD': '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
    'DAI/USD': '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
  },
  sanctionsOracle: '0x40C57923924B5c5c5455c48D93317139ADDaC8fb',
  /** Owns the pools' positions and the factories; not an account of mainnet. */
  liquidityProvider: '0x1100000000000000000000000000000000000011',
} as const

export type TokenSymbol = keyof typeof addresses.tokens
export type FeedPair = keyof typeof addresses.feeds
