import { z } from 'zod'
import { defineDialect, type Message, type ModelRequest, type ProviderEvent } from '../provider.ts'
import { PERP_PHRASES, PERP_VOCABULARY } from './offline/perps.ts'
import { PREDICTION_PHRASES, PREDICTION_VOCABULARY } from './offline/predictions.ts'
import { skillStep } from './offline/skills.ts'

const NUMBER = String.raw`(\d+(?:\.\d+)?)`
const TOKEN = String.raw`([a-z0-9.$]+)`
const ADDRESS = '0x[0-9a-f]{40}'

/** What a sentence means: a tool call, or something to say. */
type Meaning = Readonly<{ tool: string; arguments: object }> | Readonly<{ say: string }>

/** A sentence it knows.. */
type Phrase = Readonly<{ pattern: RegExp; mean(groups: readonly string[]): Meaning | undefined }>

const PHRASES: readonly Phrase[] = [
  {
    pattern:
      /^(?:what (?:do i|does the wallet) (?:hold|have)|(?:show )?(?:my |the )?(?:portfolio|balances?|holdings))$/i,
    mean: () => ({ tool: 'read_portfolio', arguments: {} }),
  },
  {
    pattern: words(`quote ${NUMBER} ${TOKEN} (?:to|for|in) ${TOKEN}`),
    mean: ([amount, sell, buy]) => ({ tool: 'quote_swap', arguments: { sell, buy, amount } }),
  },
  {
    pattern: words(`swap ${NUMBER} ${TOKEN} (?:for|to|into) ${TOKEN}(.*)`),
    mean: ([amount, sell, buy, rest = '']) => {
      const options = swapOptions(rest)
      return options && { tool: 'swap', arguments: { sell, buy, amount, ...options } }
    },
  },
  {
    pattern: words(`(?:send|transfer) ${NUMBER} ${TOKEN} to (${ADDRESS})`),
    mean: ([amount, token, to]) => ({ tool: 'transfer', arguments: { token, to, amount } }),
  },
  {
    pattern: words(`approve ${NUMBER} ${TOKEN} (?:for|to) (${ADDRESS}|[a-z0-9-]+)`),
    mean: ([amount, token, spender]) => ({ tool: 'approve_token', arguments: { token, spender, amount } }),
  },
  ...PERP_PHRASES,
  ...PREDICTION_PHRASES,
  {
    pattern:
      /^(?:why(?: was (?:that|it|this) (?:rejected|refused|approved))?|explain(?: (?:that|it|(?:the |that )?(?:last )?verdict))?)$/i,
    mean: () => ({ tool: 'explain_verdict', arguments: {} }),
  },
  {
    pattern: words('simulate (.+)'),
    mean: ([sentence = '']) => {
      const meant = meantBy(sentence)
      return meant && 'tool' in meant ? { tool: 'simulate', arguments: meant } : undefined
    },
  },
  {
    pattern: words('run (?:the |my )?(?:skill )?([a-z0-9-]+)'),
    mean: ([name = '']) => ({ tool: 'read_skill', arguments: { name: name.toLowerCase() } }),
  },
  { pattern: /^(?:help|hi|hello|hey|what can you do)$/i, mean: () => ({ say: VOCABULARY }) },
]

const VOCABULARY = [
  'No language model is configured, so I understand these sentences only:',
  '• what do I hold',
  '• quote 100 USDC to WETH',
  '• swap 100 USDC for WETH [without a minimum output] [to 0x…] [via 0x…]',
  '• send 5 USDC to 0x…',
  '• approve 100 USDC for 0x…',
  ...PERP_VOCABULARY,
  ...PREDICTION_VOCABULARY,
  '• simulate swap 100 USDC for WETH, or any of these that changes something',
  '• run dca, portfolio-report, rebalance, stop-loss or yield-sweep: the skill as it is written',
  '• why was that rejected',
  'Every action is decided by the policy before anything is executed.',
].join('\n')

const UNKNOWN =
  'No language model is configured, and I do not understand that sentence. Write "help" to see those I know.'

/**
 * Stands in where no model is configured: fixed rules over the last message, text in, tool call out. It goes the same
 * way as any model, so everything behind it (tools, policy, gate) can be tried without a key.
 */
export const offline = defineDialect({
  api: 'offline',
  connect: async () => ({ stream }),
})

async function* stream(request: ModelRequest): AsyncGenerator<ProviderEvent, void> {
  const usage = { inputTokens: 0, outputTokens: 0 }
  const last = request.messages.at(-1)
  const meaning =
    skillStep(request.messages) ??
    (last?.role === 'user' ? meaningOf(last.text, request) : { say: answerTo(request.messages) })
  if ('say' in meaning) {
    yield { type: 'text', text: meaning.say }
    yield { type: 'done', reason: 'stop', usage }
    return
  }
  const id = `call_${request.messages.length}`
  yield { type: 'tool-call', call: { id, name: meaning.tool, arguments: meaning.arguments } }
  yield { type: 'done', reason: 'tool-calls', usage }
}

/** Tools that the sentences are for: without a wallet there is none of them. */
const WALLET_TOOLS: ReadonlySet<string> = new Set([
  'read_portfolio',
  'quote_swap',
  'swap',
  'transfer',
  'approve_token',
  'explain_verdict',
])

const NO_TOOLS =
  'I have no tools to do that with: they need a wallet and a node of its chain. Set WALLET_ADDRESS and RPC_URL (in .env, say), and start again.'

function meaningOf(text: string, { tools }: ModelRequest): Meaning {
  const sentence = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.!?]+$/, '')
    .replace(/^please /i, '')
  const meaning = meantBy(sentence)
  if (meaning === undefined) return { say: UNKNOWN }
  if ('say' in meaning || tools.some(({ name }) => name === meaning.tool)) return meaning
  return {
    say: !tools.some(({ name }) => WALLET_TOOLS.has(name))
      ? NO_TOOLS
      : `The tool ${meaning.tool} is switched off for this agent.`,
  }
}

/** What the first phrase that fits means. */
function meantBy(sentence: string): Meaning | undefined {
  for (const { pattern, mean } of PHRASES) {
    const match = pattern.exec(sentence)
    const meaning = match ? mean(match.slice(1)) : undefined
    if (meaning !== undefined) return meaning
  }
  return undefined
}

/** What may follow a swap; nothing where any of it is not understood, because half an order is another order. */
function swapOptions(rest: string): object | undefined {
  const clauses = new RegExp(
    `^ (?:(?<bare>without (?:a |any )?minimum(?: output)?)|(?:and send it )?to (?<to>${ADDRESS})|(?:through|via) (?<via>${ADDRESS}))`,
    'i',
  )
  const options: { minimumOutput?: string; recipient?: string; via?: string } = {}
  for (let left = rest; left !== ''; ) {
    const groups = clauses.exec(left)
    if (!groups) return undefined
    if (groups.groups?.bare) options.minimumOutput = '0'
    if (groups.groups?.to) options.recipient = groups.groups.to
    if (groups.groups?.via) options.via = groups.groups.via
    left = left.slice(groups[0].length)
  }
  return options
}

const ToolResult = z.union([
  z.object({ ok: z.literal(true), result: z.object({ message: z.string() }) }),
  z.object({ ok: z.literal(false), error: z.string() }),
])

/** The results' own sentences, in order. */
function answerTo(messages: readonly Message[]): string {
  const start = messages.findLastIndex(({ role }) => role === 'assistant')
  const said = messages
    .slice(start + 1)
    .flatMap((message) => (message.role === 'tool' ? [sentenceOf(message.result)] : []))
  return said.length > 0 ? said.join('\n') : UNKNOWN
}

function sentenceOf(text: string): string {
  const parsed = ToolResult.safeParse(JSON.parse(text))
  if (!parsed.success) return 'The tool gave no answer that I can read.'
  return parsed.data.ok ? parsed.data.result.message : parsed.data.error
}

function words(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'i')
}
