import type { VerdictCard } from './verdict-card.ts'

/** A message that a person wrote, or a button that they pressed. All ids are the platform's own. */
export type InboundMessage = Readonly<{
  /** Unique within the account: a message delivered twice, or edited, has one id. */
  id: string
  conversation: string
  sender: string
  text: string
  /** Where it was written among several people: that place, what it is part of, and whether the bot was spoken to. */
  group?: Readonly<{ id: string; within?: readonly string[]; addressed: boolean }>
  /** The button that was pressed, and the message under which it stands. `text` is empty then. */
  button?: Readonly<{ id: string; under: string }>
  /** What `send` is to be given back with the answers, where the platform asks for it. */
  replyTo?: string
  /** The sender's time zone by its IANA name, where the platform tells it. */
  timeZone?: string
}>

/** Something that a person can press. Its id is told to nobody but those who see it. */
export type Button = Readonly<{ id: string; label: string; style: 'go' | 'stop' | 'plain' }>

/**
 * What goes out to a conversation while a turn runs, in order. The last of a turn is `end`.
 * `text` is a piece of the answer: pieces belong together until something else comes between them.
 * A `verdict` of a requestHash that was sent before takes the earlier one's place: it tells what became of it.
 */
export type Outbound =
  | Readonly<{ type: 'text'; text: string }>
  | Readonly<{ type: 'status'; text: string }>
  | Readonly<{ type: 'verdict'; card: VerdictCard; buttons?: readonly Button[] | undefined }>
  | Readonly<{ type: 'picture'; title: string; png: string }>
  | Readonly<{ type: 'error'; text: string }>
  | Readonly<{ type: 'end' }>

/** What one message on a platform shows. `text` is a whole answer, in light Markdown, or one chunk of it. `png` is base64. */
export type Body = Exclude<Outbound, { type: 'end' | 'verdict' }> | Readonly<{ type: 'verdict'; card: VerdictCard }>

/** One message on its way to a platform. */
export type Post = Readonly<{
  /** The same however often it is tried, over restarts too. */
  key: string
  body: Body
  buttons: readonly Button[]
  /** The platform's id of the message whose place it takes. */
  replaces?: string | undefined
  /** An answer that is still being written comes again, longer. */
  isFinal: boolean
  /** It may have arrived before: that is to be said with it. */
  isRepeat: boolean
  replyTo?: string | undefined
}>

/** Whether an answer is being made. Told again every few seconds; not kept, and not tried again. */
export type Activity = Readonly<{ type: 'working' | 'idle' }>

/**
 * What became of a post. `later`: it did not arrive, and may after a while. `unknown`: it may have arrived. `refused`: it
 * did not, and never will.
 */
export type Sent =
  | Readonly<{ ok: true; id: string }>
  | Readonly<{ ok: false; why: 'later'; afterMs: number; reason: string }>
  | Readonly<{ ok: false; why: 'unknown' | 'refused'; reason: string }>

/** Takes a message. When it is done the message is kept, and may be acknowledged; where it throws, it may not. */
export type Receive = (message: InboundMessage) => Promise<void>

/** How an account is doing. `lastHeardMs` is the age of the platform's last sign of life. */
export type ChannelState = Readonly<{ ok: boolean; detail: string; lastHeardMs?: number }>

/**
 * Where people talk to agents: one account of one platform. What all channels need beyond this lives in the core, once:
 * who may write, what was written and told, order, retries, length, streaming, buttons.
 */
export type Channel = Readonly<{
  name: string
  account: string
  /** Longest text of one message, in UTF-16 code units. */
  longest: number
  /** Milliseconds between two changes of an answer that grows. */
  paceMs(conversation: string): number
  /** Writes a moment (ms since 1970) so that each viewer reads it in their own zone, where the platform can. */
  showMoment?(ms: number): string
  /** Conversation in which a person is alone with the bot. */
  directWith(person: string): string
  /** @throws CountersignError `unauthenticated` or `unavailable` when the platform does not let it in; it is tried again */
  start(receive: Receive): Promise<void>
  /** Never throws: what went wrong is in the answer. */
  send(conversation: string, post: Post | Activity): Promise<Sent>
  stop(): Promise<void>
  state(): ChannelState
}>
