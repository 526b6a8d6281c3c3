// `npm run doctor`: what is configured, reachable, missing and dangerous. Exits 1 where something would not work.
import { loadConfig } from '../src/config.ts'
import { messageOf } from '../src/lib/errors.ts'
import { examine, type Finding } from './doctor/examine.ts'

const MARKS = { ok: '✔', missing: '·', danger: '!', wrong: '✖' } as const

async function findings(): Promise<readonly Finding[]> {
  try {
    return await examine(loadConfig())
  } catch (thrown) {
    return [{ level: 'wrong', what: 'configuration', says: messageOf(thrown) }]
  }
}

const found = await findings()
for (const { level, what, says } of found) process.stdout.write(`${MARKS[level]} ${what}: ${says}\n`)
const count = (level: Finding['level']) => found.filter((one) => one.level === level).length
process.stdout.write(
  `\n✔ works  · missing, and fine without  ! dangerous  ✖ does not work\n${count('wrong')} to repair, ${count('danger')} to think about.\n`,
)
process.exitCode = count('wrong') > 0 ? 1 : 0
process.exit()
