import type { Address } from '../../src/lib/address.ts'
import { canonicalJson } from '../../src/lib/canonical-json.ts'
import { type Hex, keccak256 } from '../../src/lib/hash.ts'
import { createAttestor } from '../../src/policy/attestor.ts'
import type { Approval } from '../../src/policy/index.ts'
import { receiptOf } from '../../src/policy/receipt.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import { CHECK_IDS } from '../../src/schema/check.ts'
import type { DecodedLeg } from '../../src/schema/decoded-action.ts'
import type { SignedReceipt } from '../../src/schema/receipt.ts'
import { Verdict } from '../../src/schema/verdict.ts'
import type { Storage } from '../../src/storage/index.ts'
import { attestor } from './attestor.ts'

/** What is stored of an action that was approved; each part can be made wrong. */
export type ApprovedAction = Readonly<{
  wallet: Address
  tx: EvmTx
  /** What the verdict says that the wallet spends. */
  spends?: readonly Readonly<{ asset: string; amount: bigint }>[]
  /** The bytes that the store holds, where they are not the approved ones. */
  stored?: EvmTx
  storedWallet?: Address
  storedActionHash?: Hex
  verdict?: 'approved' | 'rejected' | 'none'
  /** What the verdict says that it is about. */
  verdictActionHash?: Hex
  status?: 'APPROVED' | 'CANCELLED' | 'REJECTED' | 'PENDING'
  /** Ms from now. */
  approvedFor?: number
  hold?: 'held' | 'voided'
  /** What is wrong with the receipt beside the verdict. */
  receipt?: 'missing' | 'of another key' | 'of another verdict'
}>

/** Registers the wallet that acts. */
export async function registerWallet(storage: Storage, address: Address, chainIds: readonly number[]): Promise<string> {
  const agent = await storage.stores.agents.create({ name: 'harness', ethereumAddress: address })
  await storage.stores.wallets.register({ address, chainIds, agentId: agent.id })
  return agent.id
}

/** Puts an approved action into the store, as the policy service leaves it, and gives the approval of it. */
export async function approvedAction(storage: Storage, agentId: string, action: ApprovedAction): Promise<Approval> {
  const { wallet, tx, status = 'APPROVED', approvedFor = 60_000 } = action
  const { transactions, verdicts, holds } = storage.stores
  const id = crypto.randomUUID()
  const actionHash = hashOf(tx)
  const requestHash = hashOf({ id, escrowAddress: wallet, proposedTx: tx })
  const proposedTx = action.stored ?? tx
  await transactions.insert({
    id,
    requestHash,
    actionHash: action.storedActionHash ?? actionHash,
    agentId,
    wallet: action.storedWallet ?? wallet,
    chainId: proposedTx.chainId,
    proposedTx,
    description: 'a test',
    metadata: undefined,
    contextLogs: undefined,
    principal: { type: 'agent' },
  })
  const approvedUntil = (await storage.now()) + approvedFor
  if (action.verdict !== 'none') {
    const verdict = verdictOf({ ...action, actionHash: action.verdictActionHash ?? actionHash })
    const until = action.verdict === 'rejected' ? null : approvedUntil
    const { chainId } = proposedTx
    const decided = { requestHash, actionHash, wallet, chainId, verdict, approvedUntil: until }
    const receipt = receiptFor(action.receipt, decided)
    await verdicts.insert({ requestHash, verdict, approvedUntil: until, receipt })
  }
  await holds.take({ requestHash, wallet, microUsd: 5_000_000n, expiresAt: approvedUntil })
  if (action.hold === 'voided') await holds.settle(requestHash, 'voided')
  if (status !== 'PENDING') await transactions.move(requestHash, ['PENDING'], status)
  return forgedApproval({ requestHash, actionHash, wallet, tx, expiresAt: new Date(approvedUntil) })
}

function receiptFor(wrong: ApprovedAction['receipt'], decided: Parameters<typeof receiptOf>[0]): SignedReceipt | null {
  if (wrong === 'missing') return null
  if (wrong === 'of another key') return createAttestor(`0x${'66'.repeat(32)}`).sign(receiptOf(decided))
  const { verdict } = decided
  return attestor.sign(
    receiptOf(wrong === undefined ? decided : { ...decided, verdict: { ...verdict, humanReason: 'another' } }),
  )
}

/** What only the policy can make, made by force: the executor must hold against it. */
export function forgedApproval(
  fields: Pick<Approval, 'requestHash' | 'actionHash' | 'wallet' | 'tx' | 'expiresAt'>,
): Approval {
  const action = { protocol: '', chainId: fields.tx.chainId, legs: [] }
  return { ...fields, action } as object as Approval
}

export function hashOf(value: unknown): Hex {
  return keccak256(canonicalJson(value))
}

function verdictOf({
  wallet,
  tx,
  spends = [],
  verdict,
  actionHash,
}: ApprovedAction & Readonly<{ actionHash: Hex }>): Verdict {
  const leg: DecodedLeg = {
    protocol: tx.protocol,
    chainId: tx.chainId,
    kind: 'transfer',
    spends: spends.map(({ asset, amount }) => ({ asset, amount: String(amount), bound: 'exact', party: wallet })),
    receives: [],
    grants: [],
    deadline: null,
  }
  const passed = { status: 'passed', code: null, humanReason: 'fine', triggeringPolicyField: null } as const
  return Verdict.parse({
    schemaVersion: 1,
    outcome: verdict === 'rejected' ? 'rejected' : 'approved',
    reasonCode: verdict === 'rejected' ? 'decode_failure' : 'allowed',
    humanReason: 'so',
    triggeringPolicyField: null,
    checks: CHECK_IDS.map((checkId) => ({ checkId, ...passed })),
    evidence: {
      decodedAction: { protocol: tx.protocol, chainId: tx.chainId },
      decodedActions: [leg],
      observations: { actionHash },
      sources: [],
    },
    policyVersion: 1,
    latencyMs: 1,
    dataFreshness: { overall: 'fresh', sources: [] },
    trust: { level: 'high', notes: null },
    redaction: { redacted: false, fields: [] },
    usdNotional: 5,
    timestamp: '2026-11-21T00:00:00.000Z',
  })
}
