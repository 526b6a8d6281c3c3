import { explorerLink, OUTCOME_TEXT, shortChecks } from '../../card-text.ts'
import type { Body } from '../../channel.ts'
import { type Block, blocksOf, type Inline, inlineOf } from '../../markdown.ts'
import type { VerdictCard } from '../../verdict-card.ts'

/** A message in Telegram's HTML, and the same without any markup, for when it is not taken. */
export type Rendered = Readonly<{ html: string; plain: string }>

/** Longest text that Telegram takes, after its markup was read. */
export const LONGEST = 4_000

/** What Telegram shows of a body. Only a verdict is a quotation: nothing that a model writes looks like one. */
export function rendered(body: Exclude<Body, { type: 'picture' }>): Rendered {
  switch (body.type) {
    case 'text':
      return { html: blocksOf(body.text).map(blockHtml).join('\n'), plain: body.text }
    case 'status':
      return { html: `<i>${escaped(body.text)}</i>`, plain: body.text }
    case 'error':
      return { html: `⚠️ ${escaped(body.text)}`, plain: `⚠️ ${body.text}` }
    case 'verdict':
      return { html: cardHtml(body.card), plain: cardPlain(body.card) }
  }
}

/** A text in which nothing is markup. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function blockHtml(block: Block): string {
  switch (block.type) {
    case 'code': {
      const language = block.language === '' ? '' : ` class="language-${escaped(block.language)}"`
      return `<pre><code${language}>${escaped(block.text)}</code></pre>`
    }
    case 'heading':
      return `<b>${escaped(block.text)}</b>`
    case 'item':
      return `• ${lineHtml(block.text)}`
    case 'record':
      return block.cells
        .map(({ heading, text }, i) =>
          i === 0 ? `<b>${lineHtml(text)}</b>` : `  ${lineHtml(heading)}: ${lineHtml(text)}`,
        )
        .join('\n')
    case 'line':
      return lineHtml(block.text)
  }
}

function lineHtml(line: string): string {
  return inlineOf(line).map(inlineHtml).join('')
}

function inlineHtml(piece: Inline): string {
  const text = escaped(piece.text)
  switch (piece.type) {
    case 'text':
      return text
    case 'code':
      return `<code>${text}</code>`
    case 'bold':
      return `<b>${text}</b>`
    case 'italic':
      return `<i>${text}</i>`
    case 'link':
      return `<a href="${escaped(piece.url)}">${text}</a>`
  }
}

/** A card may have more in it than a message takes: then its checks are cut, never its facts. */
function cardHtml(card: VerdictCard): string {
  const { title, outcome, reason, reasonCode, lines, execution, requestHash } = card
  const code = outcome === 'rejected' ? ` <code>${escaped(reasonCode)}</code>` : ''
  const facts = lines.map(({ label, text }) => `<b>${escaped(label)}</b>  ${escaped(text)}`)
  const link = explorerLink(card)
  const done =
    execution === null
      ? []
      : [
          `${execution.ok ? '→' : '✗'} ${escaped(execution.text)}${link === undefined ? '' : ` <a href="${escaped(link)}">Transaction</a>`}`,
        ]
  const head = [`<b>${OUTCOME_TEXT[outcome]}: ${escaped(title)}</b>`, `${escaped(reason)}${code}`]
  const checks = within(shortChecks(card), 1_500).map(escaped)
  const foot = `<code>${escaped(requestHash)}</code>`
  return `<blockquote>${[...head, '', ...facts, '', ...checks, ...done, foot].join('\n')}</blockquote>`
}

function cardPlain(card: VerdictCard): string {
  const { title, outcome, reason, lines, execution, requestHash } = card
  return [
    `${OUTCOME_TEXT[outcome]}: ${title}`,
    reason,
    ...lines.map(({ label, text }) => `${label}: ${text}`),
    ...within(shortChecks(card), 1_500),
    ...(execution === null ? [] : [execution.text, ...(execution.txHash === null ? [] : [execution.txHash])]),
    requestHash,
  ].join('\n')
}

function within(lines: readonly string[], longest: number): readonly string[] {
  let room = longest
  return lines.filter((line) => {
    room -= line.length
    return room >= 0
  })
}
