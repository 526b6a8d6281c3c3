import { randomInt } from 'node:crypto'
import type { Storage } from '../storage/index.ts'
import type { InboundMessage } from './channel.ts'

/** Who may write to an account. Ids are the platform's own, as text. */
export type AccessSettings = Readonly<{
  /** Who may write; nobody where it is empty and there is no pairing. */
  allowFrom?: readonly string[] | undefined
  /** Who may also command: they let others in, stop and resume signing, and decide what is held. */
  owners?: readonly string[] | undefined
  /** Groups in which those may write; only when the bot is spoken to, unless it says otherwise. */
  groups?: Readonly<Record<string, Readonly<{ requireMention?: boolean | undefined }>>> | undefined
  /** Whether others may ask to be let in. */
  pairing?: boolean | undefined
}>

/** Whether a message is for the agent. `pair`: the sender is given a code, once. `unknown`: the sender is told so, once. */
export type Admission =
  | Readonly<{ kind: 'admitted'; isOwner: boolean }>
  | Readonly<{ kind: 'ignored' }>
  | Readonly<{ kind: 'unknown' }>
  | Readonly<{ kind: 'pair'; code: string }>

const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8
const CODE_TTL_MS = 60 * 60_000
const MOST_PENDING = 3

/** Decides by the numeric id alone: names can be anybody's. */
export async function admit(
  { group, sender }: InboundMessage,
  { allowFrom = [], owners = [], groups = {}, pairing = false }: AccessSettings,
  { storage, channel, account }: Readonly<{ storage: Storage; channel: string; account: string }>,
): Promise<Admission> {
  const isOwner = owners.includes(sender)
  if (group !== undefined) {
    const named = [group.id, ...(group.within ?? [])].find((id) => Object.hasOwn(groups, id))
    const settings = named === undefined ? undefined : groups[named]
    if (settings === undefined || !(group.addressed || settings.requireMention === false)) return { kind: 'ignored' }
  }
  const store = storage.stores.pairings
  const isKnown =
    isOwner || allowFrom.includes(sender) || (pairing && (await store.isApproved(channel, account, sender)))
  if (isKnown) return { kind: 'admitted', isOwner }
  if (group !== undefined) return { kind: 'ignored' }
  if (!pairing) return { kind: 'unknown' }
  const code = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
  const given = await store.ask({ channel, account, sender, code, ttlMs: CODE_TTL_MS }, MOST_PENDING)
  return given === undefined ? { kind: 'ignored' } : { kind: 'pair', code: given }
}

/** What a stranger is told who may be let in. */
export function pairingText(code: string): string {
  return `I do not know you yet. Your code is ${code}. Give it to the owner, who lets you in with /approve ${code} within an hour.`
}
