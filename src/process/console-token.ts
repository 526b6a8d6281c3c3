import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a running harness leaves what `npm run chat` needs: its address and the token, for the owner's eyes alone. */
export const CONSOLE_FILE = join('.countersign', 'console.json')

/** The web chat of one process: its token, and the address at which a person opens it. */
export type WebConsole = Readonly<{
  token: string
  /** Leaves the note for `npm run chat`, and gives the address with the token in its fragment, which no server sees. */
  open(host: string, port: number): string
  close(): void
}>

/** A console with the token of the environment, or with a new one of 256 random bits. */
export function createConsole(chosen: string | undefined): WebConsole {
  const token = chosen ?? randomBytes(32).toString('base64url')
  let written = false
  return {
    token,
    open(host, port) {
      const origin = `http://${reachable(host)}:${port}`
      mkdirSync('.countersign', { recursive: true, mode: 0o700 })
      writeFileSync(CONSOLE_FILE, JSON.stringify({ origin, token }), { mode: 0o600 })
      written = true
      return `${origin}/console/chat#token=${token}`
    },
    close() {
      if (written) rmSync(CONSOLE_FILE, { force: true })
    },
  }
}

/** An address that can be opened, where the process listens on all of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
