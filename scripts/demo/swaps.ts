import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../local-chain/index.ts'
import { conversation } from './conversation.ts'
import { demoPolicy } from './policy.ts'
import type { Opened, World } from './world.ts'

/** A local chain with the venues' real contracts, and a wallet with money on it. */
export async function swapsWorld({ opened, progress }: Opened): Promise<World> {
  progress('starting a local chain')
  const chain = await startLocalChain({ blockTime: 12, onProgress: progress })
  opened.push(() => chain.stop())
  const privateKey = generatePrivateKey()
  const wallet = privateKeyToAddress(privateKey)
  progress('funding a wallet')
  await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: 10_000_000_000n } })
  return {
    conversation,
    env: { PRIVATE_KEY: privateKey, WALLET_ADDRESS: wallet, RPC_URL: chain.rpcUrl },
    file: { chain: { id: 1, name: 'Local chain' }, policy: demoPolicy },
    ending: () => balancesText(chain, wallet),
  }
}

async function balancesText(chain: LocalChain, wallet: string): Promise<string> {
  const data = `0x70a08231${wallet.slice(2).toLowerCase().padStart(64, '0')}`
  const read = async (to: string) => BigInt(String(await chain.request('eth_call', [{ to, data }, 'latest'])))
  const [usdc, weth] = await Promise.all([read(chain.addresses.tokens.USDC), read(chain.addresses.tokens.WETH)])
  return `\nOn the chain now: ${Number(usdc) / 1e6} USDC and ${Number(weth) / 1e18} WETH; at the start it was 10000 USDC and none.`
}
