import {
  type Address,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  parseEther,
  parseUnits,
  zeroAddress,
} from 'viem'
import { addresses, type TokenSymbol } from './addresses.ts'
import { type Artifact, readArtifact, readLinkedArtifact } from './artifacts.ts'
import { placeContract, type Sender } from './sender.ts'

const { aave, tokens, feeds, liquidityProvider } = addresses
const artifacts = '@aave/core-v3/artifacts/contracts'

const providerAbi = parseAbi([
  'function setACLAdmin(address admin)',
  'function setACLManager(address manager)',
  'function setPoolDataProvider(address provider)',
  'function setPriceOracle(address oracle)',
  'function setPoolImpl(address implementation)',
  'function setPoolConfiguratorImpl(address implementation)',
])
const aclAbi = parseAbi(['function addPoolAdmin(address admin)', 'function addAssetListingAdmin(address admin)'])
const configuratorAbi = parseAbi([
  'struct Reserve { address aTokenImpl; address stableDebtTokenImpl; address variableDebtTokenImpl; uint8 underlyingAssetDecimals; address interestRateStrategyAddress; address underlyingAsset; address treasury; address incentivesController; string aTokenName; string aTokenSymbol; string variableDebtTokenName; string variableDebtTokenSymbol; string stableDebtTokenName; string stableDebtTokenSymbol; bytes params; }',
  'function initReserves(Reserve[] reserves)',
  'function configureReserveAsCollateral(address asset, uint256 ltv, uint256 threshold, uint256 bonus)',
  'function setReserveBorrowing(address asset, bool enabled)',
  'function setEModeCategory(uint8 id, uint16 ltv, uint16 threshold, uint16 bonus, address oracle, string label)',
  'function setAssetEModeCategory(address asset, uint8 id)',
])
const poolAbi = parseAbi(['function supply(address asset, uint256 amount, address onBehalfOf, uint16 referral)'])
const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function mint(address to, uint256 amount)',
  'function deposit() payable',
])

/** Where libraries and implementations stand, which have other addresses on mainnet that nobody calls. */
const hidden = (number: number): Address => `0x${(0xaa_0000 + number).toString(16).padStart(40, '0')}`

const LIBRARIES = [
  'SupplyLogic',
  'BorrowLogic',
  'EModeLogic',
  'LiquidationLogic',
  'BridgeLogic',
  'PoolLogic',
  'ConfiguratorLogic',
  'FlashLoanLogic',
] as const

/**
 * Aave v3.0.2 with three reserves at the addresses of mainnet's core market, each with its aToken and debt tokens: the
 * configurator creates three of them for each asset, and counts. The reserves' numbers are 0, 1 and 2 here.
 */
export async function placeAave(sender: Sender): Promise<void> {
  await placeProvider(sender)
  const libraries = await placeLibraries(sender)
  await placePool(sender, libraries)
  await placeReserves(sender)
  await supplyLiquidity(sender)
}

async function placeProvider(sender: Sender): Promise<void> {
  const place = (number: number, file: string, args: readonly unknown[]) =>
    placeContract(sender, hidden(number), readArtifact(`${artifacts}/${file}`), args)
  const provider = readArtifact(
    `${artifacts}/protocol/configuration/PoolAddressesProvider.sol/PoolAddressesProvider.json`,
  )
  await placeContract(sender, aave.provider, provider, ['Aave Ethereum Market', liquidityProvider])
  await set(sender, 'setACLAdmin', liquidityProvider)
  await place(1, 'protocol/configuration/ACLManager.sol/ACLManager.json', [aave.provider])
  await set(sender, 'setACLManager', hidden(1))
  for (const functionName of ['addPoolAdmin', 'addAssetListingAdmin'] as const)
    await sender.send(hidden(1), encodeFunctionData({ abi: aclAbi, functionName, args: [liquidityProvider] }))
  await place(2, 'misc/AaveProtocolDataProvider.sol/AaveProtocolDataProvider.json', [aave.provider])
  await set(sender, 'setPoolDataProvider', hidden(2))
  const assets = [tokens.WETH, tokens.USDC, tokens.DAI]
  const sources = [feeds['ETH/USD'], feeds['USDC/USD'], feeds['DAI/USD']]
  const oracle = [aave.provider, assets, sources, zeroAddress, zeroAddress, 10n ** 8n]
  await place(3, 'misc/AaveOracle.sol/AaveOracle.json', oracle)
  await set(sender, 'setPriceOracle', hidden(3))
}

async function placeLibraries(sender: Sender): Promise<Readonly<Record<string, Address>>> {
  const placed: Record<string, Address> = {}
  for (const [i, name] of LIBRARIES.entries()) {
    placed[name] = hidden(16 + i)
    const library = readLinkedArtifact(`${artifacts}/protocol/libraries/logic/${name}.sol/${name}.json`, placed)
    await placeContract(sender, hidden(16 + i), library)
  }
  return placed
}

/** The pool and its configurator are proxies that the provider creates, as its first two contracts. */
async function placePool(sender: Sender, libraries: Readonly<Record<string, Address>>): Promise<void> {
  const linked = (file: string): Artifact => readLinkedArtifact(`${artifacts}/protocol/pool/${file}`, libraries)
  await placeContract(sender, hidden(4), linked('Pool.sol/Pool.json'), [aave.provider])
  await placeContract(sender, hidden(5), linked('PoolConfigurator.sol/PoolConfigurator.json'))
  await placeContract(sender, aave.l2PoolImplementation, linked('L2Pool.sol/L2Pool.json'), [aave.provider])
  await set(sender, 'setPoolImpl', hidden(4))
  await set(sender, 'setPoolConfiguratorImpl', hidden(5))
  const tokenization = `${artifacts}/protocol/tokenization`
  for (const [i, name] of ['AToken', 'StableDebtToken', 'VariableDebtToken'].entries())
    await placeContract(sender, hidden(6 + i), readArtifact(`${tokenization}/${name}.sol/${name}.json`), [aave.pool])
  const ray = 10n ** 27n
  const rates = [
    (ray * 8n) / 10n,
    0n,
    (ray * 4n) / 100n,
    (ray * 60n) / 100n,
    ray / 100n,
    (ray * 60n) / 100n,
    ray / 100n,
  ]
  const strategy = `${artifacts}/protocol/pool/DefaultReserveInterestRateStrategy.sol/DefaultReserveInterestRateStrategy.json`
  const args = [aave.provider, ...rates, (ray * 8n) / 100n, (ray * 20n) / 100n]
  await placeContract(sender, hidden(9), readArtifact(strategy), args)
}

/** Mainnet's reserves in their order there: wstETH and WBTC stand between WETH and USDC. */
const RESERVES: readonly Readonly<{ symbol: TokenSymbol; decimals: number; order: number }>[] = [
  { symbol: 'WETH', decimals: 18, order: 0 },
  { symbol: 'USDC', decimals: 6, order: 3 },
  { symbol: 'DAI', decimals: 18, order: 4 },
]

async function placeReserves({ rpc, send }: Sender): Promise<void> {
  const configure = (data: Hex) => send(aave.configurator, data)
  for (const { symbol, decimals, order } of RESERVES) {
    const asset = tokens[symbol]
    await rpc('anvil_setNonce', [aave.configurator, numberToHex(1 + 3 * order)])
    const reserve = {
      aTokenImpl: hidden(6),
      stableDebtTokenImpl: hidden(7),
      variableDebtTokenImpl: hidden(8),
      underlyingAssetDecimals: decimals,
      interestRateStrategyAddress: hidden(9),
      underlyingAsset: asset,
      treasury: liquidityProvider,
      incentivesController: zeroAddress,
      aTokenName: `Aave Ethereum ${symbol}`,
      aTokenSymbol: `aEth${symbol}`,
      variableDebtTokenName: `Aave Ethereum Variable Debt ${symbol}`,
      variableDebtTokenSymbol: `variableDebtEth${symbol}`,
      stableDebtTokenName: `Aave Ethereum Stable Debt ${symbol}`,
      stableDebtTokenSymbol: `stableDebtEth${symbol}`,
      params: '0x10',
    } as const
    const abi = configuratorAbi
    await configure(encodeFunctionData({ abi, functionName: 'initReserves', args: [[reserve]] }))
    const collateral = [asset, 7500n, 8000n, 10_500n] as const
    await configure(encodeFunctionData({ abi, functionName: 'configureReserveAsCollateral', args: collateral }))
    await configure(encodeFunctionData({ abi, functionName: 'setReserveBorrowing', args: [asset, true] }))
  }
  const category = [1, 9300, 9500, 10_100, zeroAddress, 'Stablecoins'] as const
  await configure(encodeFunctionData({ abi: configuratorAbi, functionName: 'setEModeCategory', args: category }))
  for (const asset of [tokens.USDC, tokens.DAI])
    await configure(
      encodeFunctionData({ abi: configuratorAbi, functionName: 'setAssetEModeCategory', args: [asset, 1] }),
    )
}

async function supplyLiquidity({ send }: Sender): Promise<void> {
  const deposits = { WETH: parseEther('20000'), USDC: parseUnits('50000000', 6), DAI: parseEther('50000000') }
  await send(tokens.WETH, encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }), deposits.WETH)
  for (const { symbol } of RESERVES) {
    const amount = deposits[symbol]
    const mint = encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [liquidityProvider, amount] })
    if (symbol !== 'WETH') await send(tokens[symbol], mint)
    const approve = { abi: tokenAbi, functionName: 'approve', args: [aave.pool, maxUint256] } as const
    await send(tokens[symbol], encodeFunctionData(approve))
    const supply = [tokens[symbol], amount, liquidityProvider, 0] as const
    await send(aave.pool, encodeFunctionData({ abi: poolAbi, functionName: 'supply', args: supply }))
  }
}

function set({ send }: Sender, functionName: (typeof providerAbi)[number]['name'], address: Address): Promise<void> {
  return send(aave.provider, encodeFunctionData({ abi: providerAbi, functionName, args: [address] }))
}
