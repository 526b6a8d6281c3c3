import type { HeldPort, Server } from '../api/index.ts'
import type { Config } from '../config.ts'
import type { Harness, Switchboard } from '../harness/index.ts'
import type { WebConsole } from './console-token.ts'
import type { Schedules } from './schedules.ts'

/** What a process opens when it starts. */
type Served = Readonly<{
  server: Server
  switchboard: Switchboard
  webConsole: WebConsole | undefined
  held: HeldPort | undefined
  schedules: Schedules
  harness: Harness
}>

/** Opens the channels, the listener and the schedules, in this order. @throws CountersignError unavailable when the port cannot be had */
export async function serve(
  config: Config,
  { server, switchboard, webConsole, held, schedules, harness }: Served,
): Promise<Readonly<{ port: number; consoleUrl: string | undefined }>> {
  // First: whoever asks then is told what is under way from before.
  await switchboard.start()
  const { port } = await server.listen(held ?? config.port, config.host)
  const consoleUrl = webConsole?.open(config.host, port)
  if (config.role !== 'service') schedules.start({ harness, switchboard })
  return { port, consoleUrl }
}
