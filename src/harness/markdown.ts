/** A piece of light Markdown, as models write it. */
export type Inline =
  | Readonly<{ type: 'text' | 'code' | 'bold' | 'italic'; text: string }>
  | Readonly<{ type: 'link'; text: string; url: string }>

/** A block of it. `line` is one line; `record` is a row of a table, each cell with its heading. */
export type Block =
  | Readonly<{ type: 'code'; language: string; text: string }>
  | Readonly<{ type: 'heading' | 'line' | 'item'; text: string }>
  | Readonly<{ type: 'record'; cells: readonly Readonly<{ heading: string; text: string }>[] }>

const FENCE = /^(`{3,}|~{3,})\s*([\w+-]*)\s*$/
const TABLE_RULE = /^:?-{2,}:?$/

/** The blocks of a text. What is not understood is a line. An open code block ends with the text. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const [, mark, language = ''] = FENCE.exec(line) ?? []
    if (mark !== undefined) {
      const end = lines.findIndex((other, j) => j > i && other.trim().startsWith(mark) && other.trim() === mark)
      const last = end === -1 ? lines.length : end
      blocks.push({ type: 'code', language, text: lines.slice(i + 1, last).join('\n') })
      i = last
    } else if (line.includes('|') && isTableRule(lines[i + 1] ?? '')) {
      const headings = cellsOf(line)
      i += 2
      for (; (lines[i] ?? '').includes('|'); i++)
        blocks.push({
          type: 'record',
          cells: cellsOf(lines[i] ?? '').map((cell, j) => ({ heading: headings[j] ?? '', text: cell })),
        })
      i -= 1
    } else blocks.push(lineBlock(line))
  }
  return blocks
}

function lineBlock(line: string): Block {
  const [, heading] = /^#{1,6}\s+(\S.*)$/s.exec(line) ?? []
  if (heading !== undefined) return { type: 'heading', text: heading.replace(/\s*#*$/, '') || heading }
  const [, item] = /^\s*[-*•]\s+(.+)$/.exec(line) ?? []
  return item === undefined ? { type: 'line', text: line } : { type: 'item', text: item }
}

function isTableRule(line: string): boolean {
  return cellsOf(line).every((cell) => TABLE_RULE.test(cell))
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
}

const INLINE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(?<![\w*])\*([^*\s][^*\n]*)\*(?![\w*])/g

/** The pieces of a line. */
export function inlineOf(line: string): readonly Inline[] {
  const pieces: Inline[] = []
  let from = 0
  for (const match of line.matchAll(INLINE)) {
    const [whole, code, bold, label, url, italic] = match
    if (match.index > from) pieces.push({ type: 'text', text: line.slice(from, match.index) })
    if (code !== undefined) pieces.push({ type: 'code', text: code })
    else if (bold !== undefined) pieces.push({ type: 'bold', text: bold })
    else if (label !== undefined && url !== undefined) pieces.push({ type: 'link', text: label, url })
    else if (italic !== undefined) pieces.push({ type: 'italic', text: italic })
    from = match.index + whole.length
  }
  if (from < line.length) pieces.push({ type: 'text', text: line.slice(from) })
  return pieces
}
