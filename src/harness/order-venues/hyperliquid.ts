import type { CoreOrder, ExchangeAnswer, Hyperliquid } from '../../chain/index.ts'
import { ok, refuse } from '../../lib/result.ts'
import { digestOfRequest, readHyperliquid } from '../../policy/index.ts'
import { type AskedVenue, type Fate, type OrderVenue, type OrderWord, plainReason } from '../order-venue.ts'

/** The venue takes nonces of the last two days and the next one. A day of that is left to the clocks. */
const NONCE_PAST_MS = 86_400_000
const NONCE_FUTURE_MS = 43_200_000

/** The venue's words for an order that goes on. */
const OPEN: ReadonlySet<string> = new Set(['open', 'triggered'])

/** Orders of Hyperliquid as they are asked about: by their maker's id, or by the venue's number. */
export function hyperliquidAsked(venue: Pick<Hyperliquid, 'order'>): AskedVenue {
  return {
    id: 'hyperliquid',
    order: async (account, key) => wordOf(await venue.order(account, /^\d+$/.test(key) ? Number(key) : key)),
    // The venue takes no action whose nonce is two days old.
    neverHeardOf: 'unfilled',
  }
}

/** Hyperliquid as a venue of orders. */
export function hyperliquid(venue: Hyperliquid): OrderVenue {
  return {
    ...hyperliquidAsked(venue),
    async sign(proposedTx, now, signDigest) {
      const request = readHyperliquid(proposedTx)
      if (!request.ok) return request
      const { nonce } = request.value
      if (nonce < now - NONCE_PAST_MS || nonce > now + NONCE_FUTURE_MS)
        return refuse('The nonce of the action is too far from now: it must be the time in milliseconds.')
      const signature = await signDigest(digestOfRequest(request.value))
      const [r, s] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`]
      const v = Number.parseInt(signature.slice(130), 16)
      const { action, vaultAddress, expiresAfter } = proposedTx
      const body = { action, nonce, signature: { r, s, v }, vaultAddress, expiresAfter }
      return ok({ nonce, body: JSON.stringify(body) })
    },
    send: async (body) => fateOf(await venue.exchange(body)),
  }
}

function wordOf(order: CoreOrder): OrderWord {
  if (!order.known) return { known: false }
  const { status: word, left, size } = order
  if (OPEN.has(word)) return { known: true, word, ending: 'open' }
  if (word === 'filled') return { known: true, word, ending: 'filled' }
  if (!/(cancel|reject)/i.test(word)) return { known: true, word, ending: 'unknown' }
  return { known: true, word, ending: left === size ? 'unfilled' : 'filled' }
}

/** Reads an answer of `/exchange`. An action all of whose orders were refused was refused. */
function fateOf(answer: ExchangeAnswer): Fate {
  if (answer.status === 'err') return { taken: false, reason: plainReason(answer.response) }
  const statuses = answer.response.data?.statuses ?? []
  const legs = statuses.flatMap((status, leg) =>
    typeof status === 'object' && typeof status['error'] === 'string'
      ? [{ leg, reason: plainReason(status['error']) }]
      : [],
  )
  const [first] = legs
  if (first !== undefined && legs.length === statuses.length) return { taken: false, reason: first.reason }
  return { taken: true, legs }
}
