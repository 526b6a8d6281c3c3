import { type HeldPort, holdPort } from '../api/index.ts'
import type { Config } from '../config.ts'

/**
 * A configuration that knows its port. Where any free one is asked for (`PORT=0`) and no public address is set, the port is
 * taken now: tokens, messages to sign and links name the address, and are no good with another.
 *
 * @throws CountersignError `unavailable` where no port can be had
 */
export async function withOwnPort(config: Config): Promise<Readonly<{ config: Config; held: HeldPort | undefined }>> {
  const address = new URL(config.publicUrl)
  if (config.port !== 0 || address.port !== '0') return { config, held: undefined }
  const held = await holdPort(config.host)
  address.port = String(held.port)
  return { config: { ...config, port: held.port, publicUrl: address.href }, held }
}
