import type { PolicyService } from '../../src/policy/index.ts'
import { validatorOf } from '../../src/process/validation.ts'

/** The validator over a policy service, without a node and without a model. */
export function validatorFor(policy: Pick<PolicyService, 'inspect'>) {
  const config = { agents: [{ id: 'agent', name: 'Agent' }], providers: {} } as const
  return validatorOf({ config, chains: { of: () => undefined }, policy, now: () => new Date() })
}
