import { isDeepStrictEqual } from 'node:util'
import { watch } from 'chokidar'
import type { Config } from '../config.ts'
import type { Harness } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { PolicyService } from '../policy/index.ts'

/** Milliseconds without a change, after which the file counts as written. */
const SETTLED_MS = 300

/** Who writes a policy that an owner changed in the file. */
const BY = 'configuration file'

type Parts = Readonly<{
  /** As it was at the start. */
  config: Config
  /** Reads it again. Throws where it is not right. */
  read(): Config
  path: string
  harness: Pick<Harness, 'reload'>
  /** Missing where another process decides: the policy in the file is that one's then. */
  policy: Pick<PolicyService, 'writePolicy'> | undefined
  /** Opens the channels anew, where they have changed. */
  reopen(config: Config): Promise<void>
  /** Tells the owner. Must not throw. */
  notice(text: string): Promise<void>
  log: Log
}>

/**
 * Takes up changes of the configuration file while the process runs: agents, providers, channels and the policy. A file
 * that is not right changes nothing, and is said. What else has changed waits for the next start.
 */
export function watchConfig(parts: Parts): Readonly<{ reload(): Promise<void>; close(): Promise<void> }> {
  const { log, path } = parts
  let current = parts.config
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()

  async function reload(): Promise<void> {
    try {
      const next = parts.read()
      const changed = changedOf(current, next)
      if (changed.length === 0) return
      await takeUp(next, current, parts)
      current = next
      log.info({ changed }, 'The configuration was taken up.')
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'The configuration is not right; the last good one goes on.')
      await parts.notice(`The configuration is not right, and the last good one goes on. ${messageOf(thrown)}`)
    }
  }

  const again = () => {
    working = working.then(reload)
    return working
  }
  const watcher = watch(path, { ignoreInitial: true }).on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void again(), SETTLED_MS).unref()
  })
  watcher.on('error', (thrown) => log.warn({ error: messageOf(thrown) }, 'The configuration is no longer watched.'))
  return {
    reload: again,
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await working
    },
  }
}

const WATCHED = ['agents', 'providers', 'bots', 'webOwners', 'policy'] as const

function changedOf(before: Config, after: Config): readonly string[] {
  return WATCHED.filter((key) => !isDeepStrictEqual(before[key], after[key]))
}

/** Agents first: where they are not right, nothing else is touched. */
async function takeUp(next: Config, before: Config, { harness, policy, reopen }: Parts): Promise<void> {
  harness.reload({ agents: next.agents, providers: next.providers })
  if (policy && next.policy && next.wallet !== undefined && !isDeepStrictEqual(before.policy, next.policy))
    await policy.writePolicy(next.wallet, next.policy, BY)
  if ((['bots', 'webOwners'] as const).some((key) => !isDeepStrictEqual(before[key], next[key]))) await reopen(next)
}
