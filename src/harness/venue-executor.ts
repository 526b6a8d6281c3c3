import type { Hyperliquid } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type Approval, digestOfRequest, followOrders, readHyperliquid } from '../policy/index.ts'
import { isEvmTx, type ProposedTx } from '../schema/action.ts'
import type { Storage, StoredVenueAction, Stores } from '../storage/index.ts'
import { endOrder, followRequest } from './order-follower.ts'
import { type AdmittedAction, admitAction } from './preflight.ts'
import { type Fate, fatesOf } from './venue-answer.ts'

/** What became of an approved action at a venue. `pending`: it was sent, and what became of it is not known. */
export type VenueExecution =
  | Readonly<{ mode: 'direct'; ok: true; status: 'placed'; txHash: null; words: string }>
  | Readonly<{ mode: 'direct'; ok: true; status: 'pending'; txHash: null }>
  | Readonly<{ mode: 'direct'; ok: false; status: 'refused'; txHash: null; reason: string }>

/** What the arm for venues is built from. `signDigest` signs with the wallet's key. */
export type VenueExecutorSettings = Readonly<{
  storage: Storage
  venue?: Hyperliquid | undefined
  signDigest(digest: Hex): Promise<Hex>
  wallet: Address
  publicKey: Hex
  paused: () => Promise<boolean>
  log: Log
}>

/** Places approved actions at venues, each once. */
export type VenueExecutor = Readonly<{
  execute(approval: Approval): Promise<VenueExecution>
  /** Takes up what an earlier process left: asks the venue, and sends the same bytes where it has none of it. Signs nothing. */
  recover(): Promise<void>
}>

/** The venue takes nonces of the last two days and the next one. A day of that is left to the clocks. */
const NONCE_PAST_MS = 86_400_000
const NONCE_FUTURE_MS = 43_200_000

/** The gate's arm for orders: journal, sign, place, ask. */
export function createVenueExecutor(settings: VenueExecutorSettings): VenueExecutor {
  const { storage, venue, log } = settings
  const running = new Set<Hex>()
  return {
    async execute(approval) {
      const { requestHash } = approval
      if (venue === undefined) return refused('No venue is configured that would take the action.')
      running.add(requestHash)
      try {
        const signed = await journal(approval, settings).catch(refusalOf)
        if (signed.ok) return await place(signed.value, venue, settings)
        log.warn({ requestHash, reason: signed.reason }, 'Not placed.')
        return refused(signed.reason)
      } finally {
        running.delete(requestHash)
      }
    },
    async recover() {
      if (venue === undefined || (await settings.paused().catch(() => true))) return
      for (const action of await storage.stores.venueOrders.unsettledActions())
        if (!running.has(action.requestHash)) await reconcile(action, venue, settings)
    },
  }
}

function refused(reason: string): VenueExecution {
  return { mode: 'direct', ok: false, status: 'refused', txHash: null, reason }
}

function refusalOf(thrown: unknown): Result<never> {
  if (thrown instanceof CountersignError) return refuse(messageOf(thrown))
  throw thrown
}

/** One database transaction: the verdict is read again, its hold kept, the action signed and journaled, its orders followed. */
async function journal(approval: Approval, settings: VenueExecutorSettings): Promise<Result<StoredVenueAction>> {
  const { storage, wallet, paused } = settings
  if (await paused().catch(() => true)) return refuse('Execution is paused.')
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    if ((await stores.killSwitch.read()) !== undefined) return refuse('Execution is paused.')
    const admitted = await admitStored(approval, stores, settings)
    if (!admitted.ok) return admitted
    const { requestHash, proposedTx, transaction, verdict } = admitted.value
    const signed = await bodyOf(proposedTx, await storage.now(), settings)
    if (!signed.ok) return signed
    if (!(await stores.holds.keep(requestHash))) return refuse('The hold of the approval has ended.')
    await followOrders(stores, transaction, verdict)
    const { venue, nonce, body } = signed.value
    const action = await stores.venueOrders.insertAction({ requestHash, venue, signer: wallet, nonce, body })
    await stores.audit.append({
      kind: 'execution.signed',
      subject: requestHash,
      payload: { venue, nonce, signer: wallet },
    })
    return ok(action)
  })
}

async function admitStored(
  approval: Approval,
  { transactions, verdicts, venueOrders }: Stores,
  { storage, wallet, publicKey }: VenueExecutorSettings,
): Promise<Result<AdmittedAction>> {
  const { requestHash } = approval
  if ((await venueOrders.action(requestHash)) !== undefined) return refuse('The verdict was used already.')
  const transaction = await transactions.byRequestHash(requestHash)
  const verdict = await verdicts.byRequestHash(requestHash)
  return admitAction(approval, { transaction, verdict, now: await storage.now() }, { wallet, publicKey })
}

type Signed = Readonly<{ venue: string; nonce: number; body: string }>

/** What is sent: the stored action as it is, with a signature over its own digest. */
async function bodyOf(
  proposedTx: ProposedTx,
  now: number,
  { signDigest }: VenueExecutorSettings,
): Promise<Result<Signed>> {
  if (isEvmTx(proposedTx) || 'typedData' in proposedTx || proposedTx.protocol !== 'hyperliquid')
    return refuse(`Actions of ${proposedTx.protocol} that are signed are decided here, and not executed.`)
  const request = readHyperliquid(proposedTx)
  if (!request.ok) return request
  const { nonce } = request.value
  if (nonce < now - NONCE_PAST_MS || nonce > now + NONCE_FUTURE_MS)
    return refuse('The nonce of the action is too far from now: it must be the time in milliseconds.')
  const signature = await signDigest(digestOfRequest(request.value))
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number.parseInt(signature.slice(130), 16)]
  const { action, vaultAddress, expiresAfter } = proposedTx
  const body = { action, nonce, signature: { r, s, v }, vaultAddress, expiresAfter }
  return ok({ venue: proposedTx.protocol, nonce, body: JSON.stringify(body) })
}

async function place(
  action: StoredVenueAction,
  venue: Hyperliquid,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, log } = settings
  const { requestHash, body } = action
  await storage.stores.venueOrders.advance(requestHash, ['signed'], 'sent')
  try {
    return await settle(action, fatesOf(await venue.exchange(body)), venue, settings)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    log.warn({ requestHash, error: messageOf(thrown) }, 'What became of an action is not known; the venue is asked.')
    return reconcile(action, venue, settings)
  }
}

/**
 * An action of which nobody knows what became: the venue is asked about its orders before anything is sent again. The
 * same bytes a second time are no second order, for their nonce is used up with the first.
 */
async function reconcile(
  action: StoredVenueAction,
  venue: Hyperliquid,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, log } = settings
  const { requestHash, body } = action
  try {
    const orders = await storage.stores.venueOrders.ofRequest(requestHash)
    const asked = orders.filter(({ key }) => key !== '')
    const answers = await Promise.all(asked.map(({ account, key }) => venue.order(account, key)))
    if (answers.some(({ known }) => known)) return await settle(action, { taken: true, legs: [] }, venue, settings)
    const fates = fatesOf(await venue.exchange(body))
    // A refusal of bytes that may have arrived before says nothing of the first time.
    if (!fates.taken && action.state !== 'signed' && asked.length === 0)
      return await settle(action, { taken: true, legs: [] }, venue, settings)
    if (!fates.taken) {
      const again = await Promise.all(asked.map(({ account, key }) => venue.order(account, key)))
      if (again.some(({ known }) => known)) return await settle(action, { taken: true, legs: [] }, venue, settings)
    }
    return await settle(action, fates, venue, settings)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    log.warn({ requestHash, error: messageOf(thrown) }, 'What became of an action is still not known.')
    return { mode: 'direct', ok: true, status: 'pending', txHash: null }
  }
}

/** Writes down what the venue said, and asks how the orders stand. */
async function settle(
  { requestHash }: StoredVenueAction,
  fate: Fate,
  venue: Hyperliquid,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, wallet } = settings
  if (!fate.taken) {
    await refuseAction(requestHash, fate.reason, settings)
    return refused(`The venue refused it: ${fate.reason}`)
  }
  await storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    if (!(await stores.venueOrders.advance(requestHash, ['signed', 'sent'], 'placed'))) return
    const orders = await stores.venueOrders.ofRequest(requestHash)
    const key = orders[0]?.key
    const report = key ? { cloid: key } : { orderId: requestHash }
    await stores.transactions.move(requestHash, ['APPROVED'], 'EXECUTED', report)
    if (orders.length === 0) await stores.holds.settle(requestHash, 'posted')
    await stores.audit.append({ kind: 'execution', subject: requestHash, payload: { report } })
  })
  for (const { leg, reason } of fate.legs) await endOrder({ requestHash, leg }, `rejected: ${reason}`, false, storage)
  const orders = await followRequest(requestHash, { ...settings, venue })
  const words = orders.map(({ said, state }) => said ?? (state === 'open' ? 'taken by the venue' : 'ended'))
  const text = words.length === 0 ? 'The venue took it.' : `Placed at ${orders[0]?.venue}: ${words.join('; ')}.`
  return { mode: 'direct', ok: true, status: 'placed', txHash: null, words: text }
}

/** What the venue refused as a whole is over; its room is given back. */
async function refuseAction(requestHash: Hex, reason: string, settings: VenueExecutorSettings): Promise<void> {
  const { storage, wallet } = settings
  const orders = await storage.stores.venueOrders.ofRequest(requestHash)
  for (const { leg } of orders) await endOrder({ requestHash, leg }, `rejected: ${reason}`, false, storage)
  await storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    if (!(await stores.venueOrders.advance(requestHash, ['signed', 'sent'], 'refused', reason))) return
    await stores.holds.settle(requestHash, 'voided')
    await stores.transactions.move(requestHash, ['APPROVED'], 'FAILED')
    await stores.audit.append({ kind: 'execution.refused', subject: requestHash, payload: { reason } })
  })
}
