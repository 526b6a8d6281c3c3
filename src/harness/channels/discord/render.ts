import { explorerLink, OUTCOME_TEXT, shortChecks } from '../../card-text.ts'
import type { Post } from '../../channel.ts'
import { type Block, blocksOf } from '../../markdown.ts'
import type { VerdictCard } from '../../verdict-card.ts'

/** Longest text of one message, with room for what tables grow by. */
export const LONGEST = 1_900

const HARD_LIMIT = 2_000
const COLOURS = { approved: 0x2e7d32, rejected: 0xc62828, pending: 0xf9a825 } as const
const REPEATED = '-# This may be here twice: a restart came between.'
/** Discord's limits of an embed (https://discord.com/developers/docs/resources/message#embed-object-embed-limits). */
const TITLE = 256
const VALUE = 1_024
const FIELDS = 20

/** A message's content and embeds. Only a verdict is an embed: nothing that a model writes looks like one. */
export function rendered({ body, isRepeat }: Pick<Post, 'body' | 'isRepeat'>) {
  const mark = (text: string) => (isRepeat ? `${REPEATED}\n${text}` : text).slice(0, HARD_LIMIT)
  switch (body.type) {
    case 'text':
      return { content: mark(blocksOf(body.text).map(blockText).join('\n') || '…'), embeds: [] }
    case 'status':
      return { content: mark(`-# ${escaped(body.text).replaceAll('\n', '\n-# ')}`), embeds: [] }
    case 'error':
      return { content: mark(`⚠️ ${escaped(body.text)}`), embeds: [] }
    case 'picture':
      return { content: mark(body.title), embeds: [] }
    case 'verdict':
      return { content: isRepeat ? REPEATED : '', embeds: [embedOf(body.card)] }
  }
}

/** Light Markdown is Discord's own, but for tables. */
function blockText(block: Block): string {
  switch (block.type) {
    case 'code':
      return `\`\`\`${block.language}\n${block.text}\n\`\`\``
    case 'heading':
      return `**${block.text}**`
    case 'item':
      return `- ${block.text}`
    case 'record':
      return block.cells.map(({ heading, text }, i) => (i === 0 ? `**${text}**` : `  ${heading}: ${text}`)).join('\n')
    case 'line':
      return block.text
  }
}

function escaped(text: string): string {
  // What shows a moment is left whole: it can do nothing else.
  return text.replace(/<t:\d{1,12}:f>|[\\*_~`|>[\]#-]/g, (found) => (found.length > 1 ? found : `\\${found}`))
}

function embedOf(card: VerdictCard) {
  const { title, outcome, reason, reasonCode, lines, execution, requestHash } = card
  const facts = lines
    .slice(0, FIELDS)
    .map(({ label, text }) => ({ name: label, value: escaped(text).slice(0, VALUE), inline: false }))
  const link = explorerLink(card)
  const done = execution && {
    name: execution.ok ? '→ done' : '✗ not done',
    value: `${escaped(execution.text)}${link === undefined ? '' : `\n[Transaction](${link})`}`.slice(0, VALUE),
    inline: false,
  }
  const checks = shortChecks(card).map(escaped).join('\n').slice(0, VALUE)
  return {
    title: `${OUTCOME_TEXT[outcome]}: ${title}`.slice(0, TITLE),
    description: `${escaped(reason)}${outcome === 'rejected' ? ` (${escaped(reasonCode)})` : ''}`.slice(0, HARD_LIMIT),
    color: COLOURS[outcome],
    fields: [
      ...facts,
      ...(checks === '' ? [] : [{ name: 'checks', value: checks, inline: false }]),
      ...(done ? [done] : []),
    ],
    footer: { text: requestHash },
  }
}
