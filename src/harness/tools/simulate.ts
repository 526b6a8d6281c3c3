import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { defineReadTool } from '../tool.ts'

/** What an action would do and how it would be decided, before it is proposed. */
export const simulate = defineReadTool({
  name: 'simulate',
  description:
    'Simulates what another tool would propose: what leaves, what arrives, the gas, and the verdict that the policy would give now. Nothing is submitted, held or executed.',
  input: z.strictObject({
    tool: z.string().min(1).max(64).describe('The tool that would be called, such as swap or lend_supply.'),
    arguments: z.record(z.string(), z.json()).describe('Its arguments.'),
  }),
  async read({ tool, arguments: args }, { simulate: run }) {
    if (run === undefined) return refuse('Actions cannot be simulated here: another service decides.')
    const simulated = await run({ name: tool, arguments: args })
    if (!simulated.ok) return simulated
    const steps = simulated.value
    const lines = steps.flatMap(({ step, effects, verdict, gas, onChain }) => [
      `${step}: would be ${verdict.outcome} (${verdict.reasonCode}). ${verdict.humanReason}`,
      ...effects.map((effect) => `  ${effect}`),
      ...(gas === null ? [] : [`  gas: ${gas}`, `  on the chain as it is: ${onChain}`]),
    ])
    return ok({ message: [...lines, 'Simulated: nothing was submitted.'].join('\n'), steps })
  },
})
