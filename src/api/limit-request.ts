import type { Context } from 'koa'
import type { Principal } from '../auth/index.ts'
import { CountersignError } from '../lib/errors.ts'
import type { LimitName } from './limits.ts'
import type { Admission } from './rate-limit.ts'
import type { Services } from './services.ts'

/**
 * Counts a request of an integrator, a key or an address against a limit, and says in its answer how much is left.
 *
 * @throws CountersignError `rate_limited`; `unavailable` where a write cannot be counted
 */
export async function limitRequest(
  ctx: Context,
  counted: LimitName | 'none',
  principal: Principal | undefined,
  { limiter }: Pick<Services, 'limiter'>,
): Promise<void> {
  if (limiter === undefined || counted === 'none') return
  const who = principal?.appId ?? principal?.keyId ?? networkOf(ctx.req.socket.remoteAddress ?? '')
  const { admitted, headers } = await admission(limiter(counted, who), ctx.method)
  ctx.set(headers)
  if (!admitted) throw tooMany(counted, headers)
}

/** What cannot be counted is not written. Reading goes on. */
async function admission(asked: Promise<Admission>, method: string): Promise<Admission> {
  if (method !== 'GET' && method !== 'HEAD') return asked
  return asked.catch(() => ({ admitted: true, headers: {} }))
}

function tooMany(name: LimitName, headers: Admission['headers']): CountersignError {
  const wait = headers['Retry-After']
  return new CountersignError('rate_limited', `Too many requests in a minute (${name}). Wait ${wait} s.`)
}

/** An address of IPv4, or the network that one customer has of IPv6. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const missing = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  return [...head, ...missing, ...tail].slice(0, 4).join(':')
}
