import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { silentLog } from '../src/lib/log.ts'
import { createAttestor, createPolicyService } from '../src/policy/index.ts'
import { openStorage } from '../src/storage/index.ts'
import { approvedSwap, policy, tx } from './decide.ts'
import { type Bench, duration } from './measure.ts'
import { WALLET } from './swap-of-three.ts'

const RECORDED = 100_000
const AT_ONCE = 1_000

/** A draft policy over a long history. */
export const backtesting: Bench = {
  title: 'Backtest of a draft policy',
  about: `${RECORDED.toLocaleString('en-US')} recorded swaps of three commands, each decoded again and decided anew with the rolling 24 hours rebuilt; embedded database in memory.`,
  async run() {
    const storage = await openStorage({ url: undefined })
    try {
      const attestor = createAttestor(`0x${'11'.repeat(32)}`)
      const service = createPolicyService({ storage, sources: [], log: silentLog, attestor, approvalTtlSeconds: 60 })
      const agent = await storage.stores.agents.create({ name: 'bench', ethereumAddress: WALLET })
      await storage.stores.wallets.register({ address: WALLET, chainIds: [1], agentId: agent.id })
      await record(storage, agent.id)
      const draft = { ...policy, caps: { perTxUsd: 2_500, outflow24hUsd: 1_000_000 } }
      const began = performance.now()
      const report = await service.backtest(WALLET, { policy: draft, limit: RECORDED })
      const took = performance.now() - began
      assert.deepEqual([report.evaluated, report.differences.length], [RECORDED, RECORDED])
      return [
        { what: 'all of it, every action a named difference', median: duration(took) },
        { what: 'one recorded action', median: duration(took / RECORDED) },
      ]
    } finally {
      await storage.close()
    }
  },
}

/** Approved long ago, a minute apart. */
async function record(storage: Awaited<ReturnType<typeof openStorage>>, agentId: string): Promise<void> {
  const verdict = approvedSwap()
  const first = Date.parse('2026-01-01T00:00:00.000Z')
  for (let from = 0; from < RECORDED; from += AT_ONCE)
    await storage.transaction(async ({ transactions, verdicts }) => {
      for (let i = from; i < from + AT_ONCE; i++) {
        const requestHash = `0x${i.toString(16).padStart(64, '0')}` as const
        const recorded = { ...verdict, timestamp: new Date(first + i * 60_000).toISOString() }
        await transactions.insert({
          id: `bench ${i}`,
          requestHash,
          actionHash: requestHash,
          agentId,
          wallet: WALLET,
          chainId: 1,
          proposedTx: tx,
          description: 'a swap',
          metadata: undefined,
          contextLogs: undefined,
          principal: { id: 'bench' },
        })
        await verdicts.insert({ requestHash, verdict: recorded, approvedUntil: null, receipt: null })
      }
    })
}
