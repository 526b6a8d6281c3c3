import type { Config } from '../config.ts'
import {
  type Account,
  commandMenu,
  createConfirmations,
  createDiscordChannel,
  createOwnerDesk,
  createSwitchboard,
  createTelegramChannel,
  type Harness,
  type HarnessSettings,
  type Switchboard,
  type TelegramChannel,
  type Trading,
  type WebChannel,
} from '../harness/index.ts'
import type { Log } from '../lib/log.ts'
import type { DecisionPort, Principal } from '../policy/index.ts'
import type { Storage } from '../storage/index.ts'

type PeopleParts = Readonly<{
  config: Config
  storage: Storage
  policy: DecisionPort
  principal: Principal | undefined
  trading: Trading | undefined
  log: Log
}>

/** What the harness asks people, and what owners command. */
export function peopleOf(parts: PeopleParts): Pick<HarnessSettings, 'confirmations' | 'desk'> {
  const { config, storage, policy, principal, trading, log } = parts
  const { mode, wallet } = config
  return {
    desk: createOwnerDesk({ storage, policy, wallet, principal }),
    confirmations: trading && createConfirmations({ storage, trading: { ...trading, policy }, mode, log }),
  }
}

/** What channels are opened with. */
export type ChatParts = Readonly<{ harness: Harness; chat: WebChannel; storage: Storage; log: Log }>

/** The channels of a process, and what stands between them and the harness. */
export type Chat = Readonly<{
  switchboard: Switchboard
  /** Bots to which updates are brought, by their account. */
  webhooks: ReadonlyMap<string, TelegramChannel>
}>

/** All accounts that are configured. A platform's package is loaded when one of its accounts is opened. */
export function chatOf({ bots, webChat, timeZone }: Config, { chat, ...parts }: ChatParts): Chat {
  const menu = commandMenu()
  const accounts: Account[] = webChat ? [{ channel: chat, access: 'owner', isExclusive: false }] : []
  const webhooks = new Map<string, TelegramChannel>()
  for (const { platform, account, access, agent, ...settings } of bots) {
    const opened = { access, agent, isExclusive: true } as const
    if (platform === 'discord') {
      const bookmarks = bookmarksOf(parts.storage, account)
      accounts.push({ channel: createDiscordChannel({ ...settings, account, menu, bookmarks }), ...opened })
    } else {
      const channel = createTelegramChannel({ ...settings, account, menu })
      if (settings.webhook) webhooks.set(account, channel)
      accounts.push({ channel, ...opened })
    }
  }
  return { switchboard: createSwitchboard({ ...parts, accounts, timeZone }), webhooks }
}

function bookmarksOf({ stores }: Storage, account: string) {
  return {
    all: () => stores.bookmarks.all('discord', account),
    set: (channelId: string, lastId: string) => stores.bookmarks.set('discord', account, channelId, lastId),
  }
}
