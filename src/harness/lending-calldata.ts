import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Address } from '../lib/address.ts'
import type { EvmTx } from '../schema/action.ts'
import { quantity } from './token-calldata.ts'

// Source: Aave v3 Pool, EIP-4626, WETH9.
const POOL = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
])
const VAULT = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256)',
])
const WRAPPED = parseAbi(['function deposit() payable', 'function withdraw(uint256 amount)'])

const ALL = (1n << 256n) - 1n

/** Where calls go: a contract of a venue on a chain. */
type Place = Readonly<{ chainId: number; venue: string; to: Address; wallet: Address }>

/** Supplies a token to a pool of Aave, for the wallet itself. `amount` in its smallest unit. */
export function poolSupply({ chainId, venue, to, wallet }: Place, asset: Address, amount: bigint): EvmTx {
  const data = encodeFunctionData({ abi: POOL, functionName: 'supply', args: [asset, amount, wallet, 0] })
  return { protocol: venue, chainId, to, data, value: '0x0' }
}

/** Takes a token out of a pool of Aave, to the wallet itself; `all` is whatever is there when it runs. */
export function poolWithdrawal({ chainId, venue, to, wallet }: Place, asset: Address, amount: bigint | 'all'): EvmTx {
  const args = [asset, amount === 'all' ? ALL : amount, wallet] as const
  const data = encodeFunctionData({ abi: POOL, functionName: 'withdraw', args })
  return { protocol: venue, chainId, to, data, value: '0x0' }
}

/** Puts assets into a vault, for the wallet itself. */
export function vaultDeposit({ chainId, venue, to, wallet }: Place, assets: bigint): EvmTx {
  const data = encodeFunctionData({ abi: VAULT, functionName: 'deposit', args: [assets, wallet] })
  return { protocol: venue, chainId, to, data, value: '0x0' }
}

/** Takes assets out of a vault, to the wallet itself; or all that so many shares are worth. */
export function vaultWithdrawal(
  { chainId, venue, to, wallet }: Place,
  what: Readonly<{ assets: bigint }> | Readonly<{ shares: bigint }>,
): EvmTx {
  const data =
    'assets' in what
      ? encodeFunctionData({ abi: VAULT, functionName: 'withdraw', args: [what.assets, wallet, wallet] })
      : encodeFunctionData({ abi: VAULT, functionName: 'redeem', args: [what.shares, wallet, wallet] })
  return { protocol: venue, chainId, to, data, value: '0x0' }
}

/** Wraps the chain's own coin. `amount` in wei. */
export function wrapping({ chainId, venue, to }: Omit<Place, 'wallet'>, amount: bigint): EvmTx {
  const data = encodeFunctionData({ abi: WRAPPED, functionName: 'deposit' })
  return { protocol: venue, chainId, to, data, value: quantity(amount) }
}

/** Unwraps it again. */
export function unwrapping({ chainId, venue, to }: Omit<Place, 'wallet'>, amount: bigint): EvmTx {
  const data = encodeFunctionData({ abi: WRAPPED, functionName: 'withdraw', args: [amount] })
  return { protocol: venue, chainId, to, data, value: '0x0' }
}
