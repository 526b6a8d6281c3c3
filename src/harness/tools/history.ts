import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { defineReadTool } from '../tool.ts'

/** What was proposed lately, and what became of it. */
export const history = defineReadTool({
  name: 'history',
  description: 'Lists the latest actions of this wallet with their status, newest first.',
  input: z.strictObject({ limit: z.int().min(1).max(50).default(10).describe('How many.') }),
  async read({ limit }, { reader }) {
    const actions = await reader.history(limit)
    const lines = actions.map(({ createdAt, status, description }) => `${createdAt} ${status} ${description}`)
    return ok({ message: lines.length === 0 ? 'Nothing was proposed yet.' : lines.join('\n'), actions })
  },
})
