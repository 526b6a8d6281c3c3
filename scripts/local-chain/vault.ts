import { type Address, encodeFunctionData, maxUint256, parseAbi, parseUnits, toEventSelector } from 'viem'
import { addresses } from './addresses.ts'
import { assemble } from './assembly.ts'
import type { Sender } from './sender.ts'

const { tokens, vaults, liquidityProvider } = addresses
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const APPROVAL = toEventSelector('Approval(address,address,uint256)')
/** Shares of the first deposit for each unit of it: 18 decimals for an asset of 6. */
const FIRST = `0x${(10n ** 12n).toString(16).padStart(12, '0')}`

/**
 * A vault of ERC-4626 that holds what it is given, without fee or limit; no package has a compiled one. A share is worth a
 * part of its balance of the asset, rounded in the vault's favour. Balances stand in slots numbered like their owners,
 * allowances in those of the pair's hash, the supply in slot 0. Variables lie in memory: assets 0x80, shares 0xa0,
 * receiver 0xc0, owner 0xe0, total assets 0x0100, supply 0x0120, slot of an allowance 0x0140.
 */
const vaultCode = assemble(`
  0x00 calldataload 0xe0 shr                    ; the selector
  dup1 0x38d52e0f eq @asset jumpi
  dup1 0x01e1d114 eq @totalAssets jumpi
  dup1 0x18160ddd eq @totalSupply jumpi
  dup1 0x313ce567 eq @decimals jumpi
  dup1 0x95d89b41 eq @symbol jumpi
  dup1 0x70a08231 eq @balanceOf jumpi
  dup1 0x07a2d13a eq @convertToAssets jumpi
  dup1 0xdd62ed3e eq @allowance jumpi
  dup1 0x095ea7b3 eq @approve jumpi
  dup1 0xa9059cbb eq @transfer jumpi
  dup1 0x6e553f65 eq @deposit jumpi
  dup1 0x94bf804d eq @mint jumpi
  dup1 0xb460af94 eq @withdraw jumpi
  dup1 0xba087652 eq @redeem jumpi
fail:
  0x00 0x00 revert

asset:
  ${tokens.USDC} @answer jump
totalAssets:
  @totalAssetsRead @readRate jump
totalAssetsRead:
  0x0100 mload @answer jump
totalSupply:
  0x00 sload @answer jump
decimals:
  0x12 @answer jump
symbol:
  0x20 0x00 mstore 0x09 0x20 mstore
  0x737465616b55534443 0xb8 shl 0x40 mstore      ; steakUSDC
  0x60 0x00 return
balanceOf:
  0x04 calldataload sload @answer jump
convertToAssets:
  0x04 calldataload 0xa0 mstore
  @rateForAssets @readRate jump
rateForAssets:
  @convertedToAssets @assetsOfShares jump
convertedToAssets:
  0x80 mload @answer jump
allowance:
  0x04 calldataload 0x24 calldataload @allowanceSlot @hashPair jump
allowanceSlot:
  0x0140 mload sload @answer jump
approve:
  caller 0x04 calldataload @approvalSlot @hashPair jump
approvalSlot:
  0x24 calldataload 0x0140 mload sstore
  0x24 calldataload 0x00 mstore
  0x04 calldataload caller ${APPROVAL} 0x20 0x00 log3
  0x01 @answer jump
transfer:
  0x24 calldataload 0xa0 mstore
  caller 0xe0 mstore
  @debited @debit jump
debited:
  0xa0 mload 0x04 calldataload sload add 0x04 calldataload sstore
  0xa0 mload 0x00 mstore
  0x04 calldataload caller ${TRANSFER} 0x20 0x00 log3
  0x01 @answer jump

deposit:
  0x04 calldataload 0x80 mstore
  0x24 calldataload 0xc0 mstore
  @depositRate @readRate jump
depositRate:
  0x0120 mload iszero @firstDeposit jumpi
  0x0100 mload 0x80 mload 0x0120 mload mul div 0xa0 mstore
  @enter jump
firstDeposit:
  0x80 mload ${FIRST} mul 0xa0 mstore
enter:                                          ; takes the assets of the caller, gives the receiver shares
  0xa0 mload iszero @fail jumpi
  0x23b872dd 0xe0 shl 0x0200 mstore
  caller 0x0204 mstore
  address 0x0224 mstore
  0x80 mload 0x0244 mstore
  0x20 0x00 0x64 0x0200 0x00 ${tokens.USDC} gas call
  iszero @fail jumpi
  0xa0 mload 0xc0 mload sload add 0xc0 mload sstore
  0xa0 mload 0x00 sload add 0x00 sstore
  0xa0 mload 0x00 mstore
  0xc0 mload 0x00 ${TRANSFER} 0x20 0x00 log3
  0xa0 mload @answer jump
mint:
  0x04 calldataload 0xa0 mstore
  0x24 calldataload 0xc0 mstore
  @mintRate @readRate jump
mintRate:                                       ; rounded up: (shares * total + supply - 1) / supply
  0x0120 mload iszero @fail jumpi
  0x0120 mload 0x01 0x0120 mload 0xa0 mload 0x0100 mload mul add sub div 0x80 mstore
  @enter jump

withdraw:
  0x04 calldataload 0x80 mstore
  0x24 calldataload 0xc0 mstore
  0x44 calldataload 0xe0 mstore
  @withdrawRate @readRate jump
withdrawRate:                                   ; rounded up: (assets * supply + total - 1) / total
  0x0100 mload iszero @fail jumpi
  0x0100 mload 0x01 0x0100 mload 0x80 mload 0x0120 mload mul add sub div 0xa0 mstore
  @leave jump
redeem:
  0x04 calldataload 0xa0 mstore
  0x24 calldataload 0xc0 mstore
  0x44 calldataload 0xe0 mstore
  @redeemRate @readRate jump
redeemRate:
  @leave @assetsOfShares jump
leave:                                          ; takes the owner's shares, gives the receiver assets
  caller 0xe0 mload eq @ownLeave jumpi
  0xe0 mload caller @leaveSlot @hashPair jump
leaveSlot:
  0x0140 mload sload 0xa0 mload gt @fail jumpi
  0xa0 mload 0x0140 mload sload sub 0x0140 mload sstore
ownLeave:
  @leaveDebited @debit jump
leaveDebited:
  0xa0 mload 0x00 sload sub 0x00 sstore
  0xa9059cbb 0xe0 shl 0x0200 mstore
  0xc0 mload 0x0204 mstore
  0x80 mload 0x0224 mstore
  0x20 0x00 0x44 0x0200 0x00 ${tokens.USDC} gas call
  iszero @fail jumpi
  0xa0 mload 0x00 mstore
  0x00 0xe0 mload ${TRANSFER} 0x20 0x00 log3
  0x80 mload @answer jump

readRate:                                       ; how much there is of the asset, and of shares
  0x70a08231 0xe0 shl 0x00 mstore
  address 0x04 mstore
  0x20 0x00 0x24 0x00 ${tokens.USDC} gas staticcall
  iszero @fail jumpi
  0x00 mload 0x0100 mstore
  0x00 sload 0x0120 mstore
  jump
assetsOfShares:                                 ; rounded down: shares * total / supply
  0x0120 mload iszero @fail jumpi
  0x0120 mload 0xa0 mload 0x0100 mload mul div 0x80 mstore
  jump
debit:                                          ; takes the shares of the owner's
  0xe0 mload sload 0xa0 mload gt @fail jumpi
  0xa0 mload 0xe0 mload sload sub 0xe0 mload sstore
  jump
hashPair:                                       ; owner, spender, where to go on
  swap1 0x20 mstore
  swap1 0x00 mstore
  0x40 0x00 keccak256 0x0140 mstore
  jump
answer:
  0x00 mstore
  0x20 0x00 return
`)

const usdcAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
])
const vaultAbi = parseAbi(['function deposit(uint256 assets, address receiver)'])

/** Installs the vault at the address of Steakhouse USDC, with a deposit that has earned five per cent. */
export async function placeVault({ rpc, send }: Sender): Promise<void> {
  await rpc('anvil_setCode', [vaults.steakUSDC, vaultCode])
  await rpc('anvil_setNonce', [vaults.steakUSDC, '0x1'])
  const [deposit, earned] = [parseUnits('1000000', 6), parseUnits('50000', 6)]
  const usdc = (functionName: 'mint' | 'approve' | 'transfer', to: Address, amount: bigint) =>
    send(tokens.USDC, encodeFunctionData({ abi: usdcAbi, functionName, args: [to, amount] }))
  await usdc('mint', liquidityProvider, deposit + earned)
  await usdc('approve', vaults.steakUSDC, maxUint256)
  const args = [deposit, liquidityProvider] as const
  await send(vaults.steakUSDC, encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args }))
  await usdc('transfer', vaults.steakUSDC, earned)
}
