import { CountersignError } from '../lib/errors.ts'
import { ok, refuse } from '../lib/result.ts'
import type { PolicyService, Principal } from '../policy/index.ts'
import type { Reader } from './tool.ts'

/** Reads earlier decisions as the tools and commands ask for them: of this principal's own actions only. */
export function pastVerdicts(
  policy: Pick<PolicyService, 'latestVerdict' | 'readVerdict'>,
  principal: Principal,
): Reader['verdict'] {
  return async (requestHash) => {
    if (requestHash === undefined) {
      const latest = await policy.latestVerdict(principal)
      return latest ? ok(latest) : refuse('Nothing was decided yet.')
    }
    try {
      const { verdict } = await policy.readVerdict(principal, requestHash)
      return verdict ? ok({ requestHash, description: 'The action', verdict }) : refuse('It is not decided yet.')
    } catch (thrown) {
      if (thrown instanceof CountersignError && !thrown.retryable)
        return refuse(`No verdict of ${requestHash} is known here.`)
      throw thrown
    }
  }
}
