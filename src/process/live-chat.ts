import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config.ts'
import type { Switchboard } from '../harness/index.ts'
import { type Chat, type ChatParts, chatOf } from './chat.ts'

/** Channels that can be opened anew while the process runs. */
export type LiveChat = Chat &
  Readonly<{
    /** Wallets whose keys open the web chat now. */
    webOwners(): Config['webOwners']
    /** Closes all accounts and opens those that are configured now. Throws before anything is closed. */
    reopen(config: Config): Promise<void>
  }>

/** The channels of a process. The web chat stays open when the others change. */
export function liveChat(config: Config, parts: ChatParts): LiveChat {
  const life = { ending: false }
  const chat = { ...parts.chat, stop: async () => (life.ending ? parts.chat.stop() : undefined) }
  let current = chatOf(config, { ...parts, chat })
  let { bots, webOwners } = config
  const webhooks = new Map(current.webhooks)
  const switchboard: Switchboard = {
    start: () => current.switchboard.start(),
    stop() {
      life.ending = true
      return current.switchboard.stop()
    },
    reports: () => current.switchboard.reports(),
    prompt: (agentId, message) => current.switchboard.prompt(agentId, message),
    tell: (text) => current.switchboard.tell(text),
    isElsewhere: () => current.switchboard.isElsewhere(),
  }
  return {
    switchboard,
    webhooks,
    webOwners: () => webOwners,
    async reopen(next) {
      webOwners = next.webOwners
      if (isDeepStrictEqual(bots, next.bots)) return
      const made = chatOf(next, { ...parts, chat })
      await current.switchboard.stop()
      current = made
      bots = next.bots
      webhooks.clear()
      for (const [account, channel] of made.webhooks) webhooks.set(account, channel)
      await made.switchboard.start()
    },
  }
}
