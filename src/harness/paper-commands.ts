import { formatDecimal, formatUsd, groupThousands, type MicroUsd } from '../lib/usd.ts'
import type { Outbound } from './channel.ts'
import { type Bar, barChart } from './chart.ts'
import { fail, say } from './command-answer.ts'
import type { Place } from './confirmation.ts'
import type { Paper } from './paper.ts'
import { placeText, type Statement } from './paper-statement.ts'
import type { HarnessStatus } from './status.ts'

type Context = Readonly<{
  status: HarnessStatus
  place: Place
  paper: Paper | undefined
  emit(message: Outbound): Promise<void>
}>

const DAYS_SHOWN = 10
const MOST_BARS = 10

/** The command over the paper portfolio of a dry run. */
export const PAPER_COMMANDS = {
  paper: {
    help: 'the paper portfolio of a dry run: what it holds, and what each skill and day made; /paper reset (owners)',
    async run({ status, place, paper, emit }: Context, argument: string): Promise<Outbound | undefined> {
      if (status.mode !== 'dry-run') return say('Paper is for dry runs: here everything is real.')
      if (!paper)
        return say('No paper portfolio is kept: it needs a wallet and a node of its chain, and paper switched on.')
      const wanted = argument.toLowerCase()
      if (wanted === 'reset') return reset(paper, place)
      if (wanted !== '') return fail('Say /paper, or /paper reset.')
      const statement = await paper.statement()
      if (statement === undefined)
        return say('Nothing was filled on paper yet: the first approved action begins with what the wallet has.')
      await emit(say(statementText(statement)))
      return picture(statement)
    },
  },
} as const

async function reset(paper: Paper, { channel, person, isOwner }: Place): Promise<Outbound> {
  if (!isOwner) return fail('Only an owner may begin it anew.')
  const was = await paper.reset(`${channel}:${person}`)
  return say(was ? 'The paper portfolio has ended; the next fill begins a new one.' : 'There is no paper portfolio.')
}

/** A statement in words. */
export function statementText({ openedAt, worth, hold, start, holdings, origins, days }: Statement): string {
  return [
    `Paper portfolio since ${new Date(openedAt).toISOString()}: ${signed(worth, false)}, ${signed(worth - start)} since then; doing nothing: ${signed(hold - start)}.`,
    '',
    'Holds:',
    ...holdings.map((one) => {
      const amount = groupThousands(formatDecimal(one.amount, one.decimals))
      return `  ${amount} ${one.symbol}${placeText(one)} (${one.worth === undefined ? 'no price' : signed(one.worth, false)})`
    }),
    '',
    'By skill, against doing nothing:',
    ...(origins.length === 0 ? ['  nothing was filled yet'] : []),
    ...origins.map(
      ({ origin, fills, profit, fees, gas }) =>
        `  ${origin}: ${signed(profit)} in ${fills} ${fills === 1 ? 'fill' : 'fills'} (fees ${formatUsd(fees)}, gas ${formatUsd(gas)})`,
    ),
    '',
    'By day, price moves included:',
    ...days
      .slice(-DAYS_SHOWN)
      .map(
        ({ day, worth: last, profit, fills }) =>
          `  ${day}: ${signed(profit)} to ${signed(last, false)}, ${fills} ${fills === 1 ? 'fill' : 'fills'}`,
      ),
  ].join('\n')
}

function picture({ holdings, worth }: Statement): Outbound | undefined {
  const bars = holdings
    .flatMap(({ symbol, worth: own = 0n }): readonly (Bar & { own: MicroUsd })[] =>
      own <= 0n || worth <= 0n
        ? []
        : [{ label: symbol, value: formatUsd(own), share: Number(own) / Number(worth), own }],
    )
    .toSorted((a, b) => Number(b.own - a.own))
    .slice(0, MOST_BARS)
  if (bars.length === 0) return undefined
  const title = `On paper: ${bars.map(({ label, value }) => `${label} ${value}`).join(', ')}`
  return { type: 'picture', title, png: barChart(bars) }
}

/** Dollars with their sign: a gain says so. */
export function signed(micro: MicroUsd, always = true): string {
  if (micro < 0n) return `-${formatUsd(-micro)}`
  return `${always ? '+' : ''}${formatUsd(micro)}`
}
