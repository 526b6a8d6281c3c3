import type { Address } from '../lib/address.ts'
import type { Result } from '../lib/result.ts'
import type { ProposedTx, SubmitRequest, TransactionRecord } from '../schema/action.ts'
import type { BacktestReport, BacktestRequest } from '../schema/backtest.ts'
import type { PageQuery } from '../schema/page.ts'
import type { Policy } from '../schema/policy.ts'
import type { PolicyRecord } from '../schema/policy-record.ts'
import type {
  AgentMetrics,
  Period,
  PublicAgent,
  PublicTransaction,
  PublicTransactionDetail,
} from '../schema/public-agent.ts'
import type { ReviewRequest } from '../schema/review.ts'
import type { Verdict } from '../schema/verdict.ts'
import type { ExecutionClaim, IntegratorPolicy, Verification, VerificationRequest } from '../schema/verification.ts'
import type { Page, PageRequest } from '../storage/index.ts'
import type {
  Decision,
  IdempotentRequest,
  PastVerdict,
  PolicyDeps,
  ReceiptReading,
  Submission,
  VerdictReading,
  VerificationAnswer,
} from './operation.ts'
import { backtest } from './operations/backtest.ts'
import { cancel } from './operations/cancel.ts'
import { createVerification } from './operations/create-verification.ts'
import { decideUndecided } from './operations/decide-undecided.ts'
import { expireApprovals } from './operations/expire-approvals.ts'
import { type Inspected, inspect } from './operations/inspect.ts'
import { listSubmissions } from './operations/list-submissions.ts'
import { claimPolicy, type OwnPolicyWrite, readOwnPolicy } from './operations/own-policy.ts'
import { type PreviewRequest, preview } from './operations/preview.ts'
import {
  agentMetrics,
  countActivity,
  publicAgent,
  publicTransaction,
  publicTransactions,
} from './operations/public-agent.ts'
import { policyVersions, readPolicy } from './operations/read-policy.ts'
import { readReceipt } from './operations/read-receipt.ts'
import { pastVerdict, readDecision, readVerdict } from './operations/read-verdict.ts'
import { ownVerification, readIntegratorPolicy, readVerification } from './operations/read-verification.ts'
import { reportExecution } from './operations/report-execution.ts'
import { review } from './operations/review.ts'
import { submit } from './operations/submit.ts'
import { writePolicy } from './operations/write-policy.ts'
import { type Principal, SUBMIT_SCOPES } from './principal.ts'
import { workOf } from './work.ts'

/**
 * The policy service: the one place where actions are decided. Chat, REST and every other door call the same
 * operations, and authorisation is inside them. Errors thrown are `CountersignError`.
 */
export type PolicyService = Readonly<{
  /** Stores the action, answers, and decides it. @throws insufficient_scope, wallet_not_registered, unavailable */
  submit(principal: Principal, request: SubmitRequest): Promise<Submission>
  /** The verdicts that actions would get now. Nothing is stored. @throws insufficient_scope, wallet_not_registered */
  preview(principal: Principal, request: PreviewRequest): Promise<readonly Verdict[]>
  /** @throws insufficient_scope, not_found, not_owner */
  readVerdict(principal: Principal, requestHash: string): Promise<VerdictReading>
  /** A verdict with what was asked for; the newest on an action of the principal's agent by default. @throws not_found, not_owner */
  pastVerdict(principal: Principal, requestHash?: string): Promise<PastVerdict>
  /** A decision as it is stored, with its approval. @throws insufficient_scope, not_found, not_owner */
  readDecision(principal: Principal, requestHash: string): Promise<Decision>
  /** @throws not_found, not_owner, not_approved, cancelled, already_executed (with another report) */
  reportExecution(principal: Principal, requestHash: string, report: ExecutionClaim): Promise<TransactionRecord>
  /** @throws not_found, not_owner, not_approved, already_executed, conflict when its transaction is signed */
  cancel(principal: Principal, requestHash: string): Promise<TransactionRecord>
  /** The signed receipt of a decision. @throws not_found until it is decided, not_owner */
  readReceipt(principal: Principal, requestHash: string, form: Readonly<{ typed: boolean }>): Promise<ReceiptReading>
  /** A person's word on what the policy holds for one. @throws insufficient_scope, not_found, not_owner, conflict, unavailable */
  review(principal: Principal, requestHash: string, request: ReviewRequest): Promise<Decision>
  readPolicy(wallet: Address): Promise<PolicyRecord | undefined>
  /** What was submitted for the principal's agent or wallet, newest first. @throws insufficient_scope */
  listSubmissions(principal: Principal, page: PageRequest): Promise<Page<TransactionRecord>>
  /** Newest first. */
  policyVersions(wallet: Address): Promise<readonly PolicyRecord[]>
  /** Appends a version. @throws not_found for an unregistered wallet, precondition_failed when `ifVersion` is not the current one */
  writePolicy(wallet: Address, policy: Policy, by: string, ifVersion?: number): Promise<PolicyRecord>
  /** What a draft policy would have decided on the recorded actions. @throws not_found for an unregistered wallet */
  backtest(wallet: Address, request: BacktestRequest): Promise<BacktestReport>
  /**
   * Verifies an action for a partner, and waits up to 2 s for its verdict. With a key a repetition gives the first answer.
   * @throws invalid_request, idempotency_conflict, not_found, wallet_not_registered
   */
  createVerification(
    principal: Principal,
    request: VerificationRequest,
    idempotent?: IdempotentRequest,
  ): Promise<VerificationAnswer>
  /** By its id or its requestHash. @throws not_found */
  readVerification(principal: Principal, id: string): Promise<Verification>
  /** @throws not_found, tx_hash_required, not_approved, cancelled, already_executed (with another report) */
  reportVerification(principal: Principal, id: string, claim: ExecutionClaim): Promise<Verification>
  /** @throws not_found, not_approved, already_executed */
  cancelVerification(principal: Principal, id: string): Promise<Verification>
  /** @throws not_found for a wallet of another integration, or one without a policy */
  readIntegratorPolicy(principal: Principal, wallet: Address): Promise<IntegratorPolicy>
  /** For the wallet's owner and its agents. @throws insufficient_scope, not_owner, not_found */
  readOwnPolicy(principal: Principal, wallet: Address): Promise<PolicyRecord>
  /** For whoever proved the wallet. @throws insufficient_scope, not_owner, precondition_failed */
  writeOwnPolicy(principal: Principal, write: OwnPolicyWrite): Promise<PolicyRecord>
  /** What anybody may know of an agent. @throws not_found */
  publicAgent(address: Address): Promise<PublicAgent>
  /** Newest first. @throws not_found */
  publicTransactions(address: Address, page: PageQuery): Promise<Page<PublicTransaction>>
  /** @throws not_found */
  publicTransaction(address: Address, requestHash: string): Promise<PublicTransactionDetail>
  /** @throws not_found */
  agentMetrics(address: Address, period: Period): Promise<AgentMetrics>
  /** Counts for the metrics what happened since. To be called now and then. */
  countActivity(): Promise<number>
  /** What an action would do, and what is known of what it touches. No policy, nothing stored. */
  inspect(proposedTx: ProposedTx, wallet: Address): Promise<Result<Inspected>>
  /** Decides what a crash left undecided. To be called at start and now and then. Returns how many were decided. */
  decideUndecided(): Promise<number>
  /** Ends approvals that ran out and releases their holds. Returns how many there were. */
  expireApprovals(): Promise<number>
}>

/** Builds the embedded policy service. */
export function createPolicyService(deps: PolicyDeps): PolicyService {
  const work = workOf(deps)
  return {
    submit: (principal, request) => submit(work, principal, request),
    preview: (principal, request) => preview(work, principal, request),
    readVerdict: (principal, requestHash) => readVerdict(deps, principal, requestHash),
    pastVerdict: (principal, requestHash) => pastVerdict(deps, principal, requestHash),
    readDecision: (principal, requestHash) => readDecision(deps, principal, requestHash),
    reportExecution: (principal, requestHash, report) => reportExecution(deps, principal, requestHash, report),
    cancel: (principal, requestHash) => cancel(deps, principal, requestHash),
    readReceipt: (principal, requestHash, form) => readReceipt(deps, principal, requestHash, form),
    review: (principal, requestHash, request) => review(work, principal, requestHash, request),
    readPolicy: (wallet) => readPolicy(deps, wallet),
    listSubmissions: (principal, page) => listSubmissions(deps, principal, page),
    policyVersions: (wallet) => policyVersions(deps, wallet),
    writePolicy: (wallet, policy, by, ifVersion) => writePolicy(deps, { wallet, policy, by, ifVersion }),
    backtest: (wallet, request) => backtest(deps, wallet, request),
    createVerification: (principal, request, idempotent) => createVerification(work, principal, request, idempotent),
    readVerification: (principal, id) => readVerification(deps, principal, id),
    async reportVerification(principal, id, claim) {
      const { requestHash } = await ownVerification(deps, principal, id, SUBMIT_SCOPES)
      await reportExecution(deps, principal, requestHash, claim)
      return readVerification(deps, principal, requestHash)
    },
    async cancelVerification(principal, id) {
      const { requestHash } = await ownVerification(deps, principal, id, SUBMIT_SCOPES)
      await cancel(deps, principal, requestHash)
      return readVerification(deps, principal, requestHash)
    },
    readIntegratorPolicy: (principal, wallet) => readIntegratorPolicy(deps, principal, wallet),
    readOwnPolicy: (principal, wallet) => readOwnPolicy(deps, principal, wallet),
    async writeOwnPolicy(principal, write) {
      await claimPolicy(deps, principal, write.wallet)
      return writePolicy(deps, { ...write, by: principal.id })
    },
    publicAgent: (address) => publicAgent(deps, address),
    publicTransactions: (address, page) => publicTransactions(deps, address, page),
    publicTransaction: (address, requestHash) => publicTransaction(deps, address, requestHash),
    agentMetrics: (address, period) => agentMetrics(deps, address, period),
    countActivity: () => countActivity(deps),
    inspect: (proposedTx, wallet) => inspect(deps, proposedTx, wallet),
    decideUndecided: () => decideUndecided(work),
    expireApprovals: () => expireApprovals(deps),
  }
}
