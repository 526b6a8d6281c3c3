import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { defineHarnessTool } from '../tool.ts'

/** Forgets a fact about the person who speaks. */
export const forget = defineHarnessTool({
  name: 'forget',
  description: 'Forgets one remembered fact about the person, by its number.',
  input: z.strictObject({ number: z.int().positive().describe('Number of the fact.') }),
  async run({ number }, { memory }) {
    if (!memory) return refuse('Nobody is there to forget something about.')
    return (await memory.forget(number)) ? ok({ message: 'Forgotten.' }) : refuse(`number: there is no fact ${number}.`)
  },
})
