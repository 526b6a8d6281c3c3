import { randomUUID } from 'node:crypto'
import type { Hyperliquid } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type Approval, type Claim, followOrders } from '../policy/index.ts'
import { isEvmTx, type ProposedTx } from '../schema/action.ts'
import type { Storage, StoredVenueAction, Stores } from '../storage/index.ts'
import { endOrder, followRequest } from './order-follower.ts'
import type { Fate, OrderVenue, SignedAction } from './order-venue.ts'
import { hyperliquid } from './order-venues/hyperliquid.ts'
import { type AdmittedAction, admitAction, refusalOf } from './preflight.ts'

/** What became of an approved action at a venue. `pending`: it was sent, and what became of it is not known. */
export type VenueExecution =
  | Readonly<{ mode: 'direct'; ok: true; status: 'placed'; txHash: null; words: string }>
  | Readonly<{ mode: 'direct'; ok: true; status: 'pending'; txHash: null; words?: string }>
  | Readonly<{ mode: 'direct'; ok: false; status: 'refused'; txHash: null; reason: string }>

/** What the arm for venues is built from: Hyperliquid, and all others. `signDigest` signs with the wallet's key. */
export type VenueExecutorSettings = Readonly<{
  storage: Storage
  venue?: Hyperliquid | undefined
  venues?: readonly OrderVenue[] | undefined
  signDigest(digest: Hex): Promise<Hex>
  wallet: Address
  publicKey: Hex
  paused: () => Promise<boolean>
  log: Log
  /** Where another process decided: it hears of each use before anything is sent. */
  claim?: Claim | undefined
}>

/** Places approved actions at venues, each once. */
export type VenueExecutor = Readonly<{
  execute(approval: Approval): Promise<VenueExecution>
  /** Takes up what an earlier process left: asks the venue, and sends the same bytes where it has none of it. Signs nothing. */
  recover(): Promise<void>
}>

/** Longer than a round of questions to a venue takes. */
const ALONE_MS = 60_000

/** An id that the maker of an order gave it. */
const CLOID = /^0x[0-9a-fA-F]{32}$/

/** The gate's arm for orders: journal, sign, place, ask. */
export function createVenueExecutor(settings: VenueExecutorSettings): VenueExecutor {
  const { storage, venue, venues = [], log } = settings
  const orderVenues = new Map([...(venue ? [hyperliquid(venue)] : []), ...venues].map((one) => [one.id, one]))
  return {
    async execute(approval) {
      const { requestHash, tx } = approval
      if (isEvmTx(tx) || 'typedData' in tx)
        return refused(`Actions of ${tx.protocol} that are signed are decided here, and not executed.`)
      const at = orderVenues.get(tx.protocol)
      if (at === undefined) return refused('No venue is configured that would take the action.')
      const done = await alone(requestHash, storage, async () => {
        const signed = await journal(approval, at, settings).catch(refusalOf)
        if (signed.ok) return placeCleared(signed.value, at, settings)
        log.warn({ requestHash, reason: signed.reason }, 'Not placed.')
        return refused(signed.reason)
      })
      return done ?? refused('The verdict is in use already.')
    },
    async recover() {
      if (orderVenues.size === 0 || (await settings.paused().catch(() => true))) return
      for (const { requestHash, venue: id } of await storage.stores.venueOrders.unsettledActions()) {
        const at = orderVenues.get(id)
        if (at !== undefined) await alone(requestHash, storage, () => takeUp(requestHash, at, settings))
      }
    },
  }
}

/**
 * Works on an action while no other process does: of the same bytes sent by two the venue refuses one, which would be taken
 * for the end of the other. Undefined where another has it in hand.
 */
async function alone<T>(requestHash: Hex, { stores }: Storage, work: () => Promise<T>): Promise<T | undefined> {
  const [name, holder] = [`venue action ${requestHash}`, randomUUID()]
  if (!(await stores.leases.take(name, holder, ALONE_MS))) return undefined
  try {
    return await work()
  } finally {
    await stores.leases.release(name, holder).catch(() => undefined)
  }
}

/** What was signed and never sent is sent; of what may have been, the venue is asked. */
async function takeUp(requestHash: Hex, venue: OrderVenue, settings: VenueExecutorSettings): Promise<void> {
  const action = await settings.storage.stores.venueOrders.action(requestHash)
  if (action?.state === 'signed') await placeCleared(action, venue, settings)
  if (action?.state === 'sent') await reconcile(action, venue, settings)
}

function refused(reason: string): VenueExecution {
  return { mode: 'direct', ok: false, status: 'refused', txHash: null, reason }
}

/** One database transaction: the verdict is read again, its hold kept, the action signed and journaled, its orders followed. */
async function journal(
  approval: Approval,
  venue: OrderVenue,
  settings: VenueExecutorSettings,
): Promise<Result<StoredVenueAction>> {
  const { storage, wallet, paused } = settings
  if (await paused().catch(() => true)) return refuse('Execution is paused.')
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    if ((await stores.killSwitch.read()) !== undefined) return refuse('Execution is paused.')
    const admitted = await admitStored(approval, stores, settings)
    if (!admitted.ok) return admitted
    const { requestHash, proposedTx, transaction, verdict } = admitted.value
    const signed = await signedBy(venue, proposedTx, await storage.now(), settings)
    if (!signed.ok) return signed
    if (!(await stores.holds.keep(requestHash))) return refuse('The hold of the approval has ended.')
    await followOrders(stores, transaction, verdict)
    const { nonce, body } = signed.value
    const action = await stores.venueOrders.insertAction({ requestHash, venue: venue.id, signer: wallet, nonce, body })
    await stores.audit.append({
      kind: 'execution.signed',
      subject: requestHash,
      payload: { venue: venue.id, nonce, signer: wallet },
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

/** What is sent: the stored action as it is, with a signature over its own digest. */
async function signedBy(
  venue: OrderVenue,
  proposedTx: ProposedTx,
  now: number,
  { signDigest }: VenueExecutorSettings,
): Promise<Result<SignedAction>> {
  if (isEvmTx(proposedTx) || 'typedData' in proposedTx || proposedTx.protocol !== venue.id)
    return refuse(`The stored action is none of ${venue.id}.`)
  return venue.sign(proposedTx, now, signDigest)
}

/** Where another process decided, nothing is sent before it knows that its approval is used. */
async function placeCleared(
  action: StoredVenueAction,
  venue: OrderVenue,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, claim } = settings
  const { requestHash } = action
  if (claim === undefined) return place(action, venue, settings)
  const key = (await storage.stores.venueOrders.ofRequest(requestHash))[0]?.key ?? ''
  const claimed = await claim(requestHash, reportOf(key, requestHash))
  if (claimed.kind === 'taken') return place(action, venue, settings)
  if (claimed.kind === 'unknown')
    return {
      mode: 'direct',
      ok: true,
      status: 'pending',
      txHash: null,
      words: `signed, and not sent yet. ${claimed.reason}`,
    }
  await refuseAction(requestHash, claimed.reason, settings)
  return refused(claimed.reason)
}

/** How an action was executed: by the id that its maker gave the order, by the venue's, or by our own where it has none. */
function reportOf(key: string, requestHash: Hex): Readonly<{ cloid: string }> | Readonly<{ orderId: string }> {
  return CLOID.test(key) ? { cloid: key } : { orderId: key || requestHash }
}

async function place(
  action: StoredVenueAction,
  venue: OrderVenue,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, log } = settings
  const { requestHash, body } = action
  await storage.stores.venueOrders.advance(requestHash, ['signed'], 'sent')
  try {
    return await settle(action, await venue.send(body), venue, settings)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    log.warn({ requestHash, error: messageOf(thrown) }, 'What became of an action is not known; the venue is asked.')
    return reconcile(action, venue, settings)
  }
}

/**
 * An action that was sent, and of which nobody knows what became: the venue is asked about its orders before anything is
 * sent again. The same bytes a second time are no second order, for their nonce is used up with the first.
 */
async function reconcile(
  action: StoredVenueAction,
  venue: OrderVenue,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, log } = settings
  const { requestHash, body } = action
  try {
    const orders = await storage.stores.venueOrders.ofRequest(requestHash)
    const asked = orders.filter(({ key }) => key !== '')
    const answers = await Promise.all(asked.map(({ account, key }) => venue.order(account, key)))
    if (answers.some(({ known }) => known)) return await settle(action, { taken: true, legs: [] }, venue, settings)
    const fate = await venue.send(body)
    if (fate.taken) return await settle(action, fate, venue, settings)
    // A refusal of bytes that may have arrived before says nothing of the first time.
    const isOver = asked.length > 0 && venue.neverHeardOf === 'unfilled'
    const again = isOver ? await Promise.all(asked.map(({ account, key }) => venue.order(account, key))) : []
    const isThere = !isOver || again.some(({ known }) => known)
    return await settle(action, isThere ? { taken: true, legs: [] } : fate, venue, settings)
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
  venue: OrderVenue,
  settings: VenueExecutorSettings,
): Promise<VenueExecution> {
  const { storage, wallet, log } = settings
  if (!fate.taken && (await refuseAction(requestHash, fate.reason, settings)))
    return refused(`The venue refused it: ${fate.reason}`)
  await storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    if (!(await stores.venueOrders.advance(requestHash, ['signed', 'sent'], 'placed'))) return
    const orders = await stores.venueOrders.ofRequest(requestHash)
    const report = reportOf(orders[0]?.key ?? '', requestHash)
    await stores.transactions.move(requestHash, ['APPROVED'], 'EXECUTED', report)
    if (orders.length === 0) await stores.holds.settle(requestHash, 'posted')
    await stores.audit.append({ kind: 'execution', subject: requestHash, payload: { report } })
  })
  for (const { leg, reason } of fate.taken ? fate.legs : [])
    await endOrder({ requestHash, leg }, `rejected: ${reason}`, false, storage)
  const orders = await followRequest(requestHash, { storage, log, venues: [venue] })
  const words = orders.map(({ said, state }) => said ?? (state === 'open' ? 'taken by the venue' : 'ended'))
  const text = words.length === 0 ? 'The venue took it.' : `Placed at ${orders[0]?.venue}: ${words.join('; ')}.`
  return { mode: 'direct', ok: true, status: 'placed', txHash: null, words: text }
}

/** What was refused as a whole is over; its room is given back. Whether it is: what was placed meanwhile stays so. */
async function refuseAction(requestHash: Hex, reason: string, settings: VenueExecutorSettings): Promise<boolean> {
  const { storage, wallet } = settings
  const orders = await storage.stores.venueOrders.ofRequest(requestHash)
  const isOver = await storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    if (!(await stores.venueOrders.advance(requestHash, ['signed', 'sent'], 'refused', reason)))
      return (await stores.venueOrders.action(requestHash))?.state === 'refused'
    if (orders.length === 0) await stores.holds.settle(requestHash, 'voided')
    await stores.transactions.move(requestHash, ['APPROVED'], 'FAILED')
    await stores.audit.append({ kind: 'execution.refused', subject: requestHash, payload: { reason } })
    return true
  })
  if (isOver) for (const { leg } of orders) await endOrder({ requestHash, leg }, `rejected: ${reason}`, false, storage)
  return isOver
}
