import type { Config } from '../config.ts'
import { createShell, type HarnessSettings } from '../harness/index.ts'
import { CountersignError } from '../lib/errors.ts'

/**
 * The bash tool's runner, where the owner switched it on.
 *
 * @throws CountersignError invalid_request naming the setting that is wrong
 */
export function shellOf({ bash, serviceApiKey, publicUrl, port, remote }: Config): HarnessSettings['shell'] {
  if (bash === undefined) return undefined
  const { commands = [], paths = [] } = bash.allow ?? {}
  if (commands.length === 0)
    throw new CountersignError('invalid_request', 'tools.bash.allow.commands: at least one program must be allowed.')
  if (!bash.serviceKey) return createShell({ commands, paths })
  if (serviceApiKey === undefined)
    throw new CountersignError('invalid_request', 'tools.bash.serviceKey needs SERVICE_API_KEY.')
  const own = [publicUrl, `http://127.0.0.1:${port}/api`, `http://localhost:${port}/api`]
  const addresses = remote === undefined ? own : [remote.url]
  return createShell({ commands, paths, service: { key: serviceApiKey, addresses } })
}
