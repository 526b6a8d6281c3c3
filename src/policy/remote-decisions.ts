import { z } from 'zod'
import type { Client } from '../client/index.ts'
import { type Address, toAddress } from '../lib/address.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import { type SubmitRequest, TransactionRecord } from '../schema/action.ts'
import { PolicyRecord } from '../schema/policy-record.ts'
import { VerificationService } from '../schema/verification-service.ts'
import type { ExecutionReport, Storage, StoredTransaction, StoredVerdict } from '../storage/index.ts'
import { type BackOff, type BackOffLimits, backOff } from './back-off.ts'
import { decisionOf } from './decide.ts'
import type { Claimed, DecisionPort, Told } from './decision-port.ts'
import { checkForeignApproval } from './foreign-verdict.ts'
import { keepSubmission, keepVerdict } from './mirror.ts'
import type { Decision, Submission } from './operation.ts'
import { ownTransaction, type Principal, REVIEW_SCOPES, requireScope, SUBMIT_SCOPES } from './principal.ts'
import type { PolicyService } from './service.ts'
import { ask, askReceipt, place, type Standing, wordOf } from './service-questions.ts'
import { refuseSecrets } from './submission.ts'

/** What deciding elsewhere is built from. */
export type RemoteParts = Readonly<{
  client: Client
  storage: Storage
  /** Reads what is kept here of the decisions. */
  local: Pick<PolicyService, 'cancel' | 'readDecision' | 'pastVerdict' | 'listSubmissions'>
  /** The wallet that the harness signs for. */
  wallet: Address
  /** Ed25519: the key of the service, that its receipts must verify with. */
  publicKey: Hex
  log: Log
  limits?: Partial<BackOffLimits> | undefined
}>

type Work = RemoteParts &
  Readonly<{
    backOff(told?: Told): BackOff
    /** Submissions whose verdict somebody waits for. */
    awaited: Set<Hex>
  }>

/** In all about a minute. */
const LIMITS: BackOffLimits = { firstMs: 100, longestMs: 2_000, attempts: 36 }
/** Submissions that are looked through for what was left undecided. */
const TENDED = 20
/** By then whoever waited has given up, in every process (ms): after so many answers that took their longest, and the pauses. */
const AWAITED_MS = 300_000

/** A service in another process, asked by its agent interface. Nothing is approved but by a receipt that verifies. */
export function createRemoteDecisions(parts: RemoteParts): DecisionPort {
  const { client, local } = parts
  const stopping = new AbortController()
  const limits = { ...LIMITS, ...parts.limits }
  const work: Work = {
    ...parts,
    backOff: (told) => backOff(limits, stopping.signal, told),
    awaited: new Set(),
  }
  return {
    submit: (principal, request, told) => submit(work, principal, request, told),
    cancel: (principal, requestHash) => cancel(work, principal, requestHash),
    readDecision: local.readDecision,
    pastVerdict: local.pastVerdict,
    listSubmissions: local.listSubmissions,
    review: (principal, requestHash) => review(work, principal, requestHash),
    async readPolicy(wallet) {
      const answer = await client.call('readOwnPolicy', { params: { address: wallet } })
      const word = wordOf(answer, PolicyRecord)
      if (word.kind === 'said') return word.value
      if (word.kind === 'trouble') throw new CountersignError('unavailable', `The policy service ${word.why}.`)
      if (word.fault.code === 'not_found') return undefined
      throw word.fault
    },
    outflow: async () => undefined,
    claim: (requestHash, report) => claim(work, requestHash, report),
    tend: () => tend(work),
    stop: () => stopping.abort(),
  }
}

/** The key that a service says its receipts are signed with. @throws CountersignError where it does not say */
export async function publishedKey(client: Client): Promise<Hex> {
  const answer = await client.call('listActiveVerificationServices')
  const word = wordOf(answer, z.object({ items: z.array(VerificationService.strip()) }))
  if (word.kind === 'no') throw word.fault
  if (word.kind === 'trouble') throw new CountersignError('unavailable', `The policy service ${word.why}.`)
  const [service, ...others] = word.value.items
  if (service === undefined || others.length > 0)
    throw new CountersignError('unavailable', `The policy service names ${word.value.items.length} keys, and not one.`)
  return service.publicKey as Hex
}

async function submit(work: Work, principal: Principal, request: SubmitRequest, told?: Told): Promise<Submission> {
  requireScope(principal, SUBMIT_SCOPES)
  const { prompt, metadata, contextLogs, escrowAddress } = request
  await refuseSecrets({ prompt, metadata, contextLogs })
  if (toAddress(escrowAddress) !== work.wallet || principal.agentId === null)
    throw new CountersignError('wallet_not_registered', 'escrowAddress is not the wallet of this harness.')
  const { stores } = work.storage
  const isKnown = async (hash: string) => (await stores.transactions.byRequestHash(hash as Hex)) !== undefined
  const record = await place(work.client, request, work.backOff(told), isKnown)
  const stored = await keepSubmission(work.storage, record, request, principal)
  work.awaited.add(stored.requestHash)
  const decided = untilDecided(work, stored, work.backOff(told)).finally(() => work.awaited.delete(stored.requestHash))
  decided.catch((thrown: unknown) => {
    work.log.warn({ requestHash: stored.requestHash, error: messageOf(thrown) }, 'No verdict of the policy service.')
  })
  return { record, decided }
}

async function untilDecided(work: Work, stored: StoredTransaction, pauses: BackOff): Promise<Decision> {
  for (;;) {
    const word = await ask(work.client, stored.requestHash)
    if (word.kind === 'no') throw word.fault
    if (word.kind === 'trouble') {
      await pauses.trouble(word.why, word.retryAfterMs)
      continue
    }
    const kept = await settle(work, stored, word.value, pauses)
    if (kept !== undefined) return decisionOf(stored, kept)
    await pauses.wait()
  }
}

/** Keeps what the service has decided; nothing while there is no decision, and none is awaited of a person. */
async function settle(
  work: Work,
  stored: StoredTransaction,
  { verdict, isHeld }: Standing,
  pauses: BackOff,
): Promise<StoredVerdict | undefined> {
  const { requestHash } = stored
  pauses.answered()
  if (verdict === null || (verdict.outcome === 'pending' && !isHeld)) return undefined
  if (verdict.outcome !== 'approved')
    return keepVerdict(work.storage, stored, { requestHash, verdict, approvedUntil: null, receipt: null })
  for (;;) {
    const word = await askReceipt(work.client, requestHash)
    if (word.kind === 'no') throw word.fault
    if (word.kind === 'said') {
      const receipt = word.value
      const { actionHash, wallet, proposedTx: tx } = stored
      const trusted = { publicKey: work.publicKey, now: await work.storage.now() }
      const checked = checkForeignApproval({ requestHash, actionHash, wallet, tx }, verdict, receipt, trusted)
      if (checked.ok)
        return keepVerdict(work.storage, stored, { requestHash, verdict, approvedUntil: checked.value, receipt })
      throw new CountersignError(
        'unavailable',
        `The policy service says approved, and its receipt does not prove it. ${checked.reason} Nothing was executed.`,
      )
    }
    await pauses.trouble(word.why, word.retryAfterMs)
  }
}

/** Here first: whatever the service says, nothing is executed after this. What it holds, it gives back now or when it expires. */
async function cancel(work: Work, principal: Principal, requestHash: string): Promise<TransactionRecord> {
  const record = await work.local.cancel(principal, requestHash)
  await giveUpThere(work, requestHash)
  return record
}

async function giveUpThere({ client, log }: Work, requestHash: string): Promise<void> {
  const word = wordOf(await client.call('cancelTransaction', { params: { requestHash } }), TransactionRecord.strip())
  if (word.kind === 'said') return
  const error = word.kind === 'no' ? word.fault.message : `The policy service ${word.why}.`
  log.warn({ requestHash, error }, 'Not cancelled at the policy service: what it holds is free when it expires.')
}

/** The service's reviewers decide what its policy holds: a person here can only have it executed once they have. */
async function review(work: Work, principal: Principal, requestHash: string): Promise<Decision> {
  const stored = await ownTransaction(work.storage.stores, principal, requestHash, REVIEW_SCOPES)
  const word = await ask(work.client, stored.requestHash)
  if (word.kind === 'no') throw word.fault
  if (word.kind === 'trouble') throw new CountersignError('unavailable', `The policy service ${word.why}.`)
  const kept = await settle(work, stored, word.value, work.backOff())
  if (kept !== undefined && kept.verdict.outcome !== 'pending') return decisionOf(stored, kept)
  throw new CountersignError(
    'conflict',
    'The policy service holds it for its own reviewers: they decide it there, with a REVIEWER key. Ask again then.',
  )
}

async function claim({ client }: Work, requestHash: Hex, report: ExecutionReport): Promise<Claimed> {
  const answer = await client.call('reportExecution', { params: { requestHash }, body: report })
  const word = wordOf(answer, TransactionRecord.strip())
  if (word.kind === 'said') {
    const { requestHash: of, status } = word.value
    if (of === requestHash && status === 'EXECUTED') return { kind: 'taken' }
    return { kind: 'unknown', reason: 'The policy service did not take the report.' }
  }
  if (word.kind === 'trouble') return { kind: 'unknown', reason: `The policy service ${word.why}.` }
  const { message: reason, code } = word.fault
  // A key that is not known just now, or an answer in no known form, says nothing of the approval.
  const isFinal = code !== 'unauthenticated' && code !== 'insufficient_scope' && code !== 'unavailable'
  return isFinal ? { kind: 'refused', reason } : { kind: 'unknown', reason }
}

/** Verdicts that nobody waited for any more are kept for the record; an approval among them is given back. */
async function tend(work: Work): Promise<void> {
  const { storage, wallet, awaited } = work
  const { items } = await storage.stores.transactions.list({ wallet, limit: TENDED })
  const before = (await storage.now()) - AWAITED_MS
  const left = items.filter(
    ({ requestHash, status, createdAt }) => status === 'PENDING' && createdAt < before && !awaited.has(requestHash),
  )
  for (const stored of left) if (!(await tendOne(work, stored))) return
}

/** False where the service cannot be asked now. */
async function tendOne(work: Work, stored: StoredTransaction): Promise<boolean> {
  const { requestHash, agentId } = stored
  const { verdicts, transactions } = work.storage.stores
  const wasHeld = (await verdicts.byRequestHash(requestHash)) !== undefined
  const word = await ask(work.client, requestHash)
  if (word.kind === 'trouble') return false
  try {
    if (word.kind === 'no') throw word.fault
    const kept = await settle(work, stored, word.value, work.backOff())
    // One that was held for a person may still be executed by them.
    if (kept?.verdict.outcome !== 'approved' || wasHeld) return true
    await cancel(work, { id: 'harness', agentId, scopes: SUBMIT_SCOPES }, requestHash)
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    work.log.warn({ requestHash, error: messageOf(thrown) }, 'A submission came to nothing.')
    await transactions.move(requestHash, ['PENDING'], 'FAILED')
  }
  return true
}
