import type { Outbound } from './channel.ts'
import type { Skills } from './skills.ts'
import type { PersonMemory } from './tool.ts'

type Context = Readonly<{ memory: PersonMemory; skills: Skills }>

/** Commands over what is remembered of a person, and over the skills that there are. */
export const MEMORY_COMMANDS = {
  memory: {
    help: 'what I remember of you',
    async run({ memory }: Context): Promise<Outbound> {
      const facts = await memory.facts()
      if (facts.length === 0) return say('I remember nothing of you.')
      return say([...facts.map(({ seq, fact }) => `${seq}. ${fact}`), 'Delete with /forget <number> or /forget all.'])
    },
  },
  forget: {
    help: 'delete one thing that I remember of you, by its number, or all',
    async run({ memory }: Context, argument: string): Promise<Outbound> {
      if (argument.toLowerCase() === 'all') return say(`Forgotten: ${await memory.forgetAll()}.`)
      if (!/^\d{1,15}$/.test(argument)) return { type: 'error', text: 'Say which: /forget <number>, or /forget all.' }
      return (await memory.forget(Number(argument)))
        ? say('Forgotten.')
        : { type: 'error', text: `I remember nothing of you with the number ${argument}. See /memory.` }
    },
  },
  skills: {
    help: 'what I have instructions for',
    async run({ skills }: Context): Promise<Outbound> {
      const list = skills.list().map(({ name, description, schedule }) => {
        const when = schedule === undefined ? '' : ` (${schedule.cron}, ${schedule.timeZone})`
        return `${name}${when}: ${description}`
      })
      const problems = skills.problems().map(({ skill, problem }) => `Problem with ${skill}: ${problem}`)
      return say(list.length + problems.length === 0 ? 'There are no skills.' : [...list, ...problems])
    },
  },
} as const

function say(text: string | readonly string[]): Outbound {
  return { type: 'status', text: typeof text === 'string' ? text : text.join('\n') }
}
