import { randomUUID } from 'node:crypto'
import { type Answer, createClient, type Wire } from '../../src/client/index.ts'

/** Where the service is, and who asks. The key belongs on a server: never into a page or an app. */
export type Partner = Readonly<{ baseUrl: string; appId: string; apiKey: string }>

const PATIENCE_MS = [500, 1_000, 2_000, 3_000, 3_000, 3_000]

/**
 * Has a transaction verified. One key for one action, so that a retry after a broken connection answers the same and
 * reserves nothing twice. Whatever is not clearly approved is no approval.
 */
export async function verify(
  partner: Partner,
  body: Wire.VerificationRequest,
  key: string = randomUUID(),
): Promise<Wire.Verification> {
  const client = createClient(partner)
  let verification = bodyOf(await client.call('createVerification', { headers: { 'idempotency-key': key }, body }))
  for (const wait of PATIENCE_MS) {
    if (verification.verdict !== null && verification.verdict.outcome !== 'pending') break
    await new Promise((resolve) => setTimeout(resolve, wait))
    verification = bodyOf(await client.call('readVerification', { params: { id: verification.id } }))
  }
  return verification
}

/** Tells what became of an approved action: its transaction hash. */
export async function reportExecution(partner: Partner, id: string, txHash: string): Promise<Wire.Verification> {
  return bodyOf(await createClient(partner).call('reportVerification', { params: { id }, body: { txHash } }))
}

/** Gives back what an approval reserves. */
export async function cancel(partner: Partner, id: string): Promise<Wire.Verification> {
  return bodyOf(await createClient(partner).call('cancelVerification', { params: { id } }))
}

type Verifying = 'createVerification' | 'readVerification' | 'reportVerification' | 'cancelVerification'

function bodyOf(answer: Answer<Verifying>): Wire.Verification {
  if (answer.ok) return answer.body
  if (answer.status === null) throw new Error(`The service ${answer.reason}.`)
  throw new Error(`${answer.status} ${answer.problem?.error ?? ''}: ${answer.problem?.detail ?? 'no reason was given'}`)
}
