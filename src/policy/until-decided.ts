import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Verification } from '../schema/verification.ts'
import type { PolicyDeps } from './operation.ts'
import { verificationOf } from './record.ts'

/** Where nobody says that something was decided, the store is asked as often as this, in ms. */
const ASK_EVERY_MS = 200

/** Waits until a submission has a verdict, by whichever process, and no longer than given (ms). */
export async function untilDecided({ storage }: PolicyDeps, requestHash: Hex, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs
  for (;;) {
    const heard = storage.heard(requestHash, Math.max(0, Math.min(ASK_EVERY_MS, until - performance.now())))
    if ((await storage.stores.verdicts.byRequestHash(requestHash)) !== undefined) return
    if (performance.now() >= until) return
    await heard
  }
}

/** A verification as it is stored now. @throws CountersignError internal where there is none */
export async function readStored({ storage }: PolicyDeps, requestHash: Hex): Promise<Verification> {
  const { transactions, verdicts } = storage.stores
  const transaction = await transactions.byRequestHash(requestHash)
  if (transaction === undefined) throw new CountersignError('internal', 'A stored verification is gone.')
  const verdict = await verdicts.byRequestHash(requestHash)
  return verificationOf(transaction, verdict?.verdict ?? null)
}
