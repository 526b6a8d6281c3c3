import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CountersignError, messageOf } from '../../src/lib/errors.ts'
import { type Recorded, readPrices } from './prices.ts'

/** What a simulation is told. */
export type Settings = Readonly<{
  skill: string
  prices: Recorded
  /** Where the prices came from, for people. */
  file: string
  /** First and last moment, in ms. */
  from: number
  to: number
  /** Five fields, in place of the skill's own. */
  schedule: string | undefined
  timeZone: string | undefined
  balances: Readonly<Record<string, string>>
  feeBps: number
  /** Wei for each gas. */
  gasPrice: bigint
  /** Whether a configured model answers, and not the stand-in. */
  model: boolean
  /** Where a page with the chart is written. */
  html: string | undefined
}>

export const USAGE = `npm run simulate -- --skill <name> --prices <file.csv> [options]

  --days <n>            the last n days of the prices; all by default
  --from <YYYY-MM-DD>   the first day
  --schedule "<cron>"   in place of the skill's own; each day at 9 where it has none
  --timezone <name>     of that schedule; UTC by default
  --balance <list>      what it begins with; USDC=10000,ETH=1 by default
  --fee-bps <n>         what a swap costs, in basis points; 30 by default
  --gas-gwei <n>        price of gas; 1 by default
  --model               asks the configured model, and not the rule-based stand-in
  --html <file>         writes the result as a page too
`

const DAY_MS = 86_400_000
const OPTIONS = {
  skill: { type: 'string' },
  prices: { type: 'string' },
  days: { type: 'string' },
  from: { type: 'string' },
  schedule: { type: 'string' },
  timezone: { type: 'string' },
  balance: { type: 'string', default: 'USDC=10000,ETH=1' },
  'fee-bps': { type: 'string', default: '30' },
  'gas-gwei': { type: 'string', default: '1' },
  model: { type: 'boolean', default: false },
  html: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** Reads the words of the command; nothing where they ask for help. @throws CountersignError that names the flag */
export function readSettings(args: readonly string[]): Settings | undefined {
  const values = valuesOf(args)
  if (values.help) return undefined
  const { skill, prices: file, schedule, timezone: timeZone, model, html } = values
  if (skill === undefined || !/^[a-z0-9-]{1,64}$/.test(skill))
    throw wrong('skill', 'expected the name of a skill, like dca')
  if (file === undefined) throw wrong('prices', 'expected a CSV file, like examples/prices/eth-usd.csv')
  const prices = readPrices(textOf(file))
  const { from, to } = spanOf(values, prices)
  if (timeZone !== undefined && schedule === undefined) throw wrong('timezone', 'is for a --schedule')
  return {
    skill,
    prices,
    file,
    from,
    to,
    schedule,
    timeZone,
    balances: balancesOf(values.balance),
    feeBps: numberOf('fee-bps', values['fee-bps'], /^\d{1,4}$/, 'expected 0 to 9999'),
    gasPrice: BigInt(
      Math.round(numberOf('gas-gwei', values['gas-gwei'], /^\d{1,5}(\.\d{1,9})?$/, 'expected gwei, like 1.5') * 1e9),
    ),
    model,
    html,
  }
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values
  } catch (thrown) {
    throw new CountersignError(
      'invalid_request',
      `${messageOf(thrown).split('. ')[0] ?? ''}. --help lists what there is.`,
    )
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw wrong('prices', `the file ${file} cannot be read`)
  }
}

/** The last day counts to its end: its price holds for it. */
function spanOf({ days, from }: Readonly<{ days?: string; from?: string }>, prices: Recorded) {
  const end = Math.floor(prices.to / DAY_MS) * DAY_MS + DAY_MS
  const earliest = Math.ceil(prices.from / DAY_MS) * DAY_MS
  const recorded = Math.floor((end - earliest) / DAY_MS)
  const wanted = days === undefined ? undefined : numberOf('days', days, /^[1-9]\d{0,3}$/, 'expected 1 to 9999')
  if (from !== undefined) {
    const start = /^\d{4}-\d{2}-\d{2}$/.test(from) ? Date.parse(from) : Number.NaN
    // A day that no month has is another day to the parser.
    if (Number.isNaN(start) || dayOf(start) !== from) throw wrong('from', 'expected a day, like 2025-08-01')
    if (start < earliest || start >= end)
      throw wrong('from', `the prices are of ${dayOf(earliest)} to ${dayOf(end - 1)}`)
    const last = wanted === undefined ? end : start + wanted * DAY_MS
    if (last > end)
      throw wrong('days', `from ${from} on there are prices of ${Math.floor((end - start) / DAY_MS)} days`)
    return { from: start, to: last }
  }
  if (wanted !== undefined && wanted > recorded) throw wrong('days', `there are prices of ${recorded} days`)
  return { from: wanted === undefined ? earliest : end - wanted * DAY_MS, to: end }
}

function balancesOf(list: string): Readonly<Record<string, string>> {
  const pairs = list.split(',').map((pair) => /^\s*([A-Za-z0-9.$_-]{1,16})=(\d{1,30}(?:\.\d{1,18})?)\s*$/.exec(pair))
  const read = pairs.map((pair) => {
    if (!pair?.[1] || !pair[2]) throw wrong('balance', 'expected amounts by symbol, like USDC=10000,ETH=1')
    return [pair[1], pair[2]] as const
  })
  return Object.fromEntries(read)
}

function numberOf(flag: string, text: string, form: RegExp, expected: string): number {
  if (!form.test(text)) throw wrong(flag, expected)
  return Number(text)
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function wrong(flag: string, what: string): CountersignError {
  return new CountersignError('invalid_request', `--${flag}: ${what}.`)
}
