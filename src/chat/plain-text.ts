// What is shown here was written by a model, a token's issuer or a node: it must neither steer the terminal nor reorder
// what stands beside it, and only a verdict card may have a frame.

/** Control characters but line feed and tab; what turns the direction of writing; what is not seen at all. */
const STEERING = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
const LEVEL = /[\u2500\u2501\u2504\u2505\u2508\u2509\u254c\u254d\u2550\u23af\u23ba-\u23bd]/gu
const FRAME = /[\u2320\u2321\u239b-\u23b9\u2500-\u259f\u2758-\u275a\uff5c\uffe8\u{1fb00}-\u{1fbff}]/gu

/** An untrusted text as a terminal may show it: lines and tabs are kept, all else that steers becomes `�`. */
export function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(STEERING, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'))
    .replace(LEVEL, '-')
    .replace(FRAME, '|')
}

/** The same in one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim()
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u

/** Columns that a line takes in a terminal. */
export function columns(line: string): number {
  let count = 0
  for (const character of line) count += WIDE.test(character) ? 2 : 1
  return count
}

/** A line broken between its words into lines of at most `width` columns; a longer word is broken within. */
export function wrap(line: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ').flatMap((word) => pieces(word, width))) {
    const longer = current === '' ? word : `${current} ${word}`
    if (columns(longer) <= width) current = longer
    else {
      lines.push(current)
      current = word
    }
  }
  return [...lines, current]
}

function pieces(word: string, width: number): readonly string[] {
  const parts = ['']
  for (const character of word) {
    const last = parts.at(-1) ?? ''
    if (last !== '' && columns(last + character) > width) parts.push(character)
    else parts[parts.length - 1] = last + character
  }
  return parts
}
