import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { defineReadTool } from '../tool.ts'

/** Compares what another tool would propose with what the person said, before anything is submitted. */
export const checkIntent = defineReadTool({
  name: 'check_intent',
  description:
    "Checks, by arithmetic on the bytes, whether a tool's proposal does what the person asked for. Give the person's own words, and the tool with its arguments. Nothing is submitted. Use it before an action that is large, unusual or not quite clear.",
  input: z.strictObject({
    intent: z.string().min(1).max(2_000).describe("The person's own words, unchanged."),
    tool: z.string().describe('The tool that would be called, such as swap or transfer.'),
    arguments: z.record(z.string(), z.json()).describe('Its arguments.'),
  }),
  async read({ intent, tool, arguments: args }, { checkIntent: check }) {
    if (check === undefined) return refuse('Intents cannot be checked here.')
    const checked = await check(intent, { name: tool, arguments: args })
    if (!checked.ok) return checked
    const { matches, reason, node } = checked.value
    const message = matches ? `It does what was asked for. ${reason}` : `It does NOT do what was asked for: ${reason}`
    return ok({ message, matches, reason, node })
  },
})
