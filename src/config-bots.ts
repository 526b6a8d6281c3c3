import type { ConfigFile } from './config-file.ts'
import type { Role } from './config-role.ts'
import type { Address } from './lib/address.ts'
import { CountersignError } from './lib/errors.ts'

/** The web chat: whether it is served, and the wallets whose keys open it, beside its token. */
export type WebChatConfig = Readonly<{ webChat: boolean; webOwners: readonly Address[] }>

/** One account of a chat platform, with its token. */
export type BotConfig = Readonly<{
  platform: 'telegram' | 'discord'
  account: string
  botToken: string
  agent: string | undefined
  access: Readonly<{
    allowFrom?: readonly string[] | undefined
    owners?: readonly string[] | undefined
    groups?: Readonly<Record<string, Readonly<{ requireMention?: boolean | undefined }>>> | undefined
    pairing?: boolean | undefined
  }>
  apiRoot?: string | undefined
  webhook?: Readonly<{ url: string; secret: string }> | undefined
  restUrl?: string | undefined
  gatewayUrl?: string | undefined
}>

/** A bot without its token cannot be opened: that is said at the start, not found out later. */
export function botsOf(
  { channels, agents }: ConfigFile,
  env: (name: string) => string | undefined,
): readonly BotConfig[] {
  const { telegram, discord } = channels
  const secret = (name: string, path: string) => {
    const value = env(name)
    if (value === undefined) throw new CountersignError('invalid_request', `${path}: ${name} is not set.`)
    return value
  }
  const accountsOf = (platform: 'telegram' | 'discord', shared: Partial<BotConfig>): readonly BotConfig[] => {
    const { enabled, accounts = {} } = channels[platform] ?? {}
    if (enabled !== true) return []
    return Object.entries(accounts).map(([account, { botToken, agent, ...access }]) => {
      const path = `channels.${platform}.accounts.${account}`
      if (agent !== undefined && !agents.some(({ id }) => id === agent))
        throw new CountersignError('invalid_request', `${path}.agent: there is no agent ${agent}.`)
      return { platform, account, agent, access, ...shared, botToken: secret(botToken.env, `${path}.botToken`) }
    })
  }
  const { apiRoot, webhook, enabled: isTelegramOn } = telegram ?? {}
  const { restUrl, gatewayUrl } = discord ?? {}
  const hook = isTelegramOn &&
    webhook && { url: webhook.url, secret: secret(webhook.secret.env, 'channels.telegram.webhook.secret') }
  const telegrams = accountsOf('telegram', { apiRoot }).map((bot) =>
    hook
      ? { ...bot, webhook: { ...hook, url: `${hook.url.replace(/\/$/, '')}/${encodeURIComponent(bot.account)}` } }
      : bot,
  )
  return [...telegrams, ...accountsOf('discord', { restUrl, gatewayUrl })]
}

/** The web chat's settings. A process that only decides has none. */
export function webChatOf({ channels: { web } }: ConfigFile, role: Role): WebChatConfig {
  return { webChat: role !== 'service' && (web?.enabled ?? true), webOwners: web?.owners ?? [] }
}
