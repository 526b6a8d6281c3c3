import { PassThrough, type Readable } from 'node:stream'
import type { WebChannel, WebEvent } from '../../harness/index.ts'

const HEARTBEAT_MS = 15_000

/** A reader that takes nothing is let go when this much waits for it, in bytes; it may come back where it was. */
const MOST_WAITING = 4 * 1024 * 1024

/** Streams of conversations that are open now. */
export type EventStreams = Readonly<{
  /** The events of a conversation after one of them, as server-sent events. It ends when who listens may no more. */
  open(conversation: string, after: number, mayListen?: () => boolean): Readable
  /** Ends all of them, and every later one at once. */
  close(): void
}>

/** Event streams over the web channel. */
export function createEventStreams(chat: WebChannel): EventStreams {
  const streams = new Set<PassThrough>()
  let closed = false
  return {
    open(conversation, after, mayListen = () => true) {
      const stream = new PassThrough()
      if (closed) return stream.end()
      const write = (text: string) => {
        if (stream.writableLength > MOST_WAITING) stream.destroy()
        else if (!mayListen()) stream.end()
        else if (stream.writable) stream.write(text)
      }
      streams.add(stream)
      // Something at once: nothing is sent of a header before its body begins.
      write(': open\n\n')
      const unsubscribe = chat.subscribe(conversation, (event) => write(eventText(event)), after)
      // A page that waits for an answer of a process that is gone would wait for ever.
      if (!chat.isBusy(conversation)) write('event: idle\ndata: {}\n\n')
      const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS)
      stream.once('close', () => {
        clearInterval(heartbeat)
        unsubscribe()
        streams.delete(stream)
      })
      return stream
    },
    close() {
      closed = true
      for (const stream of streams) stream.end()
    },
  }
}

// JSON has no line break outside its strings and none within: it is one line of data.
function eventText({ id, message }: WebEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify(message)}\n\n`
}
