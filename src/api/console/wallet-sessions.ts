import { randomBytes } from 'node:crypto'
import type { Address } from '../../lib/address.ts'
import { sha256 } from '../../lib/hash.ts'

/** Sessions of owners who signed in with a wallet. They end with the process, as the printed token does. */
export type WalletSessions = Readonly<{
  /** @returns the secret that the browser keeps; 256 random bits, of which only the digest is kept here */
  open(wallet: Address): string
  /** The wallet of a secret; nothing for an unknown, ended or expired one. */
  find(secret: string | undefined): Address | undefined
  end(secret: string | undefined): void
}>

/** How long a session lasts, in seconds. */
export const SESSION_SECONDS = 12 * 3_600

/** Sessions at a time. The oldest makes room. */
const MOST = 100

/** Builds them over a clock, in milliseconds. */
export function createWalletSessions(now: () => number = Date.now): WalletSessions {
  const sessions = new Map<string, Readonly<{ wallet: Address; until: number }>>()
  return {
    open(wallet) {
      const secret = randomBytes(32).toString('base64url')
      sessions.set(sha256(secret), { wallet, until: now() + SESSION_SECONDS * 1000 })
      const [oldest] = sessions.keys()
      if (sessions.size > MOST && oldest !== undefined) sessions.delete(oldest)
      return secret
    },
    find(secret) {
      if (secret === undefined) return undefined
      const session = sessions.get(sha256(secret))
      return session !== undefined && now() < session.until ? session.wallet : undefined
    },
    end(secret) {
      if (secret !== undefined) sessions.delete(sha256(secret))
    },
  }
}
