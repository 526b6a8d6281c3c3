import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Check } from '../../../src/policy/check.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import type { Facts } from '../../../src/policy/facts.ts'
import { valueAction } from '../../../src/policy/valuation.ts'
import type { EvmTx } from '../../../src/schema/action.ts'
import { CheckResult } from '../../../src/schema/check.ts'
import { Policy } from '../../../src/schema/policy.ts'
import { decoded, factsOf } from '../../support/actions.ts'

/** One case of a check: the bytes (or an action that no decoder gives), the policy, and what must come of it. */
export type Case = Readonly<{
  name: string
  tx?: EvmTx
  action?: DecodedAction
  policy?: object
  /** What is otherwise with the facts; a fact that is undefined was not had at all. */
  facts?: { readonly [name in keyof Facts]?: Facts[name] | undefined }
  /** One result, or one a leg. */
  expected: Expected | readonly Expected[]
}>

type Expected = Readonly<{
  status: CheckResult['status']
  code?: CheckResult['code']
  /** A part of the reason, or all of it by a pattern. */
  says: string | RegExp
  /** The policy field; null where none is to be named. */
  field?: string | null
}>

/** What a check says. */
export function runCheck(check: Check, { tx, action, policy = {}, facts = {} }: Omit<Case, 'name' | 'expected'>) {
  const subject = action ?? decoded(tx ?? assert.fail('a case needs an action'))
  const all = Object.entries({ ...factsOf(subject), ...facts }).filter(([, fact]) => fact !== undefined)
  const had: Facts = Object.fromEntries(all)
  const input = { action: subject, policy: Policy.parse(policy), facts: had, valuation: valueAction(subject, had) }
  return check.run(input).map((result) => CheckResult.parse(result))
}

/** Runs every case as a test of its own. */
export function eachCase(check: Check, cases: readonly Case[]): void {
  for (const { expected, ...one } of cases)
    it(one.name, () => {
      const results = runCheck(check, one)
      const wanted: readonly Expected[] = 'status' in expected ? [expected] : expected
      assert.equal(results.length, wanted.length, JSON.stringify(results, null, 1))
      for (const [i, { status, code = null, says, field = null }] of wanted.entries()) {
        const result = results[i]
        assert.deepEqual(
          [result?.status, result?.code, result?.triggeringPolicyField, result?.legIndex],
          [status, code, field, wanted.length === 1 ? undefined : i],
          result?.humanReason,
        )
        if (typeof says === 'string') assert.ok(result?.humanReason.includes(says), result?.humanReason)
        else assert.match(result?.humanReason ?? '', says)
      }
    })
}
