import { randomBytes } from 'node:crypto'
import type { Address } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { CHECK_IDS } from '../../src/schema/check.ts'
import { Verdict } from '../../src/schema/verdict.ts'
import type { NewTransaction, Storage, StoredTransaction } from '../../src/storage/index.ts'

export function randomHex(bytes: number): Hex {
  return `0x${randomBytes(bytes).toString('hex')}`
}

export function randomAddress(): Address {
  return randomHex(20) as Address
}

/** An agent with one wallet on Base. */
export async function newAgent(storage: Storage): Promise<Readonly<{ agentId: string; wallet: Address }>> {
  const agent = await storage.stores.agents.create({ name: 'Trader', ethereumAddress: randomAddress() })
  const wallet = randomAddress()
  await storage.stores.wallets.register({ address: wallet, chainIds: [8453], agentId: agent.id })
  return { agentId: agent.id, wallet }
}

/** A submission that no other has the hashes of. */
export function transactionOf(agentId: string, wallet: Address, change: Partial<NewTransaction> = {}): NewTransaction {
  return {
    id: crypto.randomUUID(),
    requestHash: randomHex(32),
    actionHash: randomHex(32),
    agentId,
    wallet,
    chainId: 8453,
    proposedTx: { protocol: 'uniswap', chainId: 8453, to: randomAddress(), data: '0x', value: '0x00' },
    description: 'Swap 1 ETH to USDC',
    metadata: undefined,
    contextLogs: undefined,
    principal: { keyId: 'key', type: 'AGENT', agentId },
    ...change,
  }
}

/** A stored submission of an agent of its own. */
export async function newTransaction(storage: Storage): Promise<StoredTransaction> {
  const { agentId, wallet } = await newAgent(storage)
  return storage.stores.transactions.insert(transactionOf(agentId, wallet))
}

/** A verdict that keeps the rules of its schema. */
export function verdictOf(outcome: Verdict['outcome']): Verdict {
  const failed = { checkId: 'venue', status: 'failed', code: 'venue_not_allowed' } as const
  const checks = CHECK_IDS.map((checkId) => ({
    checkId,
    status: 'passed' as const,
    code: null,
    humanReason: 'Within the policy.',
    triggeringPolicyField: null,
    ...(outcome === 'rejected' && checkId === 'venue' && failed),
  }))
  const reasonCode = { approved: 'allowed', pending: 'pending', rejected: 'venue_not_allowed' } as const
  return Verdict.parse({
    schemaVersion: 1,
    outcome,
    reasonCode: reasonCode[outcome],
    humanReason: 'Because.',
    triggeringPolicyField: null,
    checks,
    evidence: { decodedAction: { protocol: 'uniswap', chainId: 8453 }, observations: {}, sources: [] },
    policyVersion: 1,
    latencyMs: 3,
    dataFreshness: { overall: 'fresh', sources: [] },
    trust: { level: 'high', notes: null },
    redaction: { redacted: false, fields: [] },
    usdNotional: 1240.5,
    timestamp: '2026-11-21T00:00:00.000Z',
  })
}
