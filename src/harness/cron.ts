import { Cron } from 'croner'

/**
 * A schedule of five fields in a time zone. Named times that fall into the hour that daylight saving skips come right
 * after it, and those of the hour that it repeats come once; what comes every so often keeps its distance.
 *
 * @throws Error for an expression or a time zone that is none
 */
export function cronOf({ cron, timeZone }: Readonly<{ cron: string; timeZone: string }>): Cron {
  return new Cron(cron, { paused: true, mode: '5-part', timezone: timeZone, fixedTimeRule: 'no-wildcard' })
}
