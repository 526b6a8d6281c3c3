// Real policy, store, gate, executor and signer, over a node of our own and facts that a test can move. The model is played.
import assert from 'node:assert/strict'
import { generatePrivateKey } from 'viem/accounts'
import { createChains } from '../../src/chain/index.ts'
import { createSigner } from '../../src/chain/signer.ts'
import type { Outbound } from '../../src/harness/channel.ts'
import { createGate, type Gate } from '../../src/harness/gate.ts'
import type { ToolCall } from '../../src/harness/provider.ts'
import { type RunToolSettings, runTool } from '../../src/harness/run-tool.ts'
import { noSkills } from '../../src/harness/skills.ts'
import { tools } from '../../src/harness/tools/index.ts'
import type { Trading } from '../../src/harness/trading.ts'
import { toAddress } from '../../src/lib/address.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Asset } from '../../src/policy/decoded-action.ts'
import { type AnySource, createPolicyService, type PolicyService } from '../../src/policy/index.ts'
import { tokenAt } from '../../src/registry/index.ts'
import { isEvmTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { openStorage } from '../../src/storage/index.ts'
import { QUOTE, standInContext } from '../harness/stand-in-reader.ts'
import { FRIEND, STRANGER } from './actions.ts'
import { registerWallet } from './approved-action.ts'
import { attestor } from './attestor.ts'
import { startRpcStandIn } from './rpc-stand-in.ts'

export const CAP_USD = 300
export const OPEN_POLICY: Policy = {
  recipients: { allow: [FRIEND] },
  slippage: { maxBps: 500 },
  caps: { perTxUsd: 100, outflow24hUsd: CAP_USD },
}

/** Facts about whatever is asked, at prices that a test moves. */
function movingSources(price: { weth: number }): readonly AnySource[] {
  const now = () => new Date()
  const identity = (asset: Asset) => {
    if (asset === 'native') return { symbol: 'ETH', decimals: 18, listed: true, stable: false }
    const token = tokenAt(1, asset)
    return token ? { symbol: token.symbol, decimals: token.decimals, listed: true, stable: token.stable } : null
  }
  const usd = (asset: Asset) => {
    const known = identity(asset)
    const dollars = known?.stable ? 1 : known?.symbol === 'ETH' || known?.symbol === 'WETH' ? price.weth : undefined
    if (dollars === undefined) return null
    return { usdE8: String(Math.round(dollars * 1e8)), source: 'a feed', updatedAt: now().toISOString() }
  }
  const table = <T>(assets: readonly Asset[], of: (asset: Asset) => T) =>
    Object.fromEntries(assets.map((asset) => [asset, of(asset)])) as Partial<Record<Asset, T>>
  return [
    {
      id: 'tokens',
      fact: 'tokens',
      timeoutMs: 1_000,
      ask: async ({ assets }) => ({ value: table(assets, identity), observedAt: now() }),
    },
    {
      id: 'prices',
      fact: 'prices',
      timeoutMs: 1_000,
      ask: async ({ assets }) => ({ value: table(assets, usd), observedAt: now() }),
    },
    {
      id: 'sanctions',
      fact: 'sanctions',
      timeoutMs: 1_000,
      ask: async ({ addresses }) => ({ value: { screened: addresses, hits: [] }, observedAt: now() }),
    },
    {
      id: 'positions',
      fact: 'positions',
      timeoutMs: 1_000,
      ask: async () => ({ value: { accounts: [] }, observedAt: now() }),
    },
  ]
}

/** A world in which a wallet has a policy, and anything can be asked for. */
export async function attackWorld(mode: 'direct' | 'dry-run' = 'direct') {
  const rpc = await startRpcStandIn()
  const storage = await openStorage({ url: undefined })
  const signer = createSigner(generatePrivateKey())
  const wallet = signer.address
  const chains = createChains([{ id: 1, name: 'stand-in', rpcUrl: rpc.url }], { timeoutMs: 5_000 })
  const agentId = await registerWallet(storage, wallet, [1])
  const principal = { id: 'harness', agentId, scopes: ['verdicts:create:own', 'transactions:read:own'] }
  const price = { weth: 3_000 }
  const sources = movingSources(price)
  const paused = { now: false }

  /** The processes' parts, anew over the same store. */
  function start(): Readonly<{ policy: PolicyService; gate: Gate; trading: Trading }> {
    const policy = createPolicyService({ storage, sources, log: silentLog, attestor, approvalTtlSeconds: 60 })
    const shared = { chains, wallet, log: silentLog }
    const gate =
      mode === 'dry-run'
        ? createGate({ mode, ...shared })
        : createGate({
            mode,
            ...shared,
            storage,
            signer,
            publicKey: attestor.publicKey,
            paused: async () => paused.now,
            patience: { firstMs: 1, longestMs: 5, totalMs: 2_000 },
          })
    const { reader } = standInContext({ quote: { ...QUOTE, amountOut: 33_000_000_000_000_000n } })
    return {
      policy,
      gate,
      trading: { wallet, chainId: 1, reader, policy, principal, gate, slippageBps: async () => 50 },
    }
  }

  const first = start()
  await first.policy.writePolicy(wallet, OPEN_POLICY, 'test')
  const world = {
    ...first,
    rpc,
    storage,
    wallet,
    principal,
    price,
    paused,
    restart() {
      world.gate.stop()
      Object.assign(world, start())
    },
    /** One tool call as a turn runs it; what the chat was shown. */
    async run(call: ToolCall): Promise<Readonly<{ told: string; out: readonly Outbound[] }>> {
      const out: Outbound[] = []
      const settings: RunToolSettings = {
        tools,
        trading: world.trading,
        mode,
        log: silentLog,
        own: { memory: undefined, skills: noSkills, shell: undefined },
        now: () => new Date(),
        emit: async (message) => void out.push(message),
      }
      const { result } = await runTool(call, settings, new AbortController().signal)
      return { told: result, out }
    },
    async close() {
      world.gate.stop()
      await storage.close()
      await rpc.stop()
    },
  }
  return world
}

export type AttackWorld = Awaited<ReturnType<typeof attackWorld>>

/**
 * The one invariant: each transaction that left is the only execution of an approved verdict for exactly its bytes, of this
 * wallet; nothing went to the stranger, and never more than the cap. Returns how many left, and how many were decided.
 */
export async function assertInvariant({ rpc, storage, wallet }: AttackWorld, capUsd = CAP_USD) {
  const sent = new Map(rpc.sent.map((one) => [one.hash, one]))
  const used = new Set<string>()
  const decided = { approved: 0, rejected: 0, others: 0 }
  let cursor: string | undefined
  do {
    const page = await storage.stores.transactions.list({ limit: 100, ...(cursor !== undefined && { cursor }) })
    for (const { requestHash, proposedTx, wallet: whose } of page.items) {
      const verdict = await storage.stores.verdicts.byRequestHash(requestHash)
      const outcome = verdict?.verdict.outcome
      decided[outcome === 'approved' || outcome === 'rejected' ? outcome : 'others'] += 1
      const execution = await storage.stores.executions.byRequestHash(requestHash)
      if (!execution) continue
      const one = sent.get(execution.txHash)
      assert.ok(one || execution.state === 'signed', 'what was signed and not sent is only journalled')
      if (!one) continue
      used.add(one.hash)
      assert.equal(outcome, 'approved')
      assert.ok(isEvmTx(proposedTx))
      assert.deepEqual([whose, one.from, one.tx.chainId], [wallet, wallet, 1])
      assert.deepEqual(
        [toAddress(one.tx.to ?? ''), one.tx.data ?? '0x', one.tx.value ?? 0n],
        [toAddress(proposedTx.to), proposedTx.data.toLowerCase(), BigInt(proposedTx.value)],
      )
      // A right may be taken away from the stranger; nothing else may name it.
      const revokes = /^0x095ea7b3.{64}0{64}$/.test(proposedTx.data)
      assert.ok(revokes || !one.raw.includes(STRANGER.slice(2)), `nothing is for the stranger: ${one.raw}`)
    }
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  assert.equal(used.size, sent.size, 'every transaction has a verdict of its own')
  const outflow = await storage.stores.holds.outflowSince(wallet, 0)
  assert.ok(outflow <= BigInt(capUsd) * 1_000_000n, `${outflow} micro-USD`)
  return { sent: sent.size, ...decided }
}
