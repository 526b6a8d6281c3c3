import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
      written = leaveNote(JSON.stringify({ origin, token }))
      return `${origin}/console/chat#token=${encodeURIComponent(token)}`
    },
    close() {
      if (written) rmSync(CONSOLE_FILE, { force: true })
    },
  }
}

/** Whether the note could be left. Where nothing can be written the printed address still opens the chat. */
function leaveNote(text: string): boolean {
  try {
    mkdirSync(dirname(CONSOLE_FILE), { recursive: true, mode: 0o700 })
    writeFileSync(CONSOLE_FILE, text, { mode: 0o600 })
    return true
  } catch {
    return false
  }
}

/** An address that can be opened, where the process listens on all of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
