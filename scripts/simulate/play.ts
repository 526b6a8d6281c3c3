import { writeFileSync } from 'node:fs'
import type { Config } from '../../src/config.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { pageOf } from './page.ts'
import { reportText, sectionsOf } from './report.ts'
import { simulate } from './run.ts'
import { readSettings, USAGE } from './settings.ts'
import { openWorld } from './world.ts'

/** Runs the command: its words in, what it prints out. @throws CountersignError that names what is wrong with them */
export async function play(args: readonly string[], config: Config, width: number): Promise<string> {
  const settings = readSettings(args)
  if (settings === undefined) return USAGE
  if (settings.model && config.agents[0].provider === undefined)
    throw new CountersignError('invalid_request', '--model: no model is configured, or its key is not set.')
  const world = await openWorld(config, settings)
  try {
    const outcome = await simulate(world, settings)
    const sections = sectionsOf(outcome, settings, world)
    if (settings.html !== undefined) writePage(settings.html, pageOf(sections, outcome.samples))
    return reportText(sections, outcome, width)
  } finally {
    await world.close()
  }
}

function writePage(file: string, page: string): void {
  try {
    writeFileSync(file, page)
  } catch {
    throw new CountersignError('invalid_request', `--html: the file ${file} cannot be written.`)
  }
}
