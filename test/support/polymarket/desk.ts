// The service, the gate and the tools beside a stand-in of Polymarket, for tests of orders from the words to the fill.
import { createChains } from '../../../src/chain/index.ts'
import type { Signer } from '../../../src/chain/signer.ts'
import { ConfigFile } from '../../../src/config-file.ts'
import { createGate } from '../../../src/harness/gate.ts'
import { followDue } from '../../../src/harness/order-follower.ts'
import type { Tool, ToolContext } from '../../../src/harness/tool.ts'
import type { Hex } from '../../../src/lib/hash.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { AnySource } from '../../../src/policy/index.ts'
import { predictionReader, predictionsOf } from '../../../src/process/polymarket.ts'
import type { ProposedTx } from '../../../src/schema/action.ts'
import type { Policy } from '../../../src/schema/policy.ts'
import { standInContext } from '../../harness/stand-in-reader.ts'
import { startService } from '../app.ts'
import { attestor } from '../attestor.ts'
import type { StandInExchange } from './exchange.ts'

/** Settings of the product with the stand-in in the venue's place. */
export function configFor({ url }: Pick<StandInExchange, 'url'>, account?: object) {
  const polymarket = { url, marketsUrl: url, dataUrl: url, ...(account && { account }) }
  return { sources: ConfigFile.parse({ sources: { polymarket } }).sources }
}

/** What no venue says: nobody is sanctioned, and tokens have no part in it. */
const elsewhere: readonly AnySource[] = [
  { id: 'tokens', fact: 'tokens', timeoutMs: 1_000, ask: async () => ({ value: {}, observedAt: new Date() }) },
  { id: 'prices', fact: 'prices', timeoutMs: 1_000, ask: async () => ({ value: {}, observedAt: new Date() }) },
  {
    id: 'sanctions',
    fact: 'sanctions',
    timeoutMs: 1_000,
    ask: async ({ addresses }) => ({ value: { screened: addresses, hits: [] }, observedAt: new Date() }),
  },
]

/** A desk of one wallet. `account` is the contract that it trades for, where it does not trade for itself. */
export async function openDesk(exchange: StandInExchange, signer: Signer, policy: Policy, account?: object) {
  const config = configFor(exchange, account)
  const predictions = predictionsOf(config, signer)
  const service = await startService({ sources: [...elsewhere, ...predictions.sources] })
  const { storage } = service
  const principal = await service.agentOf(signer.address, [137], policy)
  const venues = predictions.orderVenues
  const { publicKey } = attestor
  const chains = createChains([])
  const shared = { chains, storage, signer, publicKey, wallet: signer.address, log: silentLog }
  const gate = createGate({ mode: 'direct', ...shared, venues })
  const reader = predictionReader(predictions, config, signer.address, async () => policy)

  async function decide(proposedTx: ProposedTx) {
    const request = { escrowAddress: signer.address, prompt: 'An order.', proposedTx }
    const { record, decided } = await service.policy.submit(principal, request)
    const { verdict, approval } = await decided
    return { requestHash: record.requestHash as Hex, verdict, approval }
  }

  return {
    storage,
    service,
    principal,
    gate,
    predictions,
    decide,
    /** What a tool proposes in its one step, or why it does not. */
    async propose(tool: Tool, args: unknown): Promise<ProposedTx | string> {
      const context: ToolContext = {
        chainId: 137,
        wallet: signer.address,
        reader: { ...standInContext({ chainId: 137 }).reader, predictions: reader },
        slippageBps: 50,
        now: () => new Date(),
      }
      if (tool.kind !== 'action') throw new Error(`${tool.name} proposes nothing.`)
      const proposed = await tool.propose(args, context)
      return proposed.ok ? (proposed.value.steps.at(-1)?.tx ?? 'nothing') : proposed.reason
    },
    async place(proposedTx: ProposedTx) {
      const decided = await decide(proposedTx)
      if (decided.approval === undefined) throw new Error(decided.verdict.humanReason)
      return { ...decided, execution: await gate.execute(decided.approval) }
    },
    held: async () => storage.stores.holds.outflowSince(signer.address, (await storage.now()) - 86_400_000),
    statusOf: async (requestHash: Hex) => (await storage.stores.transactions.byRequestHash(requestHash))?.status,
    follow: () => followDue({ storage, venues, log: silentLog, everyMs: -1 }),
    anotherGate: (at = venues) => createGate({ mode: 'direct', ...shared, venues: at }),
    close: () => storage.close(),
  }
}
