/** Characters that are gathered before they are sent: models speak in pieces of a few. */
const PIECE = 48

/** Gathers a model's text into pieces that are worth sending. */
export type TextPieces = Readonly<{ add(text: string): Promise<void>; flush(): Promise<void> }>

/** Sends a piece at each line's end, and when it has grown long enough. The pieces joined are the text. */
export function createTextPieces(send: (text: string) => Promise<void>): TextPieces {
  let held = ''
  const flush = async () => {
    const piece = held
    held = ''
    if (piece !== '') await send(piece)
  }
  return {
    flush,
    async add(text) {
      held += text
      if (held.length >= PIECE || text.includes('\n')) await flush()
    },
  }
}
