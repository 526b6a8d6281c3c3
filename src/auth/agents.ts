import { CountersignError } from '../lib/errors.ts'
import type { Agent, NewAgent, Wallet } from '../schema/agent.ts'
import { DEFAULT_PAGE_SIZE, type PageQuery } from '../schema/page.ts'
import type { Agent as AgentRow, Page, Storage, Stores } from '../storage/index.ts'

/** Who may submit, and with which wallets (contract section 3). `by` is the id of the key that asks, for the audit log. */
export type Agents = Readonly<{
  /** @throws CountersignError `conflict` where the address is another agent's, or a wallet is */
  register(agent: NewAgent, by: string): Promise<Agent>
  /** Newest first. */
  list(page: PageQuery): Promise<Page<Agent>>
  /** @throws CountersignError `not_found` */
  read(id: string): Promise<Agent>
  /**
   * Registers a wallet for more chains. The same again changes nothing.
   *
   * @returns the wallet with all its chains
   * @throws CountersignError `not_found`, or `conflict` where another agent has the wallet on one of the chains
   */
  addWallet(agentId: string, wallet: Wallet, by: string): Promise<Wallet>
}>

/** Builds the register of agents over a store. */
export function createAgents({ storage }: Readonly<{ storage: Storage }>): Agents {
  return {
    register: ({ wallets = [], ...identity }, by) =>
      storage.transaction(async (stores) => {
        if ((await stores.agents.byEthereumAddress(identity.ethereumAddress)) !== undefined)
          throw new CountersignError('conflict', `An agent with the address ${identity.ethereumAddress} is registered.`)
        const row = await stores.agents.create(identity)
        for (const wallet of wallets) await stores.wallets.register({ ...wallet, agentId: row.id })
        const agent = await withWallets(row, stores)
        await stores.audit.append({ kind: 'agent_registered', subject: agent.id, payload: { agent, by } })
        return agent
      }),

    async list({ limit = DEFAULT_PAGE_SIZE, cursor }) {
      const { items, nextCursor } = await storage.stores.agents.list({ limit, cursor })
      return { items: await Promise.all(items.map((row) => withWallets(row, storage.stores))), nextCursor }
    },

    read: async (id) => withWallets(await existing(id, storage.stores), storage.stores),

    addWallet: (agentId, wallet, by) =>
      storage.transaction(async (stores) => {
        await existing(agentId, stores)
        await stores.wallets.register({ ...wallet, agentId })
        const all = await stores.wallets.ofAgent(agentId)
        await stores.audit.append({
          kind: 'wallet_registered',
          subject: wallet.address,
          payload: { agentId, wallet, by },
        })
        return all.find(({ address }) => address === wallet.address) ?? wallet
      }),
  }
}

async function existing(id: string, stores: Stores): Promise<AgentRow> {
  const row = await stores.agents.get(id)
  if (row === undefined) throw new CountersignError('not_found', 'No agent has this id.')
  return row
}

async function withWallets({ createdAt, ...row }: AgentRow, stores: Stores): Promise<Agent> {
  return { ...row, wallets: await stores.wallets.ofAgent(row.id), createdAt: new Date(createdAt).toISOString() }
}
