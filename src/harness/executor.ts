import { type ChainClient, type Chains, type FeeCaps, type Fees, feeCapsOf } from '../chain/index.ts'
import type { Signer } from '../chain/signer.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { Approval, Claim } from '../policy/index.ts'
import type { Execution, Storage, Stores } from '../storage/index.ts'
import { createBroadcaster, type Ending, type Patience } from './broadcaster.ts'
import type { Withdrawn } from './clearance.ts'
import { type Admitted, admit, covered, feesFor, refusalOf } from './preflight.ts'

/**
 * What became of an approved action in direct mode. `pending`: signed, and not known to be mined yet. `refused`:
 * nothing was signed for this call; a hash names the transaction that the verdict was used for before.
 */
export type DirectExecution =
  | Readonly<{ mode: 'direct'; ok: true; status: 'mined' | 'pending'; txHash: Hex; words?: string }>
  | Readonly<{ mode: 'direct'; ok: false; status: 'reverted' | 'dropped'; txHash: Hex; reason: string }>
  | Readonly<{ mode: 'direct'; ok: false; status: 'refused'; txHash: Hex | null; reason: string }>

/** What the executor is built from. */
export type ExecutorSettings = Readonly<{
  chains: Chains
  storage: Storage
  signer: Signer
  wallet: Address
  /** The key that receipts of approvals are signed with. */
  publicKey: Hex
  /** Whether nothing may be sent now. An answer that fails counts as yes. */
  paused: () => Promise<boolean>
  log: Log
  /** Lower or higher caps than the chains' own. */
  caps?: Partial<FeeCaps> | undefined
  patience?: Partial<Patience> | undefined
  /** Where another process decided: it hears of each use before the bytes leave. */
  claim?: Claim | undefined
}>

/** Executes approved actions, each once. */
export type Executor = Readonly<{
  execute(approval: Approval): Promise<DirectExecution>
  /** Takes up what an earlier process left: looks it up, or sends the same bytes again. Signs nothing. */
  recover(): Promise<void>
  /** Stops waiting for receipts. What is unfinished stays in the journal. */
  stop(): void
}>

const UNSENT =
  'An earlier transaction waits until the policy service has taken its report; nothing is signed before it.'
const PAUSED = 'Execution is paused: nothing is signed until an owner lifts it with /resume.'

/** The gate's arm and the one caller of the signer. */
export function createExecutor(settings: ExecutorSettings): Executor {
  const { storage, log } = settings
  const broadcaster = createBroadcaster(settings)
  const lane = createLanes()

  return {
    async execute(approval) {
      const { requestHash } = approval
      const signed = await lane(String(approval.tx.chainId), async () => {
        const result = await journal(approval, settings).catch(refusalOf)
        if (!result.ok) return result
        // Within the lane, so that nonces reach the node in their order.
        const withdrawn = await broadcaster.send(result.value)
        return withdrawn ? refuse(withdrawn.withdrawn) : result
      })
      if (signed.ok) return ended(signed.value, await broadcaster.follow(signed.value), settings)
      log.warn({ requestHash, reason: signed.reason }, 'Not executed.')
      const earlier = await storage.stores.executions.byRequestHash(requestHash)
      return { mode: 'direct', ok: false, status: 'refused', txHash: earlier?.txHash ?? null, reason: signed.reason }
    },
    recover: broadcaster.recover,
    stop: broadcaster.stop,
  }
}

const HELD = 'signed, and not sent before the policy service has taken the report; it goes out then'

async function ended(
  { txHash, requestHash }: Execution,
  ending: Ending | Withdrawn | 'pending',
  { storage, claim }: ExecutorSettings,
): Promise<DirectExecution> {
  if (typeof ending === 'object')
    return { mode: 'direct', ok: false, status: 'refused', txHash: null, reason: ending.withdrawn }
  switch (ending) {
    case 'mined':
      return { mode: 'direct', ok: true, status: ending, txHash }
    case 'pending': {
      const isHeld = claim && (await storage.stores.executions.byRequestHash(requestHash))?.state === 'signed'
      return { mode: 'direct', ok: true, status: ending, txHash, ...(isHeld && { words: HELD }) }
    }
    case 'reverted':
      return { mode: 'direct', ok: false, status: ending, txHash, reason: 'The transaction was mined and reverted.' }
    case 'dropped':
      return { mode: 'direct', ok: false, status: ending, txHash, reason: 'Its nonce was used by another transaction.' }
  }
}

/** One writer a chain: what comes meanwhile waits, and what fails holds up nobody. */
function createLanes(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work)
    last.set(name, mine)
    return mine
  }
}

/** Everything up to the journal row: from there on its bytes may be sent, and no others for this verdict. */
async function journal(approval: Approval, settings: ExecutorSettings): Promise<Result<Execution>> {
  const { chains, storage, signer, wallet, paused, caps } = settings
  if (signer.address !== wallet) return refuse('The key does not control the wallet.')
  if (await paused().catch(() => true)) return refuse(PAUSED)
  const admitted = await admitStored(approval, storage.stores, settings)
  if (!admitted.ok) return admitted
  const { chainId, call, requestHash } = admitted.value
  const chain = chains.of(chainId)
  if (chain === undefined) return refuse(`No RPC is configured for chain ${chainId}.`)
  const harmless = await simulate(chain, admitted.value)
  if (!harmless.ok) return fail(requestHash, harmless.reason, settings)
  const fees = await feesFor(chain, call, { ...feeCapsOf(chainId), ...caps })
  if (!fees.ok) return fees
  return sign(approval, fees.value, await chain.transactionCount(wallet, 'pending'), settings)
}

/** Admission by what the store holds at this moment. A verdict that was used is used up. */
async function admitStored(
  approval: Approval,
  { transactions, verdicts, executions }: Stores,
  { storage, wallet, publicKey }: ExecutorSettings,
): Promise<Result<Admitted>> {
  const { requestHash } = approval
  if ((await executions.byRequestHash(requestHash)) !== undefined) return refuse('The verdict was used already.')
  const transaction = await transactions.byRequestHash(requestHash)
  const verdict = await verdicts.byRequestHash(requestHash)
  return admit(approval, { transaction, verdict, now: await storage.now() }, { wallet, publicKey })
}

async function simulate(chain: ChainClient, { call, legs }: Admitted): Promise<Result<true>> {
  const simulation = await chain.simulate(call)
  if (!simulation.ok) return simulation
  return simulation.assetChanges === null ? ok(true) : covered(simulation.assetChanges, legs, call.from)
}

/** Its nonce comes first, and is free again should it be withdrawn. */
async function isOneUnsent({ executions }: Stores, chainId: number): Promise<boolean> {
  const unfinished = await executions.unfinished()
  return unfinished.some((one) => one.chainId === chainId && one.state === 'signed')
}

/** An action that would revert, or take more than was approved, is over before it was signed. Its room is given back. */
async function fail(requestHash: Hex, reason: string, { storage, wallet }: ExecutorSettings): Promise<Result<never>> {
  await storage.transaction(async ({ wallets, executions, transactions, holds, audit }) => {
    await wallets.lock(wallet)
    if ((await executions.byRequestHash(requestHash)) !== undefined) return
    // The hold first, as everywhere: whoever ends it has won, and the others find it ended.
    if (!(await holds.settle(requestHash, 'voided'))) return
    await transactions.move(requestHash, ['APPROVED'], 'FAILED')
    await audit.append({ kind: 'execution.refused', subject: requestHash, payload: { reason } })
  })
  return refuse(reason)
}

/**
 * One database transaction: the verdict is read again under the wallet's lock, its hold kept, a nonce taken, the bytes
 * signed and journaled. Either all of it is there before the bytes leave, or none.
 */
async function sign(
  approval: Approval,
  fees: Fees,
  chainNonce: number,
  settings: ExecutorSettings,
): Promise<Result<Execution>> {
  const { storage, signer, wallet } = settings
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    // Read here, where the approval is used up: whoever throws the switch waits for this, or this for them.
    if ((await stores.killSwitch.read()) !== undefined) return refuse(PAUSED)
    const admitted = await admitStored(approval, stores, settings)
    if (!admitted.ok) return admitted
    const { requestHash, chainId, call, nonce: named } = admitted.value
    if (settings.claim && (await isOneUnsent(stores, chainId))) return refuse(UNSENT)
    if (!(await stores.holds.keep(requestHash))) return refuse('The hold of the approval has ended.')
    const nonce = await stores.executions.nextNonce({ chainId, address: wallet, chainNonce })
    // Thrown, so that neither the nonce nor the hold stays taken.
    if (named !== undefined && named !== nonce)
      throw new CountersignError('conflict', `The action names nonce ${named}, and the next one is ${nonce}.`)
    const { raw, hash } = await signer.sign({
      chainId,
      nonce,
      to: call.to,
      data: call.data,
      value: call.value,
      ...fees,
    })
    const row = { requestHash, chainId, address: wallet, nonce, rawTx: raw, txHash: hash }
    const execution = await stores.executions.insert(row)
    const payload = { chainId, address: wallet, nonce, txHash: hash }
    await stores.audit.append({ kind: 'execution.signed', subject: requestHash, payload })
    return ok(execution)
  })
}
