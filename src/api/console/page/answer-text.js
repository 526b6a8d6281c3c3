import { element } from './element.js'

/** Blocks of code, code in a line, and strong words. All else is text, with its line breaks. */
const MARKED = /```[^\n`]*\n([\s\S]*?)(?:\n?```|$)\n?|`([^`\n]+)`|\*\*([^*\n]+)\*\*/g

/** The nodes of a model's text. There are no links, no images and no markup of its own in it. */
export function answerNodes(text) {
  const nodes = []
  let end = 0
  for (const match of text.matchAll(MARKED)) {
    const [whole, block, code, strong] = match
    if (match.index > end) nodes.push(text.slice(end, match.index))
    if (block !== undefined) nodes.push(element('pre', '', block))
    else if (code !== undefined) nodes.push(element('code', '', code))
    else nodes.push(element('strong', '', strong))
    end = match.index + whole.length
  }
  if (end < text.length) nodes.push(text.slice(end))
  return nodes
}
