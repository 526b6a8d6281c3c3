import type { IncomingHttpHeaders } from 'node:http'
import { invalid } from '../validate.ts'

const LOOPBACK = /^(localhost|([a-z0-9-]+\.)+localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/**
 * Refuses what a foreign page can bring a browser to send: a request under a name that its owner pointed at this
 * machine (DNS rebinding), and one from another origin.
 *
 * @throws CountersignError `invalid_request` naming the header
 */
export function checkOrigin({ host: named = '', origin }: IncomingHttpHeaders, publicUrl: string): void {
  const host = urlOf(`http://${named}`)
  const isOwn = host !== undefined && (LOOPBACK.test(host.hostname) || host.host === new URL(publicUrl).host)
  if (!isOwn) throw invalid([{ path: 'Host', message: 'must be a loopback address or the host of the public address' }])
  if (origin === undefined) return
  const from = urlOf(origin)
  const isSame = from !== undefined && /^https?:$/.test(from.protocol) && from.host === host.host
  if (!isSame) throw invalid([{ path: 'Origin', message: 'must be the address that the request is sent to' }])
}

function urlOf(text: string): URL | undefined {
  return URL.parse(text) ?? undefined
}
