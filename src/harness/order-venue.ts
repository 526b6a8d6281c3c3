import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import type { VenueAction } from '../schema/action.ts'

/**
 * What a venue says of an order: its own word, and what that means. An order that ended was filled, in part at least, or
 * not at all; a word that is not known ends nothing.
 */
export type OrderWord =
  | Readonly<{ known: false }>
  | Readonly<{ known: true; word: string; ending: 'open' | 'filled' | 'unfilled' | 'unknown' }>

/** What a venue made of an action: refused as a whole, or taken, but for the legs that are named. */
export type Fate =
  | Readonly<{ taken: true; legs: readonly Readonly<{ leg: number; reason: string }>[] }>
  | Readonly<{ taken: false; reason: string }>

/** An action with its signature: what is sent, to the byte, and a number that no other action of the signer has. */
export type SignedAction = Readonly<{ nonce: number; body: string }>

/** A venue whose orders can be asked about. */
export type AskedVenue = Readonly<{
  /** As `venue_orders` and the legs of an action name it. */
  id: string
  /** What the venue says of an order, by the key that is journaled. Throws `CountersignError` where it does not answer. */
  order(account: Address, key: string): Promise<OrderWord>
  /** What becomes of an order that the venue still does not know when its time to be placed is over. */
  neverHeardOf: 'filled' | 'unfilled'
}>

/** One venue that takes signed orders. */
export type OrderVenue = AskedVenue &
  Readonly<{
    /** Signs an approved action as it is stored; a reason where it cannot be placed any more. */
    sign(action: VenueAction, now: number, signDigest: (digest: Hex) => Promise<Hex>): Promise<Result<SignedAction>>
    /** Sends what was signed. What is thrown leaves open whether the venue took it. */
    send(body: string): Promise<Fate>
  }>

const LONGEST_REASON = 200

/** A venue's words are shown to people and models: one line of plain characters. */
export function plainReason(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_REASON)
}
