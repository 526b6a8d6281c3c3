// The golden verdicts of test/vectors/verdict: what is decided on which action, by which policy and facts.
// Run by itself it decides them anew and writes what came of it: the difference is to be read before it is kept.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Address } from '../../src/lib/address.ts'
import { actionHashOf } from '../../src/policy/action-hash.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import { evaluate } from '../../src/policy/evaluate.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { ProposedTx } from '../../src/schema/action.ts'
import { Policy } from '../../src/schema/policy.ts'
import { Address as AddressSchema } from '../../src/schema/primitives.ts'
import type { Verdict } from '../../src/schema/verdict.ts'

const FOLDER = join(import.meta.dirname, '..', 'vectors', 'verdict')
const POLICY_VERSION = 1
const DECIDED_AT = new Date('2026-11-21T00:00:00.000Z')

const Vector = z.strictObject({
  description: z.string(),
  wallet: AddressSchema,
  proposedTx: ProposedTx,
  policy: Policy.nullable(),
  facts: z.custom<Facts>((value) => typeof value === 'object'),
  expected: z.unknown(),
})

/** One golden case, by the name of its file. */
export type VerdictVector = Readonly<z.output<typeof Vector> & { name: string; wallet: Address }>

/** All golden cases. */
export function verdictVectors(): readonly VerdictVector[] {
  const files = globSync('*.json', { cwd: FOLDER }).sort()
  return files.map((file) => ({ ...readVector(file), name: basename(file, '.json') }))
}

function readVector(file: string): z.output<typeof Vector> {
  return Vector.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')))
}

/** What the pure function decides on a case. */
export function decideVector({ wallet, proposedTx, policy, facts }: Omit<VerdictVector, 'name'>): Verdict {
  return evaluate({
    protocol: proposedTx.protocol,
    chainId: proposedTx.chainId,
    wallet,
    actionHash: actionHashOf(proposedTx),
    decoded: decodeProposed(proposedTx, wallet),
    policy: policy && { version: POLICY_VERSION, policy },
    facts,
    review: null,
    at: DECIDED_AT,
    latencyMs: 0,
  })
}

const TIMES = new Set(['latencyMs', 'timestamp', 'observedAt'])

/** A verdict as JSON, without what depends on when it was decided. */
export function timeless(verdict: unknown): unknown {
  return JSON.parse(JSON.stringify(verdict, (key, value: unknown) => (TIMES.has(key) ? undefined : value)))
}

if (import.meta.main)
  for (const { name, ...vector } of verdictVectors()) {
    const decided = { ...vector, expected: timeless(decideVector(vector)) }
    writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(decided, null, 2)}\n`)
  }
