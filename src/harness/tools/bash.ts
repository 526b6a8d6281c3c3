import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { defineHarnessTool } from '../tool.ts'

/** Runs one allowed command, without a shell. */
export const bash = defineHarnessTool({
  name: 'bash',
  description:
    'Runs one command that the owner allowed, with plain arguments: no pipes, no redirections, no variables, no further commands. It has an empty environment, and sees the allowed folders only.',
  input: z.strictObject({ command: z.string().min(1).max(8_000).describe('One command line.') }),
  async run({ command }, { shell, signal }) {
    if (!shell) return refuse('The bash tool is switched off.')
    const ran = await shell.run(command, signal)
    if (!ran.ok) return ran
    const { exitCode } = ran.value
    const message = exitCode === null ? 'The command was stopped.' : `The command ended with code ${exitCode}.`
    return ok({ message, ...ran.value })
  },
})
