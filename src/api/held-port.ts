import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { CountersignError, messageOf } from '../lib/errors.ts'

/** A port that is ours, on which a server begins to listen later. Until then whoever connects is turned away. */
export type HeldPort = Readonly<{
  port: number
  /** What holds it: an HTTP server listens on it, and then closes it. */
  holder: Server
  /** Gives it back, whether a server came to listen on it or not. */
  release(): Promise<void>
}>

/**
 * Takes any free port, so that its number is known before a server is built that has to name it.
 *
 * @throws CountersignError `unavailable` where there is none
 */
export async function holdPort(host: string): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy())
  try {
    await once(holder.listen(0, host), 'listening')
  } catch (cause) {
    throw new CountersignError('unavailable', `Cannot listen on ${host}: ${messageOf(cause)}`, { cause })
  }
  const { port } = holder.address() as AddressInfo
  return {
    port,
    holder,
    async release() {
      await new Promise<void>((resolve) => holder.close(() => resolve()))
    },
  }
}
