import type { Agents, Auth } from '../auth/index.ts'
import type { Config } from '../config.ts'
import type { PolicyService, Principal } from '../policy/index.ts'
import type { Storage } from '../storage/index.ts'

/** Who writes what a start registers. */
const START_UP = 'start-up'

/** What the harness may do with the policy: submit and read for its own agent, nothing else. */
const SCOPES = ['verdicts:create:own', 'transactions:read:own'] as const

type Parts = Readonly<{ auth: Auth; agents: Agents; storage: Storage; policy: PolicyService }>

/**
 * Registers the harness's own agent, wallet, first policy and key where they do not exist yet (contract section 3).
 * Nothing where no wallet is configured.
 *
 * @throws CountersignError conflict where the wallet is another agent's
 */
export async function registerHarness(
  config: Config,
  { auth, agents, storage, policy }: Parts,
): Promise<Principal | undefined> {
  const { wallet, chainId } = config
  if (wallet === undefined) return undefined
  const known = await storage.stores.agents.byEthereumAddress(wallet)
  const agent = known ?? (await agents.register({ name: config.agents[0].name, ethereumAddress: wallet }, START_UP))
  if ((await storage.stores.wallets.ownerOf(wallet, chainId)) !== agent.id)
    await agents.addWallet(agent.id, { address: wallet, chainIds: [chainId] }, START_UP)
  const principal = { id: 'harness', agentId: agent.id, scopes: SCOPES }
  // Its key and its policy are with the service that decides.
  if (config.remote !== undefined) return principal
  if (config.policy && (await policy.readPolicy(wallet)) === undefined)
    await policy.writePolicy(wallet, config.policy, START_UP)
  const { serviceApiKey: key } = config
  if (key !== undefined) await auth.issueKey({ type: 'AGENT', agentId: agent.id, name: 'SERVICE_API_KEY', key })
  return principal
}
