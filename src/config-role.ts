import { parseArgs } from 'node:util'
import type { ConfigFile } from './config-file.ts'
import { CountersignError } from './lib/errors.ts'
import type { Hex } from './lib/hash.ts'

const ROLES = ['service', 'harness', 'both'] as const

/** What a process does: decide, act, or both. */
export type Role = (typeof ROLES)[number]

/** A policy service in another process. `publicKey`: what its receipts must verify with; published by it by default. */
export type RemoteService = Readonly<{ url: string; publicKey: Hex | undefined; apiKey: string }>

/** A process's role, and where a harness has its actions decided: nothing where it does so itself. */
export type Roles = Readonly<{ role: Role; remote: RemoteService | undefined }>

/**
 * The role that `--role` names. Without it a process with `service.url` is a harness, and any other is both.
 *
 * @throws CountersignError invalid_request where role and settings do not fit
 */
export function rolesOf(
  named: string | undefined,
  { service: { url, publicKey } }: Pick<ConfigFile, 'service'>,
  apiKey: string | undefined,
): Roles {
  const role = named === undefined ? (url === undefined ? 'both' : 'harness') : ROLES.find((one) => one === named)
  if (role === undefined) throw wrong(`--role must be one of ${ROLES.join(', ')}.`)
  if (role === 'service') return { role, remote: undefined }
  if (role === 'both') {
    if (url === undefined) return { role, remote: undefined }
    throw wrong(
      '--role both decides in this process, and service.url names another: use --role harness, or leave it out.',
    )
  }
  if (url === undefined)
    throw wrong('--role harness needs service.url: the address of the policy service, which usually ends in /api.')
  if (apiKey === undefined) throw wrong('service.url needs SERVICE_API_KEY: an AGENT key of that policy service.')
  const remote = { url: url.replace(/\/+$/, ''), publicKey: publicKey as Hex | undefined, apiKey }
  return { role, remote }
}

/**
 * The words of the command. One that is overlooked could have been a role: nothing starts with it.
 *
 * @throws CountersignError invalid_request that lists what there is
 */
export function wordsOf(args: readonly string[]): Readonly<{ config?: string; role?: string }> {
  try {
    return parseArgs({ args: [...args], options: { config: { type: 'string' }, role: { type: 'string' } } }).values
  } catch {
    throw wrong('The command takes --config <file> and --role <service, harness or both>, and nothing else.')
  }
}

function wrong(message: string): CountersignError {
  return new CountersignError('invalid_request', message)
}
