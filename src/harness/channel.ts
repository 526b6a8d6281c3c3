import type { VerdictCard } from './verdict-card.ts'

/** A message that a person wrote. `conversation` and `sender` are the platform's own ids. */
export type InboundMessage = Readonly<{
  /** Unique within the channel: a message delivered twice has one id. */
  id: string
  conversation: string
  sender: string
  text: string
}>

/**
 * What goes out to a conversation while a turn runs, in order. The last of a turn is `end`.
 * `text` is a piece of the answer: pieces belong together until something else comes between them.
 * A `verdict` of a requestHash that was sent before takes the earlier one's place: it tells what became of it.
 */
export type Outbound =
  | Readonly<{ type: 'text'; text: string }>
  | Readonly<{ type: 'status'; text: string }>
  | Readonly<{ type: 'verdict'; card: VerdictCard }>
  | Readonly<{ type: 'error'; text: string }>
  | Readonly<{ type: 'end' }>

/** Where people talk to agents. What all channels need beyond this lives in the core, once. */
export type Channel = Readonly<{
  name: string
  start(receive: (message: InboundMessage) => Promise<void>): Promise<void>
  send(conversation: string, message: Outbound): Promise<void>
  stop(): Promise<void>
}>
