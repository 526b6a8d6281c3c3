import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RateLimits } from './api/index.ts'
import type { ChainSettings } from './chain/index.ts'
import { type BotConfig, botsOf, type WebChatConfig, webChatOf } from './config-bots.ts'
import { ConfigFile } from './config-file.ts'
import { type RemoteService, type Role, rolesOf, wordsOf } from './config-role.ts'
import type { AgentSettings, ProviderConfig } from './harness/index.ts'
import { type Address, isAddress, toAddress } from './lib/address.ts'
import { CountersignError, messageOf } from './lib/errors.ts'
import { fieldErrors } from './lib/field-errors.ts'
import type { Hex } from './lib/hash.ts'
import type { LogLevel } from './lib/log.ts'
import { chainOf } from './registry/index.ts'
import { DEFAULT_APPROVAL_TTL_SECONDS } from './schema/policy.ts'
import { checkSecrets } from './secrets.ts'

/** Everything that a process is told from outside, checked. Secrets stand in fields of their own and are never printed. */
export type Config = Readonly<{
  role: Role
  /** The service in another process that decides; nothing where this one does. */
  remote: RemoteService | undefined
  port: number
  host: string
  logLevel: LogLevel
  mode: 'dry-run' | 'direct'
  /** Whether EXECUTION_MODE was set, or the mode is the default. */
  modeChosen: boolean
  databaseUrl: string | undefined
  wallet: Address | undefined
  privateKey: Hex | undefined
  serviceApiKey: string | undefined
  adminKey: string | undefined
  /** What receipts are signed with: 32 bytes. */
  signingKey: Hex | undefined
  consoleToken: string | undefined
  /** Where OpenTelemetry traces go over OTLP/HTTP; nowhere by default. */
  traces: string | undefined
  chainId: number
  chains: readonly ChainSettings[]
  agents: readonly [AgentSettings, ...AgentSettings[]]
  providers: Readonly<Record<string, ProviderConfig>>
  typedTools: boolean
  /** The bash tool's settings, where it is switched on. */
  bash: ConfigFile['tools']['bash']
  /** Days that conversations are kept. */
  retentionDays: number
  webChat: boolean
  webOwners: WebChatConfig['webOwners']
  /** The zone in which people are told times who named none, by its IANA name. */
  timeZone: string
  /** Bots whose tokens are set. */
  bots: readonly BotConfig[]
  publicUrl: string
  approvalTtlSeconds: number
  rateLimits: RateLimits
  validationIsPublic: boolean
  /** The paper portfolio of a dry run, where it is kept. */
  paper: ConfigFile['paper'] | undefined
  policy: ConfigFile['policy']
  sources: ConfigFile['sources']
}>

/** Where a configuration is read from. */
export type ConfigInput = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  file: unknown
  /** What `--role` names. */
  role?: string | undefined
}>

const DEFAULT_PORT = 4747
const DEFAULT_FILE = 'agents.config.json'
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/**
 * Reads `.env`, the environment, and the file that `--config` or CONFIG_FILE names.
 *
 * @throws CountersignError invalid_request: what is wrong, where, and what would be right; never a secret's value
 */
export function loadConfig(args: readonly string[] = process.argv.slice(2)): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { config = process.env.CONFIG_FILE?.trim() || undefined, role } = wordsOf(args)
  return readConfig({ env: process.env, file: readFile(config), role })
}

/** The database that the first argument names, else DATABASE_URL. */
export function loadDatabaseUrl(args: readonly string[] = process.argv.slice(2)): string | undefined {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return args[0] ?? (process.env.DATABASE_URL?.trim() || undefined)
}

/** The path of the file that `loadConfig` reads, whether it is there or not. */
export function configPath(args: readonly string[] = process.argv.slice(2)): string {
  return resolve(wordsOf(args).config ?? (process.env.CONFIG_FILE?.trim() || DEFAULT_FILE))
}

/** What `.env` and the environment say of a harness that runs already: where it listens, and its console's token. */
export function loadConsoleEnv(): Readonly<{
  host: string | undefined
  port: string | undefined
  token: string | undefined
}> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { HOST, PORT, CONSOLE_TOKEN } = process.env
  return { host: HOST?.trim() || undefined, port: PORT?.trim() || undefined, token: CONSOLE_TOKEN?.trim() || undefined }
}

/** The configuration of an environment and a parsed file. Pure. @throws CountersignError invalid_request */
export function readConfig({ env: rawEnv, file: rawFile, role: named }: ConfigInput): Config {
  const env = (name: string) => rawEnv[name]?.trim() || undefined
  const file = parseFile(rawFile)
  checkSecrets(env, secretsOf(file))
  const port = portOf(env('PORT')) ?? file.port ?? DEFAULT_PORT
  const roles = rolesOf(named, file, env('SERVICE_API_KEY'))
  // What only decides signs nothing, whatever else is set.
  const chosen = oneOf(env, 'EXECUTION_MODE', ['dry-run', 'direct'] as const)
  const mode = roles.role === 'service' ? 'dry-run' : chosen
  const wallet = walletOf(env('WALLET_ADDRESS'))
  if (mode === 'direct') requireForDirect(env)
  return {
    ...roles,
    port,
    host: env('HOST') ?? '127.0.0.1',
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS) ?? 'info',
    mode: mode ?? 'dry-run',
    modeChosen: mode !== undefined,
    databaseUrl: env('DATABASE_URL'),
    wallet,
    // Read in direct mode alone: a dry run never holds the key.
    privateKey: mode === 'direct' ? keyOf(env, 'PRIVATE_KEY') : undefined,
    serviceApiKey: env('SERVICE_API_KEY'),
    adminKey: env('SERVICE_ADMIN_KEY'),
    signingKey: keyOf(env, 'SERVICE_SIGNING_KEY'),
    consoleToken: env('CONSOLE_TOKEN'),
    traces: httpOf(env, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    chainId: file.chain.id,
    chains: chainsOf(file, httpOf(env, 'RPC_URL')),
    ...modelsOf(file, env),
    typedTools: file.tools.typed,
    bash: file.tools.bash?.enabled ? file.tools.bash : undefined,
    retentionDays: file.sessions.retentionDays,
    timeZone: file.timeZone,
    ...webChatOf(file, roles.role),
    bots: roles.role === 'service' ? [] : botsOf(file, env),
    publicUrl: (file.service.publicUrl ?? `http://localhost:${port}/api`).replace(/\/+$/, ''),
    rateLimits: rateLimitsOf(file),
    approvalTtlSeconds: file.service.approvalTtlSeconds ?? DEFAULT_APPROVAL_TTL_SECONDS,
    validationIsPublic: file.validation.public,
    paper: mode !== 'direct' && file.paper.enabled ? file.paper : undefined,
    policy: file.policy,
    sources: file.sources,
  }
}

function readFile(named: string | undefined): unknown {
  const path = resolve(named ?? DEFAULT_FILE)
  if (named === undefined && !existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (thrown) {
    const what = thrown instanceof SyntaxError ? `is not JSON${placeOf(thrown)}.` : 'cannot be read.'
    throw wrong(`The configuration file ${named ?? DEFAULT_FILE} ${what}`)
  }
}

/** Where the parser stopped, if it says so. The rest of its message repeats the text around, which may be a secret. */
function placeOf(thrown: SyntaxError): string {
  const place = /\(line \d+ column \d+\)/.exec(messageOf(thrown))
  return place ? ` ${place[0]}` : ''
}

function parseFile(raw: unknown): ConfigFile {
  const parsed = ConfigFile.safeParse(raw)
  if (!parsed.success) {
    const problems = fieldErrors(parsed.error, '(file)').map(({ path, message }) => `  ${path}: ${message}`)
    throw wrong(`The configuration file is not valid:\n${problems.join('\n')}`)
  }
  return parsed.data
}

/** Variables that the file names for the secrets of others. */
function secretsOf({ providers, channels }: ConfigFile): readonly string[] {
  const keys = Object.values(providers).flatMap(({ apiKey }) => apiKey?.env ?? [])
  const { telegram, discord } = channels
  const tokens = [telegram, discord].flatMap((channel) => Object.values(channel?.accounts ?? {}))
  const hooks = telegram?.webhook ? [telegram.webhook.secret.env] : []
  return [...new Set([...keys, ...hooks, ...tokens.map(({ botToken }) => botToken.env)])]
}

function requireForDirect(env: (name: string) => string | undefined): void {
  const missing = ['PRIVATE_KEY', 'RPC_URL', 'WALLET_ADDRESS', 'DATABASE_URL'].filter((name) => env(name) === undefined)
  if (missing.length > 0)
    throw wrong(
      `EXECUTION_MODE=direct signs and sends. It needs ${missing.join(', ')}${missing.includes('DATABASE_URL') ? ' (a durable store: file:<path> or postgres://…)' : ''}.`,
    )
}

/** A key of 32 bytes, where it is set. */
function keyOf(env: (name: string) => string | undefined, name: string): Hex | undefined {
  const digits = env(name)?.replace(/^0x/, '')
  if (digits === undefined) return undefined
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw wrong(`${name} must be 64 hex digits.`)
  return `0x${digits}`
}

/** The agents with the providers that can be used: an agent that names none gets the first whose key is set. */
function modelsOf(file: ConfigFile, env: (name: string) => string | undefined): Pick<Config, 'agents' | 'providers'> {
  const usable = Object.entries(file.providers).filter(([, { apiKey }]) => !apiKey || env(apiKey.env) !== undefined)
  const providers = Object.fromEntries(
    usable.map(([name, { apiKey, baseUrl, ...rest }]) => {
      const key = apiKey && env(apiKey.env)
      return [name, { ...rest, ...(key && { apiKey: key }), ...(baseUrl && { baseUrl }) }]
    }),
  )
  const withProvider = (agent: ConfigFile['agents'][number]): AgentSettings => {
    const name = agent.provider ?? usable[0]?.[0]
    const configured = name === undefined ? undefined : file.providers[name]
    if (name !== undefined && !configured)
      throw wrong(`agents: the agent ${agent.id} names the provider ${name}, which is not in providers.`)
    // Where no provider has a key the stand-in answers, so that a first start needs none.
    if (name === undefined || usable.length === 0)
      return { ...agent, provider: undefined, model: undefined, fallbacks: undefined }
    if (!providers[name])
      throw wrong(`The agent ${agent.id} uses the provider ${name}, whose key ${configured?.apiKey?.env} is not set.`)
    for (const fallback of agent.fallbacks ?? [])
      if (!providers[fallback.provider])
        throw wrong(
          `agents: the fallback ${fallback.provider} of the agent ${agent.id} is not in providers, or its key is not set.`,
        )
    return { ...agent, provider: name }
  }
  const [first, ...others] = file.agents
  return { providers, agents: [withProvider(first), ...others.map(withProvider)] }
}

function chainsOf({ chain, chains }: ConfigFile, rpcUrl: string | undefined): readonly ChainSettings[] {
  const own = { id: chain.id, name: chain.name ?? chainOf(chain.id)?.name ?? '', rpcUrl }
  const others = chains.map(({ id, name, rpcUrl: url }) => ({ id, name: name ?? chainOf(id)?.name ?? '', rpcUrl: url }))
  const listed = others.find(({ id }) => id === chain.id)
  return [{ ...own, rpcUrl: rpcUrl ?? listed?.rpcUrl }, ...others.filter(({ id }) => id !== chain.id)]
}

/** Requests a minute (specification 8, contract section 8). */
function rateLimitsOf({ service: { rateLimits = {} } }: ConfigFile): RateLimits {
  const { agentPerMinute, partnerPerMinute, partnerPolicyPerMinute, publicPerMinute, authPerMinute, adminPerMinute } =
    rateLimits
  return {
    agent: agentPerMinute ?? 120,
    partner: partnerPerMinute ?? 60,
    partnerPolicy: partnerPolicyPerMinute ?? 120,
    public: publicPerMinute ?? 60,
    auth: authPerMinute ?? 20,
    admin: adminPerMinute ?? 120,
  }
}

function httpOf(env: (name: string) => string | undefined, name: string): string | undefined {
  const text = env(name)
  if (text !== undefined && !(/^https?:\/\//.test(text) && URL.canParse(text)))
    throw wrong(`${name} must be an http(s) address.`)
  return text
}

function walletOf(text: string | undefined): Address | undefined {
  if (text === undefined) return undefined
  if (!isAddress(text))
    throw wrong('WALLET_ADDRESS must be 0x and 40 hex digits, in lower case or with a correct checksum.')
  return toAddress(text)
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw wrong('PORT must be a number from 0 to 65535.')
  return port
}

function oneOf<const value extends string>(
  env: (name: string) => string | undefined,
  name: string,
  values: readonly value[],
): value | undefined {
  const text = env(name)
  if (text === undefined) return undefined
  const found = values.find((value) => value === text)
  if (found === undefined) throw wrong(`${name} must be one of ${values.join(', ')}.`)
  return found
}

function wrong(message: string): CountersignError {
  return new CountersignError('invalid_request', message)
}
