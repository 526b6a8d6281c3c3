// The world of the corpus, as the validator asks for it: the product's decoders, and facts from a table.

import type { Address } from '../../../src/lib/address.ts'
import { ok } from '../../../src/lib/result.ts'
import { decodeProposed } from '../../../src/policy/decode-proposed.ts'
import { legOf } from '../../../src/policy/evidence.ts'
import { addressesOf, assetsOf } from '../../../src/policy/source.ts'
import type { Inspection, Model, Surroundings } from '../../../src/validation/index.ts'
import { ETH, IMPOSTOR, NOW, SANCTIONED, TOKENS } from './world.ts'

const known = new Map([ETH, ...TOKENS].map((token) => [token.address as string, token]))

/** Surroundings in memory, with a model where one is given. */
export function corpusSurroundings(model?: Model): Surroundings {
  return {
    async inspect(tx, wallet) {
      const decoded = decodeProposed(tx, wallet)
      if (!decoded.ok) return decoded
      const { legs, protocol, chainId, target, selector, calls } = decoded.value
      const assets = assetsOf(decoded.value)
      return ok({
        protocol,
        chainId,
        target,
        selector,
        ...(calls && { calls }),
        wallet: decoded.value.wallet,
        legs: legs.map((leg) => legOf(leg, chainId, {})),
        ...factsOf(chainId, assets, addressesOf(decoded.value)),
      })
    },
    balanceOf: async () => undefined,
    simulate: async () => undefined,
    model,
    now: () => NOW,
  }
}

function factsOf(
  chainId: number,
  assets: readonly string[],
  addresses: readonly Address[],
): Pick<Inspection, 'tokens' | 'prices' | 'marks' | 'sanctions'> {
  const tokens = assets.map((asset) => {
    const token = known.get(asset)
    if (asset === IMPOSTOR) return [asset, { symbol: 'USDC', decimals: 6, listed: false }] as const
    return [asset, token ? { symbol: token.symbol, decimals: token.decimals, listed: chainId === 1 } : null] as const
  })
  const prices = assets.map((asset) => {
    const token = known.get(asset)
    return [asset, token ? BigInt(Math.round(token.price * 1e8)) : null] as const
  })
  return {
    tokens: { value: Object.fromEntries(tokens) },
    prices: { value: Object.fromEntries(prices) },
    marks: { value: {} },
    sanctions: { value: { screened: addresses.length, hits: addresses.filter((one) => one === SANCTIONED) } },
  }
}
