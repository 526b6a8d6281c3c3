import { CountersignError } from '../lib/errors.ts'
import { ok, refuse } from '../lib/result.ts'
import type { DecisionPort, Principal } from '../policy/index.ts'
import type { Reader } from './tool.ts'

/** Reads earlier decisions as the tools and commands ask for them: of this principal's own actions only. */
export function pastVerdicts(policy: Pick<DecisionPort, 'pastVerdict'>, principal: Principal): Reader['verdict'] {
  return async (requestHash) => {
    try {
      return ok(await policy.pastVerdict(principal, requestHash))
    } catch (thrown) {
      if (thrown instanceof CountersignError && !thrown.retryable) return refuse(thrown.message)
      throw thrown
    }
  }
}
