// Valid calldata for lending venues and vaults, written with viem's codecs alone: none of the product's code.
import { type Address, encodeFunctionData, type Hex, maxUint128, maxUint256, numberToHex, parseAbi } from 'viem'
import type { Encoded } from './encode.ts'

/** Aave's core market of Ethereum: its pool, its gateway, and the tokens of its first reserves. */
export const aave = {
  pool: '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2',
  gateway: '0xd01607c3C5eCABa394D8be377a08590149325722',
  aWETH: '0x4d5F47FA6A74757f35C14fD3a6Ef8E3C9BC514E8',
  aUSDC: '0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c',
  debtWETH: '0xeA51d7853EEFb32b6ee06b1C12E6dcCA88Be0fFE',
  debtUSDC: '0x72E95b8931767C79bA4EeE721354d6E99a61D004',
} as const

/** Vaults of Ethereum whose assets are on the local chain. */
export const vaults = {
  steakUSDC: '0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB',
  savingsDAI: '0x83F20F44975D03b1b09e64809B757c47f942BEeA',
} as const

export const MORPHO: Address = '0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb'

/** The market of Morpho that lends USDC against wstETH. */
export const usdcAgainstWstEth = {
  loanToken: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  collateralToken: '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0',
  oracle: '0x48F7E36EB6B826B2dF4B2E630B62Cd25e89E40e2',
  irm: '0x870aC11D48B15DB9a138Cf899d20F13F79Ba00BC',
  lltv: 860000000000000000n,
} as const

export const POOL_ABI = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referral)',
  'function deposit(address asset, uint256 amount, address onBehalfOf, uint16 referral)',
  'function supplyWithPermit(address asset, uint256 amount, address onBehalfOf, uint16 referral, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function withdraw(address asset, uint256 amount, address to)',
  'function borrow(address asset, uint256 amount, uint256 mode, uint16 referral, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 mode, address onBehalfOf)',
  'function repayWithPermit(address asset, uint256 amount, uint256 mode, address onBehalfOf, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function repayWithATokens(address asset, uint256 amount, uint256 mode)',
  'function setUserUseReserveAsCollateral(address asset, bool use)',
  'function setUserEMode(uint8 category)',
  'function swapBorrowRateMode(address asset, uint256 mode)',
  'function approvePositionManager(address manager, bool approve)',
  'function renouncePositionManagerRole(address user)',
  'function multicall(bytes[] calls)',
])
export const PACKED_ABI = parseAbi([
  'function supply(bytes32 args)',
  'function supplyWithPermit(bytes32 args, bytes32 r, bytes32 s)',
  'function withdraw(bytes32 args)',
  'function borrow(bytes32 args)',
  'function repay(bytes32 args)',
  'function repayWithPermit(bytes32 args, bytes32 r, bytes32 s)',
  'function repayWithATokens(bytes32 args)',
  'function swapBorrowRateMode(bytes32 args)',
  'function setUserUseReserveAsCollateral(bytes32 args)',
])
export const GATEWAY_ABI = parseAbi([
  'function depositETH(address pool, address onBehalfOf, uint16 referral) payable',
  'function withdrawETH(address pool, uint256 amount, address to)',
  'function withdrawETHWithPermit(address pool, uint256 amount, address to, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function borrowETH(address pool, uint256 amount, uint16 referral)',
  'function borrowETH(address pool, uint256 amount, uint256 mode, uint16 referral)',
  'function repayETH(address pool, uint256 amount, address onBehalfOf) payable',
  'function repayETH(address pool, uint256 amount, uint256 mode, address onBehalfOf) payable',
])
export const DEBT_ABI = parseAbi([
  'function approveDelegation(address delegatee, uint256 amount)',
  'function delegationWithSig(address delegator, address delegatee, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])
export const VAULT_ABI = parseAbi([
  'function deposit(uint256 assets, address receiver)',
  'function mint(uint256 shares, address receiver)',
  'function withdraw(uint256 assets, address receiver, address owner)',
  'function redeem(uint256 shares, address receiver, address owner)',
])
export const MORPHO_ABI = parseAbi([
  'struct MarketParams { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }',
  'struct Authorization { address authorizer; address authorized; bool isAuthorized; uint256 nonce; uint256 deadline; }',
  'struct Signature { uint8 v; bytes32 r; bytes32 s; }',
  'function supply(MarketParams market, uint256 assets, uint256 shares, address onBehalf, bytes data)',
  'function withdraw(MarketParams market, uint256 assets, uint256 shares, address onBehalf, address receiver)',
  'function borrow(MarketParams market, uint256 assets, uint256 shares, address onBehalf, address receiver)',
  'function repay(MarketParams market, uint256 assets, uint256 shares, address onBehalf, bytes data)',
  'function supplyCollateral(MarketParams market, uint256 assets, address onBehalf, bytes data)',
  'function withdrawCollateral(MarketParams market, uint256 assets, address onBehalf, address receiver)',
  'function setAuthorization(address authorized, bool newIsAuthorized)',
  'function setAuthorizationWithSig(Authorization authorization, Signature signature)',
])

/** Everything there is, as Aave reads it. */
export const ALL = maxUint256

/** A signature that is none. */
export const SIGNATURE = [27, `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`] as const

function tx(protocol: string, to: Address, data: Hex, description: string, value = 0n): Encoded {
  return { to, data, value: numberToHex(value), description, protocol }
}

type Call = Readonly<{ functionName: string; args: readonly unknown[] }>
const words = ({ functionName, args }: Call) =>
  `${functionName}(${JSON.stringify(args, (_, arg: unknown) => (typeof arg === 'bigint' ? arg.toString() : arg)).slice(1, -1)})`

/** A call on a pool, as one of its functions and its arguments. */
export function poolCall(functionName: string, args: readonly unknown[], pool: Address = aave.pool): Encoded {
  const data = encodeFunctionData({ abi: POOL_ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return tx('aave', pool, data, words({ functionName, args }))
}

/** A call on a rollup's pool with its arguments in one word; fields as `[value, bits]` from the lowest bit on. */
export function packedCall(
  functionName: string,
  fields: readonly (readonly [bigint | number, number])[],
  pool: Address = aave.pool,
  rest: readonly Hex[] = [],
): Encoded {
  const args = [packed(fields), ...rest]
  const data = encodeFunctionData({ abi: PACKED_ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return tx('aave', pool, data, words({ functionName, args }))
}

/** Fields side by side in one word. */
export function packed(fields: readonly (readonly [bigint | number, number])[]): Hex {
  let [word, at] = [0n, 0n]
  for (const [value, bits] of fields) {
    word |= BigInt(value) << at
    at += BigInt(bits)
  }
  return numberToHex(word, { size: 32 })
}

/** The largest amount of a packed argument. */
export const ALL_PACKED = maxUint128

export function gatewayCall(functionName: string, args: readonly unknown[], value = 0n): Encoded {
  const overloads = GATEWAY_ABI.filter((one) => one.name === functionName && one.inputs.length === args.length)
  const data = encodeFunctionData({ abi: overloads, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return tx('aave', aave.gateway, data, words({ functionName, args }), value)
}

export function debtCall(functionName: string, args: readonly unknown[], token: Address = aave.debtUSDC): Encoded {
  const data = encodeFunctionData({ abi: DEBT_ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return tx('aave', token, data, words({ functionName, args }))
}

export function vaultCall(functionName: string, args: readonly unknown[], vault: Address = vaults.steakUSDC): Encoded {
  const data = encodeFunctionData({ abi: VAULT_ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return tx('erc4626', vault, data, words({ functionName, args }))
}

export function morphoCall(functionName: string, args: readonly unknown[]): Encoded {
  const data = encodeFunctionData({ abi: MORPHO_ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return tx('morpho', MORPHO, data, words({ functionName, args }))
}
