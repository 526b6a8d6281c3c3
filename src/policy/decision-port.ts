import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { MicroUsd } from '../lib/usd.ts'
import type { SubmitRequest } from '../schema/action.ts'
import type { ExecutionReport, Storage } from '../storage/index.ts'
import type { Submission } from './operation.ts'
import type { Principal } from './principal.ts'
import type { PolicyService } from './service.ts'

/** Tells the person what is waited for, in one sentence. Must not throw. */
export type Told = (text: string) => void

/**
 * What became of the word that an approval is used now. `refused`: it must not be used, for good. `unknown`: whoever
 * decided did not say; nothing may leave until they do.
 */
export type Claimed = Readonly<
  { kind: 'taken' } | { kind: 'unknown'; reason: string } | { kind: 'refused'; reason: string }
>

/** Says that an approval is used now, before the signed bytes leave. The same word again is answered the same. */
export type Claim = (requestHash: Hex, report: ExecutionReport) => Promise<Claimed>

/**
 * Who decides, as the harness sees it: the service in this process, or one that is asked over HTTP. The gate needs
 * nothing else: in both cases the approvals that it is given are in its own store.
 */
export type DecisionPort = Pick<
  PolicyService,
  'cancel' | 'readDecision' | 'review' | 'pastVerdict' | 'listSubmissions' | 'readPolicy'
> &
  Readonly<{
    /** As `PolicyService`; `told` hears of troubles on the way. @throws CountersignError `unavailable` when it is given up */
    submit(principal: Principal, request: SubmitRequest, told?: Told): Promise<Submission>
    /** Micro-USD that left a wallet in 24 hours, or may leave it still; undefined where only the service knows. */
    outflow(wallet: Address): Promise<MicroUsd | undefined>
    /** Nothing where the decisions are made in the store that the gate works on. */
    claim?: Claim | undefined
    /** Takes up what was left undecided here. To be called now and then. */
    tend(): Promise<void>
    /** Ends all waiting. */
    stop(): void
  }>

const DAY_MS = 86_400_000

/** The service in this process. */
export function embeddedDecisions(policy: PolicyService, storage: Storage): DecisionPort {
  return {
    submit: policy.submit,
    cancel: policy.cancel,
    readDecision: policy.readDecision,
    review: policy.review,
    pastVerdict: policy.pastVerdict,
    listSubmissions: policy.listSubmissions,
    readPolicy: policy.readPolicy,
    outflow: async (wallet) => storage.stores.holds.outflowSince(wallet, (await storage.now()) - DAY_MS),
    tend: async () => undefined,
    stop: () => undefined,
  }
}
