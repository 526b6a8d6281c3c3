const FENCE = /^(`{3,}|~{3,})(.*)$/

/**
 * A text in chunks of at most `longest` UTF-16 code units. It is cut between paragraphs, lines, sentences or words, never
 * within an entity (bold, code, a link, a surrogate pair) that fits a chunk, and a code block that is cut is closed and
 * opened again. Cutting a longer text gives the same chunks but the last.
 */
export function chunks(text: string, longest: number): readonly string[] {
  if (text.length <= longest) return [text]
  const made: string[] = []
  let rest = text
  while (rest.length > longest) {
    const { head, tail } = cut(rest, longest)
    made.push(head)
    rest = tail
  }
  if (rest.trim() !== '') made.push(rest)
  return made
}

function cut(text: string, longest: number): Readonly<{ head: string; tail: string }> {
  // Room for closing a code block.
  const room = longest - 4
  const at = breakIn(text.slice(0, room))
  const head = text.slice(0, at)
  const open = openFence(head)
  const tail = text.slice(at).replace(/^\n/, '')
  if (open === undefined) return { head: head.trimEnd(), tail: tail.trimStart() }
  return { head: `${head.trimEnd()}\n${open.mark}`, tail: `${open.line}\n${tail}` }
}

/** The best place to cut a text that is full: where most ends, in the last half of it. */
function breakIn(text: string): number {
  const least = text.length / 2
  const inFence = openFence(text) !== undefined
  const candidates = inFence ? [/\n/g] : [/\n\n/g, /\n/g, /[.!?] /g, / /g]
  for (const pattern of candidates) {
    const places = [...text.matchAll(pattern)].map(({ index, 0: found }) => index + found.length)
    const best = places.filter((place) => place > least && (inFence || !splitsEntity(text, place))).at(-1)
    if (best !== undefined) return best
  }
  if (!inFence) {
    for (let place = text.length; place > 0; place--)
      if (!splitsEntity(text, place) && !splitsPair(text, place)) return place
  }
  return splitsPair(text, text.length) ? text.length - 1 : text.length
}

type Fence = Readonly<{ mark: string; line: string }>

/** The code block that is open at the end of a text. */
function openFence(text: string): Fence | undefined {
  let open: Fence | undefined
  for (const line of text.split('\n')) {
    const [, mark, info = ''] = FENCE.exec(line) ?? []
    if (mark === undefined) continue
    if (open === undefined) open = { mark, line }
    else if (mark.startsWith(open.mark) && info.trim() === '') open = undefined
  }
  return open
}

/** Whether a cut falls within inline code, bold, italics or a link of its line. */
function splitsEntity(text: string, place: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', place - 1) + 1, place)
  const code = before.replace(/``/g, '')
  if ((code.match(/`/g)?.length ?? 0) % 2 === 1) return true
  const plain = before.replace(/`[^`]*`/g, '')
  if ((plain.match(/\*\*/g)?.length ?? 0) % 2 === 1) return true
  // Looked for from the end: an expression would begin anew at each bracket, which takes minutes where there are thousands.
  const [opened, closed] = [plain.lastIndexOf('['), plain.lastIndexOf(']')]
  if (opened > closed || plain.endsWith(']') || plain.lastIndexOf('](') > plain.lastIndexOf(')')) return true
  return /&[a-z#0-9]*$/i.test(plain)
}

function splitsPair(text: string, place: number): boolean {
  const last = text.charCodeAt(place - 1)
  return last >= 0xd800 && last <= 0xdbff
}
