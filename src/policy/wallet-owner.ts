import type { Address } from '../lib/address.ts'
import { chainOf } from '../registry/index.ts'
import { hasProved, type Principal } from './principal.ts'
import type { PolicyWork } from './work.ts'

/**
 * Id of the agent that a wallet is registered to on a chain. A wallet that is nobody's there, and that the caller
 * proved to be theirs, is registered to an agent of its own: whoever holds a wallet needs nobody's leave to begin.
 */
export async function ownerOf(
  { storage, ownerOf: registeredTo }: Pick<PolicyWork, 'storage' | 'ownerOf'>,
  principal: Principal,
  wallet: Address,
  chainId: number,
): Promise<string | undefined> {
  const owner = await registeredTo(wallet, chainId)
  if (owner !== undefined || !hasProved(principal, wallet, chainId) || chainOf(chainId) === undefined) return owner
  return storage.transaction(async ({ agents, wallets, audit }) => {
    const name = `Wallet ${wallet.slice(0, 6)}…${wallet.slice(-4)}`
    const agent = await agents.ensure({ name, ethereumAddress: wallet })
    await wallets.register({ address: wallet, chainIds: [chainId], agentId: agent.id })
    const payload = { agentId: agent.id, wallet: { address: wallet, chainIds: [chainId] }, by: principal.id }
    await audit.append({ kind: 'wallet_registered', subject: wallet, payload })
    return agent.id
  })
}
