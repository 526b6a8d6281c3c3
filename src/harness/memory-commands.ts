import { timeZoneNamed } from '../lib/time-zone.ts'
import type { Outbound } from './channel.ts'
import { fail, say, timeText } from './command-answer.ts'
import type { Memory } from './memory.ts'
import { nextSlots } from './scheduler.ts'
import type { Skill, SkillSchedule } from './skill-file.ts'
import type { Skills } from './skills.ts'
import type { PersonMemory } from './tool.ts'

type Context = Readonly<{ memory: PersonMemory; skills: Skills; runs: Memory['runs'] }>

const LAST_RUNS = 5

/** Commands over what is remembered of a person, and over the skills that there are. */
export const MEMORY_COMMANDS = {
  memory: {
    help: 'what I remember of you',
    async run({ memory }: Context): Promise<Outbound> {
      const facts = await memory.facts()
      if (facts.length === 0) return say('I remember nothing of you.')
      return say(
        [...facts.map(({ seq, fact }) => `${seq}. ${fact}`), 'Delete with /forget <number> or /forget all.'].join('\n'),
      )
    },
  },
  forget: {
    help: 'delete one thing that I remember of you, by its number, or all',
    async run({ memory }: Context, argument: string): Promise<Outbound> {
      if (argument.toLowerCase() === 'all') return say(`Forgotten: ${await memory.forgetAll()}.`)
      if (!/^\d{1,15}$/.test(argument)) return fail('Say which: /forget <number>, or /forget all.')
      return (await memory.forget(Number(argument)))
        ? say('Forgotten.')
        : fail(`I remember nothing of you with the number ${argument}. See /memory.`)
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
      return say(list.length + problems.length === 0 ? 'There are no skills.' : [...list, ...problems].join('\n'))
    },
  },
  schedules: {
    help: 'what runs by itself, when it comes next, and how it went',
    async run({ skills, runs }: Context): Promise<Outbound> {
      const scheduled = skills.list().flatMap(({ name, schedule }) => (schedule ? [{ name, schedule }] : []))
      if (scheduled.length === 0) return say('Nothing is scheduled.')
      return say((await Promise.all(scheduled.map((one) => scheduleText(one, runs)))).join('\n\n'))
    },
  },
  timezone: {
    help: 'the zone in which I tell you times: /timezone Europe/Zurich, or /timezone reset',
    async run({ memory }: Context, argument: string): Promise<Outbound> {
      const now = `It is ${timeText(Date.now())}.`
      if (argument === '') {
        const zone = await memory.timeZone()
        if (zone === undefined)
          return say(`You named no time zone; now is ${timeText(Date.now())}. Name yours: /timezone Europe/Zurich.`)
        return say(`You are told times in ${zone}. ${now}`)
      }
      if (argument.toLowerCase() === 'reset') {
        await memory.setTimeZone(undefined)
        return say('Times are told in the usual zone again.')
      }
      const zone = timeZoneNamed(argument)
      if (zone === undefined)
        return fail('There is no such time zone. Name one like Europe/Zurich or America/New_York.')
      await memory.setTimeZone(zone)
      return say(`Times are told in ${zone} from now on. ${now}`)
    },
  },
} as const

async function scheduleText(
  { name, schedule }: Pick<Skill, 'name'> & Readonly<{ schedule: SkillSchedule }>,
  runs: Memory['runs'],
): Promise<string> {
  const [next] = nextSlots(schedule, Date.now(), 1)
  const past = (await runs.recent(name, LAST_RUNS)).map(
    ({ slot, state, detail }) => `  ${timeText(slot)} ${state}${detail === null ? '' : `: ${detail}`}`,
  )
  const coming = next === undefined ? 'never' : timeText(next)
  return [`${name}: ${schedule.cron} (${schedule.timeZone}), next ${coming}`, ...past].join('\n')
}
