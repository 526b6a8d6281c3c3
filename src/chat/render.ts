import type { Outbound, VerdictCard } from '../harness/index.ts'
import { columns, plainLine, plainText, wrap } from './plain-text.ts'

/** How a terminal is written to. `width` is its columns. */
export type RenderOptions = Readonly<{ color: boolean; width: number }>

/** Fewest columns that a card is drawn in: a narrower terminal breaks its lines. */
const LEAST_WIDTH = 40

const LONGEST_LABEL = 16

/**
 * What a terminal shows of a message, to be written as it is. Pieces of an answer follow each other without a break;
 * all else stands on lines of its own. Only a verdict is drawn with a frame.
 */
export function renderOutbound(message: Outbound, { color, width }: RenderOptions): string {
  const style = color ? STYLES : PLAIN
  const columnsLeft = Math.max(width, LEAST_WIDTH)
  switch (message.type) {
    case 'text':
      return plainText(message.text)
    case 'status':
      return `\n${style.dim(linesOf(message.text, columnsLeft, '· '))}\n`
    case 'error':
      return `\n${style.red(linesOf(message.text, columnsLeft, '! '))}\n`
    case 'verdict':
      return `\n${cardLines(message.card, columnsLeft, style).join('\n')}\n${buttonLine(message, columnsLeft, style)}`
    case 'picture':
      return `\n${style.dim(linesOf(`${message.title} (a picture, to be seen in the web chat)`, columnsLeft, '· '))}\n`
    case 'end':
      return '\n'
  }
}

/** What a button does, in words: a terminal has none to press. */
function buttonLine(
  { card, buttons = [] }: Extract<Outbound, { type: 'verdict' }>,
  width: number,
  style: Style,
): string {
  if (buttons.length === 0) return ''
  const words = buttons.some(({ label }) => label === 'Approve')
    ? `To decide: /approve ${card.requestHash} or /reject ${card.requestHash}`
    : 'To decide: /execute or /cancel'
  return `${style.bold(linesOf(words, width, '? '))}\n`
}

type Paint = (text: string) => string
type Style = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', Paint>>

const paint = (on: number, off: number): Paint => {
  return (text) => text.replace(/[^\n]+/g, (line) => `\x1b[${on}m${line}\x1b[${off}m`)
}
const STYLES: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
}
const asItIs: Paint = (text) => text
const PLAIN: Style = { bold: asItIs, dim: asItIs, red: asItIs, green: asItIs, yellow: asItIs }

const OUTCOMES = {
  approved: { badge: '✓ APPROVED', colour: 'green' },
  rejected: { badge: '✗ REJECTED', colour: 'red' },
  pending: { badge: '… PENDING', colour: 'yellow' },
} as const

function linesOf(text: string, width: number, mark: string): string {
  const lines = plainText(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap(line, width - mark.length))
  return lines.map((line, i) => (i === 0 ? mark : ' '.repeat(mark.length)) + line).join('\n')
}

function cardLines(card: VerdictCard, width: number, style: Style): readonly string[] {
  const { badge, colour } = OUTCOMES[card.outcome]
  const frame = style[colour]
  const room = width - 2
  const [title = '', ...moreTitle] = wrap(plainLine(card.title), room - columns(badge) - 4)
  const sections = [
    [...moreTitle.map(style.bold), ...(card.reason === '' ? [] : wrap(reasonOf(card), room))],
    factLines(card, room, style),
    checkLines(card, room, style),
    executionLines(card, room, style),
  ]
  const body = sections.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
  return [
    `${frame(`┏━ ${badge} ━`)} ${style.bold(title)}`,
    ...body.map((line) => `${frame('┃')} ${line}`.trimEnd()),
    `${frame('┗━')} ${style.dim(plainLine(card.requestHash))}`,
  ]
}

function reasonOf({ outcome, reason, reasonCode }: VerdictCard): string {
  return plainLine(outcome === 'rejected' ? `${reason} (${reasonCode})` : reason)
}

function factLines({ lines }: VerdictCard, room: number, { dim }: Style): readonly string[] {
  const labels = lines.map(({ label }) => wrap(plainLine(label), LONGEST_LABEL)[0] ?? '')
  const indent = Math.max(0, ...labels.map(columns)) + 2
  return lines.flatMap(({ text }, i) => {
    const label = labels[i] ?? ''
    const before = dim(label) + ' '.repeat(indent - columns(label))
    return wrap(plainLine(text), room - indent).map((line, j) => (j === 0 ? before : ' '.repeat(indent)) + line)
  })
}

/** What failed, each with its reason; of all others the name. */
function checkLines({ checks }: VerdictCard, room: number, { red, green, dim }: Style): readonly string[] {
  const failed = checks.filter(({ status }) => status === 'failed')
  const names = (status: 'passed' | 'not_checked') =>
    checks.filter((check) => check.status === status).map(({ id }) => plainLine(id))
  return [
    ...failed.flatMap(({ id, reason }) => marked(`${plainLine(id)}: ${plainLine(reason)}`, '✗', red, room)),
    ...marked(names('passed').join(', '), '✓', green, room),
    ...marked(names('not_checked').join(', '), '–', dim, room, ' (not checked)'),
  ]
}

function marked(text: string, mark: string, colour: Paint, room: number, behind = ''): readonly string[] {
  if (text === '') return []
  return wrap(text + behind, room - 2).map((line, i) => `${i === 0 ? colour(mark) : ' '} ${line}`)
}

function executionLines({ execution }: VerdictCard, room: number, { red, green, dim }: Style): readonly string[] {
  if (execution === null) return []
  const { ok, text, txHash, explorerUrl } = execution
  const lines = marked(plainLine(text), ok ? '→' : '✗', ok ? green : red, room)
  return txHash === null
    ? lines
    : [
        ...lines,
        ...marked(explorerUrl === undefined ? `tx ${plainLine(txHash)}` : plainLine(explorerUrl), ' ', dim, room),
      ]
}
