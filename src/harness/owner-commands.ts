import { checksumAddress } from '../lib/address.ts'
import { formatDecimal, formatUsd, toMicroUsd } from '../lib/usd.ts'
import { chainOf } from '../registry/index.ts'
import type { Outbound } from './channel.ts'
import { type Bar, barChart } from './chart.ts'
import { fail, say, timeText } from './command-answer.ts'
import { type Confirmations, confirmText, type Place } from './confirmation.ts'
import type { OwnerDesk } from './owner-desk.ts'
import type { Paper } from './paper.ts'
import type { AgentSettings } from './router.ts'
import type { HarnessStatus } from './status.ts'
import type { Reader } from './tool.ts'

type Context = Readonly<{
  messageId: string
  place: Place
  agent: AgentSettings
  status: HarnessStatus
  reader: Reader | undefined
  paper: Paper | undefined
  desk: OwnerDesk | undefined
  confirmations: Confirmations | undefined
  emit(message: Outbound): Promise<void>
}>

const REQUEST_HASH = /^0x[0-9a-f]{64}$/
const HISTORY_LENGTH = 10

/** Commands about the wallet, what may leave it, and what waits for a person. */
export const OWNER_COMMANDS = {
  wallet: {
    help: 'the wallet, and what it holds',
    run: async ({ status, reader }: Context) => say(await walletText(status, reader)),
  },
  portfolio: {
    help: 'what the wallet holds, as a picture',
    async run({ reader }: Context) {
      if (!reader) return say(NO_WALLET)
      const { total, bars } = await portfolioBars(reader)
      if (bars.length === 0) return say('It holds nothing whose price I know.')
      const title = `${total}: ${bars.map(({ label, value }) => `${label} ${value}`).join(', ')}`
      return { type: 'picture', title, png: barChart(bars, `Portfolio  ${total}`) } as const
    },
  },
  limits: {
    help: 'what may leave the wallet, and how much of it is used',
    run: async ({ desk, emit }: Context) => (desk ? tellLimits(desk, emit) : say(NO_WALLET)),
  },
  history: {
    help: 'the latest actions, and what became of them',
    async run({ desk, paper }: Context) {
      const list = (await desk?.history(HISTORY_LENGTH)) ?? []
      const lines = await Promise.all(
        list.map(async ({ createdAt, status, description, requestHash }) => {
          const became = (await paper?.isFilled(requestHash)) ? 'filled on paper' : status.toLowerCase()
          return [`${timeText(createdAt)}  ${became}`, description, requestHash].join('\n')
        }),
      )
      return say(lines.length === 0 ? 'Nothing was proposed yet.' : lines.join('\n\n'))
    },
  },
  model: {
    help: 'which model answers here, and when it asks before acting',
    async run({ agent, status }: Context) {
      const model =
        agent.provider === undefined ? 'a rule-based stand-in' : `${agent.provider} ${agent.model ?? ''}`.trim()
      const acts = status.mode === 'dry-run' ? 'dry run, nothing is sent' : confirmText(agent.confirm ?? 'always')
      return say(`${agent.name}: ${model}. Actions: ${acts}.`)
    },
  },
  execute: {
    help: 'execute what I asked you to confirm last, as the button does',
    run: (context: Context) => answerLatest('execute', context),
  },
  cancel: {
    help: 'cancel what I asked you to confirm last',
    run: (context: Context) => answerLatest('cancel', context),
  },
  policy: {
    help: 'the policy in force (owners)',
    forOwners: true,
    async run({ desk }: Context) {
      const record = await desk?.policy()
      if (!record) return say('No policy is set: every action is rejected.')
      return {
        type: 'text',
        text: `Policy version ${record.version}:\n\`\`\`json\n${JSON.stringify(record.policy, null, 2)}\n\`\`\``,
      } as const
    },
  },
  approve: {
    help: 'let somebody in by their code, or approve a held action by its requestHash (owners)',
    forOwners: true,
    async run(context: Context, argument: string) {
      if (REQUEST_HASH.test(argument)) return review('approve', context, argument)
      const code = argument.toUpperCase()
      if (!/^[A-Z2-9]{8}$/.test(code)) return fail('Say what: /approve <pairing code>, or /approve <requestHash>.')
      const who = await context.desk?.letIn(code, nameOf(context.place))
      return who === undefined
        ? fail('Nobody waits with this code; it may have run out.')
        : say(`${who} may write to me now.`)
    },
  },
  reject: {
    help: 'reject a held action by its requestHash (owners)',
    forOwners: true,
    run: async (context: Context, argument: string) =>
      REQUEST_HASH.test(argument) ? review('reject', context, argument) : fail('Say which: /reject <requestHash>.'),
  },
  pause: {
    help: 'stop: nothing is signed from now on, on any replica, until /resume (owners)',
    forOwners: true,
    async run({ desk, place }: Context) {
      if (!desk) return fail(NO_WALLET)
      const changed = await desk.pause(nameOf(place))
      return say(
        `${changed ? 'Paused' : 'Paused before'}: nothing is signed until /resume. What was signed before can still be mined.`,
      )
    },
  },
  resume: {
    help: 'lift the pause (owners)',
    forOwners: true,
    async run({ desk, place }: Context) {
      const changed = await desk?.resume(nameOf(place))
      return say(changed ? 'Resumed: approved actions are signed again.' : 'Nothing was paused.')
    },
  },
} as const

const NO_WALLET = 'No wallet is configured, so nothing is decided or signed here.'

function nameOf({ channel, person }: Place): string {
  return `${channel}:${person}`
}

async function answerLatest(action: 'execute' | 'cancel', context: Context): Promise<Outbound | undefined> {
  const { confirmations, messageId, place, emit } = context
  if (!confirmations) return say(NO_WALLET)
  await confirmations.answerLatest(action, messageId, place, emit)
  return undefined
}

async function review(action: 'approve' | 'reject', context: Context, hash: string): Promise<Outbound | undefined> {
  const { confirmations, place, emit } = context
  if (!confirmations) return say(NO_WALLET)
  await confirmations.review(action, hash, place, emit)
  return undefined
}

async function walletText({ wallet, chainId, mode }: HarnessStatus, reader: Reader | undefined): Promise<string> {
  if (wallet === null || chainId === null || !reader) return NO_WALLET
  const balances = await reader.balances()
  const lines = await Promise.all(
    balances.map(async ({ token, amount }) => {
      const price = await reader.usdPrice(token).catch(() => undefined)
      const held = grouped(formatDecimal(amount, token.decimals))
      const worth =
        price === undefined ? '' : ` (${formatUsd(toMicroUsd(Number(formatDecimal(amount, token.decimals)) * price))})`
      return `${held} ${token.symbol}${worth}`
    }),
  )
  const where = `${checksumAddress(wallet)} on ${chainOf(chainId)?.name ?? `chain ${chainId}`}, ${mode}`
  return [where, ...(lines.length === 0 ? ['It holds nothing that I know of.'] : lines)].join('\n')
}

const MOST_BARS = 10

/** What the wallet holds and is worth most, each beside all of it. */
async function portfolioBars(reader: Reader): Promise<Readonly<{ total: string; bars: readonly Bar[] }>> {
  const balances = await reader.balances()
  const held = await Promise.all(
    balances.map(async ({ token, amount }) => {
      const price = await reader.usdPrice(token).catch(() => undefined)
      return { label: token.symbol, usd: Number(formatDecimal(amount, token.decimals)) * (price ?? 0) }
    }),
  )
  const worth = held.filter(({ usd }) => usd > 0).toSorted((a, b) => b.usd - a.usd)
  const total = worth.reduce((sum, { usd }) => sum + usd, 0)
  const bars = worth.slice(0, MOST_BARS).map(({ label, usd }) => {
    const share = usd / total
    return { label, value: `${formatUsd(toMicroUsd(usd))}  ${Math.round(share * 100)} %`, share }
  })
  return { total: formatUsd(toMicroUsd(total)), bars }
}

/** The service's interface has no question for it. */
const OUTFLOW_UNKNOWN = '(counted by the policy service, and not known here)'

/** The limits in words, and what is used of the day's as a picture. */
async function tellLimits(desk: OwnerDesk, emit: Context['emit']): Promise<Outbound | undefined> {
  const record = await desk.policy()
  if (!record) return say('No policy is set: every action is rejected.')
  const { caps = {} } = record.policy
  const used = await desk.outflow()
  const paused = await desk.paused()
  const cap = caps.outflow24hUsd
  const text = [
    ...(paused ? [`PAUSED by ${paused.by} since ${timeText(paused.at)}: nothing is signed.`] : []),
    `One transaction: ${caps.perTxUsd === undefined ? 'no limit' : `at most ${formatUsd(toMicroUsd(caps.perTxUsd))}`}`,
    `Last 24 hours: ${used === undefined ? OUTFLOW_UNKNOWN : formatUsd(used)} of ${cap === undefined ? 'no limit' : formatUsd(toMicroUsd(cap))}`,
  ].join('\n')
  await emit(say(text))
  if (cap === undefined || cap === 0 || used === undefined) return undefined
  const share = Number(used) / 1e6 / cap
  const value = `${formatUsd(used)} / ${formatUsd(toMicroUsd(cap))}`
  return {
    type: 'picture',
    title: `Last 24 hours: ${Math.round(share * 100)} % of the limit`,
    png: barChart([{ label: `${Math.round(share * 100)} % used`, value, share }], 'Outflow of the last 24 hours'),
  }
}

function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`
}
