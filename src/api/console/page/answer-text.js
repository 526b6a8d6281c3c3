import { element } from './element.js'

/** Blocks of code; all else is lines. */
const CODE = /```[^\n`]*\n([\s\S]*?)(?:\n?```|$)\n?/g
/** Code in a line, and strong words. */
const MARKED = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/

/** The nodes of a model's text. There are no links, no images and no markup of its own in it. */
export function answerNodes(text) {
  const nodes = []
  let end = 0
  for (const match of text.matchAll(CODE)) {
    nodes.push(...linesOf(text.slice(end, match.index)), element('pre', '', match[1]))
    end = match.index + match[0].length
  }
  return [...nodes, ...linesOf(text.slice(end))]
}

/** Lines with their line breaks, and tables. */
function linesOf(text) {
  if (text === '') return []
  const nodes = []
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    if (lines[i].includes('|') && TABLE_RULE.test(lines[i + 1] ?? '')) {
      const rows = [lines[i]]
      for (i += 2; lines[i]?.includes('|'); i++) rows.push(lines[i])
      i -= 1
      nodes.push(table(rows.map(cellsOf)))
    } else {
      nodes.push(...lineNodes(lines[i]))
      if (i < lines.length - 1) nodes.push('\n')
    }
  }
  return nodes
}

function lineNodes(line) {
  const [, heading] = /^#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? []
  if (heading !== undefined) return [element('strong', '', ...wordsOf(heading))]
  return wordsOf(line.replace(/^(\s*)[-*]\s+(?=\S)/, '$1• '))
}

function wordsOf(line) {
  const nodes = []
  let end = 0
  for (const { 0: whole, 1: code, 2: strong, index } of line.matchAll(MARKED)) {
    if (index > end) nodes.push(line.slice(end, index))
    nodes.push(code === undefined ? element('strong', '', strong) : element('code', '', code))
    end = index + whole.length
  }
  if (end < line.length) nodes.push(line.slice(end))
  return nodes
}

function cellsOf(line) {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
  return cells.map((cell) => cell.trim())
}

/** A table on a wide page; on a phone each row is a list of its own, under the headings (see chat.css). */
function table([headings, ...rows]) {
  const head = element('tr', '', ...headings.map((text) => element('th', '', ...wordsOf(text))))
  const body = rows.map((cells) => {
    const made = cells.map((text, i) => {
      const cell = element('td', '', element('span', '', ...wordsOf(text)))
      cell.dataset.heading = headings[i] ?? ''
      return cell
    })
    return element('tr', '', ...made)
  })
  return element('table', '', element('thead', '', head), element('tbody', '', ...body))
}
