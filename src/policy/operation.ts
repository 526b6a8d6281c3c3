import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import type { TransactionRecord, TransactionStatus } from '../schema/action.ts'
import type { SignedReceipt, TypedReceipt } from '../schema/receipt.ts'
import type { Verdict } from '../schema/verdict.ts'
import type { Verification } from '../schema/verification.ts'
import type { Storage } from '../storage/index.ts'
import type { Approval } from './approval.ts'
import type { Attestor } from './attestor.ts'
import type { AnySource } from './source.ts'

/** What every operation works with. `approvalTtlSeconds` holds where a policy names none. */
export type PolicyDeps = Readonly<{
  storage: Storage
  sources: readonly AnySource[]
  log: Log
  attestor: Attestor
  approvalTtlSeconds: number
  /** Told of each verdict once it is stored. */
  observe?: DecisionObserver | undefined
}>

/** Whoever counts verdicts. */
export type DecisionObserver = (verdict: Verdict) => void

/** How a submission was decided. There is an approval exactly where the verdict is `approved` and not yet expired. */
export type Decision = Readonly<{ requestHash: string; verdict: Verdict; approval: Approval | undefined }>

/** A submission that is stored, and the decision that follows. `decided` rejects only where it could not be stored. */
export type Submission = Readonly<{ record: TransactionRecord; decided: Promise<Decision> }>

/** A verdict as its owner reads it. `review` says that a person is awaited. */
export type VerdictReading = Readonly<{ verdict: Verdict | null; review: 'awaited' | null }>

/** A receipt as its owner reads it, with the status of the transaction at this moment, which no signature covers. */
export type ReceiptReading = SignedReceipt & Readonly<{ status: TransactionStatus; typed?: TypedReceipt }>

/** An answer to a partner, and whether it was given before. `text` is sent as it is: a replay is the same byte for byte. */
export type VerificationAnswer = Readonly<{ verification: Verification; text: string; replayed: boolean }>

/** A key by which a partner's repeated request is known for one, with the SHA-256 of the body that it came with. */
export type IdempotentRequest = Readonly<{ key: string; bodyDigest: Hex }>

/** A verdict with what was asked for. */
export type PastVerdict = Readonly<{ requestHash: string; description: string; verdict: Verdict }>
