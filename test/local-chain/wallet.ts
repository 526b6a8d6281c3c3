import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  parseAbi,
  type TransactionReceipt,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { LocalChain } from '../../scripts/local-chain/index.ts'

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
])

/** A fresh key with viem's clients on the local chain. */
export function createWallet({ chainId, rpcUrl }: LocalChain) {
  const rpcUrls = { default: { http: [rpcUrl] } }
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = defineChain({ id: chainId, name: 'local chain', nativeCurrency, rpcUrls })
  const account = privateKeyToAccount(generatePrivateKey())
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 10 })
  const writer = createWalletClient({ chain, account, transport: http() })

  const send = async (to: Address, data: Hex, value = 0n): Promise<TransactionReceipt> => {
    // With room: in a later block than the one of the estimate a pool may write more.
    const gas = ((await reader.estimateGas({ account, to, data, value })) * 3n) / 2n
    return reader.waitForTransactionReceipt({ hash: await writer.sendTransaction({ to, data, value, gas }) })
  }
  const create = async (data: Hex): Promise<TransactionReceipt> =>
    reader.waitForTransactionReceipt({ hash: await writer.sendTransaction({ data }) })
  const balanceOf = (token: Address) =>
    reader.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [account.address] })
  return { address: account.address, account, reader, send, create, balanceOf }
}

export type Wallet = ReturnType<typeof createWallet>
