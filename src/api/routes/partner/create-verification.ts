import { z } from 'zod'
import { CountersignError } from '../../../lib/errors.ts'
import { Verification, VerificationRequest } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'

/** 1 to 128 visible ASCII characters, no spaces (specification 8). */
const KEY = /^[\x21-\x7e]{1,128}$/

/** POST /integrator/verifications (specification 4.2, contract section 7). Waits up to 2 s for the verdict. */
export const createVerification = route({
  operationId: 'createVerification',
  method: 'POST',
  path: '/api/integrator/verifications',
  summary: 'Verify a proposed transaction. The same Idempotency-Key and body again answer the same.',
  auth: 'integration-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  headers: z.object({ 'idempotency-key': z.string().optional() }),
  body: VerificationRequest,
  responses: { 201: Verification, 200: Verification },
  errors: ['invalid_idempotency_key', 'idempotency_conflict', 'wallet_not_registered', 'not_found'],
}).handle(async ({ headers, body, bodyDigest, principal }, { policy }) => {
  const key = headers['idempotency-key']
  if (key !== undefined && !KEY.test(key))
    throw new CountersignError(
      'invalid_idempotency_key',
      'Idempotency-Key: expected 1 to 128 visible ASCII characters.',
    )
  const idempotent = key === undefined ? undefined : { key, bodyDigest }
  const answer = await policy.createVerification(callerOf(principal), body, idempotent)
  const { verification, text, replayed } = answer
  return replayed
    ? { status: 200, body: verification, text, headers: { 'Idempotent-Replayed': 'true' } }
    : { status: 201, body: verification, text }
})
