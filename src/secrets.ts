import { CountersignError } from './lib/errors.ts'

/** Environment variables that hold secrets of our own, and the fewest characters of each. */
const SECRETS = {
  PRIVATE_KEY: 64,
  SERVICE_API_KEY: 32,
  SERVICE_ADMIN_KEY: 32,
  SERVICE_SIGNING_KEY: 64,
  CONSOLE_TOKEN: 32,
} as const

/** What people leave in a file that they copied, and what programs write for a value that they do not have. */
const PLACEHOLDER =
  /^(undefined|null|none|\[object object\]|changeme|change-me|secret|password|test|x+|0+|(0x)?(.)\3+|<.*>|your[-_ ].*)$/i

/** Somebody else's secret may be any word: what programs write for a value that they do not have is none. */
const NO_VALUE = /^(undefined|null|\[object object\])$/i

/**
 * Stops the start-up over a secret that protects nothing: too short, a placeholder, or used twice.
 *
 * @param others variables that hold the secrets of model providers and chat platforms
 * @throws CountersignError invalid_request naming the variable, never its value
 */
export function checkSecrets(env: (name: string) => string | undefined, others: readonly string[] = []): void {
  const seen = new Map<string, string>()
  const differs = (name: string, value: string) => {
    const other = seen.get(value)
    if (other !== undefined) throw wrong(`${name} and ${other} hold the same value; each secret needs its own.`)
  }
  for (const [name, shortest] of Object.entries(SECRETS)) {
    const value = env(name)
    if (value === undefined) continue
    if (PLACEHOLDER.test(value)) throw wrong(`${name} holds a placeholder, not a secret.`)
    if (value.length < shortest) throw wrong(`${name} must have at least ${shortest} characters.`)
    differs(name, value)
    seen.set(value, name)
  }
  for (const name of others) {
    const value = name in SECRETS ? undefined : env(name)
    if (value === undefined) continue
    if (NO_VALUE.test(value)) throw wrong(`${name} holds a placeholder, not a secret.`)
    differs(name, value)
  }
}

function wrong(message: string): CountersignError {
  return new CountersignError('invalid_request', message)
}
