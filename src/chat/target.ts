import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { CountersignError } from '../lib/errors.ts'

/** A running harness: its origin, and the token of its console where it is known. */
export type Target = Readonly<{ origin: string; token: string | undefined }>

/** What is known of a harness: by the command line, by the note that a running one leaves, by the environment. */
export type Known = Readonly<{
  flags: Readonly<{ url?: string | undefined; token?: string | undefined }>
  note: Target | undefined
  env: Readonly<{ host: string | undefined; port: string | undefined; token: string | undefined }>
}>

const DEFAULT_PORT = '4747'

/**
 * The harness to talk to: the one that the flags name, else the one that left its note here, else the environment's.
 * The note's token goes to the harness that wrote it, and to no other.
 *
 * @throws CountersignError `invalid_request` when the address is none
 */
export function targetOf({ flags, note, env }: Known): Target {
  const origin = flags.url === undefined ? (note?.origin ?? addressOf(env)) : originOf(flags.url)
  const noted = note?.origin === origin ? note.token : undefined
  const ofEnv = flags.url === undefined ? (noted ?? env.token) : (env.token ?? noted)
  return { origin, token: flags.token ?? ofEnv }
}

const Note = z.object({ origin: z.url({ protocol: /^http$/ }), token: z.string().min(1) })

/** What a running harness has left in a file; nothing where it is not there or not readable. */
export function readNote(file: string): Target | undefined {
  if (!existsSync(file)) return undefined
  try {
    return Note.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

function addressOf({ host = '127.0.0.1', port = DEFAULT_PORT }: Known['env']): string {
  const reachable = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host
  return originOf(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`)
}

function originOf(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CountersignError('invalid_request', `The address must be like http://127.0.0.1:${DEFAULT_PORT}.`)
  return url.origin
}
