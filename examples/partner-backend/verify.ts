import { randomUUID } from 'node:crypto'

/** Where the service is, and who asks. The key belongs on a server: never into a page or an app. */
export type Partner = Readonly<{ baseUrl: string; appId: string; apiKey: string }>

/** A transaction as a partner proposes it. `value` is wei, decimal or hex. */
export type Proposal = Readonly<{
  walletAddress: string
  proposedTx: Readonly<{ protocol: string; chainId: number; to: string; data: string; value: string }>
}>

/** The parts of a verification that a backend decides by. */
export type Verification = Readonly<{
  id: string
  requestHash: string
  status: string
  verdict: Readonly<{ outcome: string; reasonCode: string; humanReason: string }> | null
}>

const PATIENCE_MS = [500, 1_000, 2_000, 3_000, 3_000, 3_000]

/**
 * Has a transaction verified. One key for one action, so that a retry after a broken connection answers the same and
 * reserves nothing twice. Whatever is not clearly approved is no approval.
 */
export async function verify(partner: Partner, proposal: Proposal, key: string = randomUUID()): Promise<Verification> {
  const body = JSON.stringify(proposal)
  let verification = await call(partner, 'POST', '/integrator/verifications', { body, key })
  for (const wait of PATIENCE_MS) {
    if (verification.verdict !== null && verification.verdict.outcome !== 'pending') break
    await new Promise((resolve) => setTimeout(resolve, wait))
    verification = await call(partner, 'GET', `/integrator/verifications/${verification.id}`)
  }
  return verification
}

/** Tells what became of an approved action: its transaction hash. */
export function reportExecution(partner: Partner, id: string, txHash: string): Promise<Verification> {
  const body = JSON.stringify({ txHash })
  return call(partner, 'POST', `/integrator/verifications/${id}/execution`, { body })
}

/** Gives back what an approval reserves. */
export function cancel(partner: Partner, id: string): Promise<Verification> {
  return call(partner, 'POST', `/integrator/verifications/${id}/cancel`, { body: '{}' })
}

async function call(
  { baseUrl, appId, apiKey }: Partner,
  method: 'GET' | 'POST',
  path: string,
  { body, key }: Readonly<{ body?: string; key?: string }> = {},
): Promise<Verification> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      'x-app-id': appId,
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(10_000),
  })
  const answer = (await response.json()) as Verification & { error?: string; detail?: string }
  if (!response.ok) throw new Error(`${response.status} ${answer.error}: ${answer.detail}`)
  return answer
}
