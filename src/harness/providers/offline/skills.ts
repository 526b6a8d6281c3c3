import { z } from 'zod'
import { formatDecimal, parseDecimal } from '../../../lib/usd.ts'
import type { Message } from '../../provider.ts'

/** A tool call of a run, or its report. */
export type RunStep = Readonly<{ tool: string; arguments: object }> | Readonly<{ say: string }>

type Call = Readonly<{ tool: string; arguments: object }>
type Heard = Readonly<{ ok: true; result: Readonly<Record<string, unknown>> }> | Readonly<{ ok: false; error: string }>

/** Follows the instructions of one shipped skill: calls, what they gave, and in the end a report. */
type Run = (body: string) => Generator<Call, string, Heard>

const SCHEDULED = /^This is the scheduled run of your skill ([a-z0-9-]{1,64}) for /
const SCALE = 18

/**
 * The next step of a shipped skill that is being run: by a schedule, or because it was just read. Nothing where the
 * conversation is about something else. It is told anew from the results each time, and remembers nothing.
 */
export function skillStep(messages: readonly Message[]): RunStep | undefined {
  const start = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[start]
  const heard = messages.slice(start + 1).flatMap((one) => (one.role === 'tool' ? [one] : []))
  const scheduled = asked?.role === 'user' ? SCHEDULED.exec(asked.text)?.[1] : undefined
  const [first] = heard
  const read = first?.name === 'read_skill' ? heardIn(first.result) : undefined
  const name = scheduled ?? (read?.ok ? Read.safeParse(read.result).data?.message : undefined)
  const run = name !== undefined && Object.hasOwn(RUNS, name) ? RUNS[name] : undefined
  if (!run || asked?.role !== 'user') return undefined
  const body = scheduled === undefined && read?.ok ? String(read.result['text']) : asked.text
  const results = heard.filter((one) => one.name !== 'read_skill').map(({ result }) => heardIn(result))
  return next(run(body), results)
}

function next(run: ReturnType<Run>, results: readonly Heard[]): RunStep {
  let step = run.next()
  for (const result of results) if (!step.done) step = run.next(result)
  return step.done ? { say: step.value } : step.value
}

const RUNS: Readonly<Record<string, Run>> = {
  dca: function* (body) {
    const settings = keyed(body)
    const [sell = '', buy = '', amount = ''] = ['pay with', 'buy', 'amount'].map((key) => settings.get(key))
    const have = heldOf(yield call('read_portfolio'), sell)
    if (have < units(amount)) return `Nothing was bought: there is ${text(have)} ${sell}, and ${amount} is needed.`
    const quote = yield call('quote_swap', { sell, buy, amount })
    if (!quote.ok) return `Nothing was bought. ${quote.error}`
    return said(yield call('swap', { sell, buy, amount, side: 'exact-in' }))
  },
  'portfolio-report': function* () {
    const lines: string[] = []
    for (const one of [call('read_portfolio'), call('lend_positions'), call('history', { limit: 10 }), call('limits')])
      lines.push(said(yield one))
    return lines.join('\n')
  },
  rebalance: function* (body) {
    const targets = rows(body).map(([token = '', target = '']) => ({ token, target: Number(target) }))
    const portfolio = yield call('read_portfolio')
    const parts: Part[] = []
    for (const { token, target } of targets) {
      const usd = numberOf(yield call('price', { token }), 'usd')
      if (usd === undefined) return `Nothing was done: no source knows the price of ${token}.`
      parts.push({ token, target, usd, worth: Number(text(heldOf(portfolio, token))) * usd })
    }
    const total = parts.reduce((sum, { worth }) => sum + worth, 0)
    const drifts = parts.map((part) => ({ ...part, over: part.worth - (total * part.target) / 100 }))
    if (drifts.every(({ over }) => Math.abs(over) <= (total * setting(body, /Tolerance: ([\d.]+)/)) / 100))
      return 'Balanced.'
    const left = leftOf(yield call('limits'))
    const done: string[] = []
    for (const { sell, buy, usd } of tradesOf(drifts, left, body)) {
      const amount = (usd / sell.usd).toFixed(6)
      const swapped = yield call('swap', { sell: sell.token, buy: buy.token, amount, side: 'exact-in' })
      done.push(said(swapped))
      if (!isApproved(swapped)) break
    }
    return (
      done.join('\n') || 'Nothing was done: what is left is below the smallest trade, or above the limit of the day.'
    )
  },
  'stop-loss': function* (body) {
    const lines: string[] = []
    for (const [token = '', below = '', amount = '', into = ''] of rows(body)) {
      const usd = numberOf(yield call('price', { token }), 'usd')
      if (usd === undefined) lines.push(`${token} could not be watched: no source knows its price.`)
      else if (usd >= Number(below)) lines.push(`${token}: above.`)
      else if (hasSold(yield call('history', { limit: 20 }), token)) lines.push(`${token}: sold before.`)
      else {
        const held = heldOf(yield call('read_portfolio'), token)
        const quote = yield call('quote_swap', { sell: token, buy: into, amount })
        if (held === 0n || !quote.ok) lines.push(`${token}: nothing to sell, or no quote.`)
        else lines.push(said(yield call('swap', { sell: token, buy: into, amount, side: 'exact-in' })))
      }
    }
    return lines.join('\n')
  },
  'yield-sweep': function* (body) {
    const settings = keyed(body)
    const [token = '', where = ''] = ['token', 'where'].map((key) => settings.get(key))
    const [keep, line] = ['keep in the wallet', 'sweep when there is more than'].map((key) =>
      units(settings.get(key) ?? ''),
    )
    const have = heldOf(yield call('read_portfolio'), token)
    const lent = lentOf(yield call('lend_positions'), token)
    if (keep === undefined || line === undefined) return 'Nothing was done: the table names no amounts.'
    const place = where === 'aave' ? { token } : { vault: where }
    if (have > line) {
      const amount = text(have - keep)
      return said(
        yield where === 'aave'
          ? call('lend_supply', { ...place, amount })
          : call('vault_deposit', { ...place, amount }),
      )
    }
    if (have >= keep || lent === 0n) return 'Nothing to do.'
    const amount = text(keep - have < lent ? keep - have : lent)
    return said(
      yield where === 'aave'
        ? call('lend_withdraw', { ...place, amount })
        : call('vault_withdraw', { ...place, amount }),
    )
  },
}

type Part = Readonly<{ token: string; target: number; usd: number; worth: number }>
type Drift = Part & Readonly<{ over: number }>

/** Sells what is too heavy for what is too light, the largest first, as far as the day allows. */
function tradesOf(drifts: readonly Drift[], left: number, body: string) {
  const [smallest, most] = [setting(body, /Smallest trade: \$([\d.]+)/), setting(body, /At most (\d+) swaps/)]
  const open = drifts.map((one) => ({ ...one }))
  const trades: Readonly<{ sell: Drift; buy: Drift; usd: number }>[] = []
  for (let allowed = left; trades.length < most; ) {
    const [sell] = open.toSorted((a, b) => b.over - a.over)
    const [buy] = open.toSorted((a, b) => a.over - b.over)
    if (!sell || !buy) break
    const usd = Math.min(sell.over, -buy.over, allowed)
    if (usd < smallest) break
    trades.push({ sell: { ...sell }, buy: { ...buy }, usd })
    sell.over -= usd
    buy.over += usd
    allowed -= usd
  }
  return trades
}

function call(tool: string, args: object = {}): Call {
  return { tool, arguments: args }
}

const Read = z.object({
  text: z.string(),
  message: z.string().transform((text_) => /^Skill ([a-z0-9-]{1,64})\.$/.exec(text_)?.[1]),
})
const Told = z.union([
  z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({ ok: z.literal(false), error: z.string() }),
])
const Portfolio = z.object({ holdings: z.array(z.object({ symbol: z.string(), amount: z.string() })) })
const Lent = z.object({ positions: z.array(z.object({ token: z.string(), supplied: z.string() })) })
const Past = z.object({ actions: z.array(z.object({ description: z.string(), status: z.string() })) })
const Limits = z.object({
  policy: z.object({ caps: z.object({ outflow24hUsd: z.number().optional() }).optional() }).nullable(),
  outflow24h: z.string().optional(),
})

function heardIn(result: string): Heard {
  return Told.safeParse(JSON.parse(result)).data ?? { ok: false, error: 'The tool gave no answer that I can read.' }
}

function said(heard: Heard): string {
  return heard.ok ? String(heard.result['message']) : heard.error
}

function heldOf(heard: Heard, token: string): bigint {
  const list = heard.ok ? Portfolio.safeParse(heard.result).data?.holdings : undefined
  return units(list?.find(({ symbol }) => symbol === token)?.amount ?? '0')
}

function lentOf(heard: Heard, token: string): bigint {
  const list = heard.ok ? (Lent.safeParse(heard.result).data?.positions ?? []) : []
  return list.filter((one) => one.token === token).reduce((sum, { supplied }) => sum + units(supplied), 0n)
}

function numberOf(heard: Heard, key: string): number | undefined {
  const value = heard.ok ? heard.result[key] : undefined
  return typeof value === 'number' ? value : undefined
}

function isApproved(heard: Heard): boolean {
  const steps = heard.ok ? heard.result['steps'] : undefined
  return (
    Array.isArray(steps) &&
    steps.every((step: unknown) => z.object({ outcome: z.literal('approved') }).safeParse(step).success)
  )
}

function hasSold(heard: Heard, token: string): boolean {
  const list = heard.ok ? (Past.safeParse(heard.result).data?.actions ?? []) : []
  const sale = new RegExp(`^Swap [\\d.,]+ ${token.replace(/[^A-Za-z0-9]/g, '')} for `)
  return list.some(({ description, status }) => sale.test(description) && /^(EXECUTED|FILLED)/.test(status))
}

/** US dollars that may leave today. */
function leftOf(heard: Heard): number {
  const limits = heard.ok ? Limits.safeParse(heard.result).data : undefined
  const cap = limits?.policy?.caps?.outflow24hUsd
  return cap === undefined ? Number.POSITIVE_INFINITY : cap - Number((limits?.outflow24h ?? '').replace(/[$,]/g, ''))
}

function setting(body: string, pattern: RegExp): number {
  return Number(pattern.exec(body)?.[1] ?? 0)
}

/** The lines of a table below its head. */
function rows(body: string): readonly (readonly string[])[] {
  const lines = body.split('\n').flatMap((line) => {
    const cells = /^\|(.*)\|\s*$/.exec(line.trim())?.[1]
    return cells === undefined ? [] : [cells.split('|').map((cell) => cell.trim())]
  })
  const rule = lines.findIndex((cells) => cells.every((cell) => /^:?-{3,}:?$/.test(cell)))
  return lines.slice(rule + 1)
}

function keyed(body: string): ReadonlyMap<string, string> {
  return new Map(rows(body).map(([key = '', value = '']) => [key, value]))
}

function units(decimal: string): bigint {
  return /^\d+(\.\d+)?$/.test(decimal) ? parseDecimal(decimal, SCALE) : 0n
}

function text(amount: bigint): string {
  return formatDecimal(amount, SCALE)
}
