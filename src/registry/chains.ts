/** A chain that the product knows (specification 2.16). Defined here because a full chain list costs 26 MB of memory. */
export type Chain = Readonly<{
  id: number
  name: string
  /** Symbol of the chain's own coin, which has 18 decimals on all of them. */
  native: string
  /** Address of a transaction on the chain's public explorer, without the hash. */
  explorerTx: string
  testnet: boolean
}>

export const CHAINS: readonly Chain[] = [
  { id: 1, name: 'Ethereum', native: 'ETH', explorerTx: 'https://etherscan.io/tx/', testnet: false },
  { id: 8453, name: 'Base', native: 'ETH', explorerTx: 'https://basescan.org/tx/', testnet: false },
  { id: 42161, name: 'Arbitrum One', native: 'ETH', explorerTx: 'https://arbiscan.io/tx/', testnet: false },
  { id: 137, name: 'Polygon', native: 'POL', explorerTx: 'https://polygonscan.com/tx/', testnet: false },
  { id: 999, name: 'HyperEVM', native: 'HYPE', explorerTx: 'https://hyperevmscan.io/tx/', testnet: false },
  { id: 11155111, name: 'Sepolia', native: 'ETH', explorerTx: 'https://sepolia.etherscan.io/tx/', testnet: true },
]

/** The chain of an id, if the product knows it. */
export function chainOf(id: number): Chain | undefined {
  return CHAINS.find((chain) => chain.id === id)
}
