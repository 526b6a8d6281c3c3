import type { PolicyService } from '../../src/policy/index.ts'
import { validatorOf } from '../../src/process/validation.ts'

/** The validator over a policy service, without a node and without a model. */
export function validatorFor(policy: Pick<PolicyService, 'inspect'>) {
  return validatorOf({ chains: { of: () => undefined }, policy, model: undefined, now: () => new Date() })
}
