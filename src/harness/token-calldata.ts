import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Address } from '../lib/address.ts'
import type { EvmTx } from '../schema/action.ts'

const ERC20 = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
])
const PERMIT2 = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])

/** Sends the chain's own coin. `amount` in wei. */
export function nativeTransfer(chainId: number, to: Address, amount: bigint): EvmTx {
  return { protocol: 'native', chainId, to, data: '0x', value: quantity(amount) }
}

/** Sends a token. `amount` in its smallest unit. */
export function tokenTransfer(chainId: number, token: Address, to: Address, amount: bigint): EvmTx {
  const data = encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [to, amount] })
  return { protocol: 'erc20', chainId, to: token, data, value: '0x0' }
}

/** Lets a spender take exactly `amount` of a token; 0 takes the right away. */
export function tokenApproval(chainId: number, token: Address, spender: Address, amount: bigint): EvmTx {
  const data = encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [spender, amount] })
  return { protocol: 'erc20', chainId, to: token, data, value: '0x0' }
}

/** Lets a spender take at most `amount` of a token through Permit2 until `expiresAt` (Unix seconds). */
export function permit2Approval(
  chainId: number,
  permit2: Address,
  grant: Readonly<{ token: Address; spender: Address; amount: bigint; expiresAt: number }>,
): EvmTx {
  const args = [grant.token, grant.spender, grant.amount, grant.expiresAt] as const
  const data = encodeFunctionData({ abi: PERMIT2, functionName: 'approve', args })
  return { protocol: 'permit2', chainId, to: permit2, data, value: '0x0' }
}

/** A number of wei as a transaction carries it. */
export function quantity(wei: bigint): string {
  return `0x${wei.toString(16)}`
}
