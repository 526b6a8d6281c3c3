import type { Chains } from '../../chain/index.ts'
import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { Result } from '../../lib/result.ts'
import { chainOf, tokenAt, tokensOf } from '../../registry/index.ts'
import { readContracts, textOf, wordsOf } from '../contract-reads.ts'
import type { Asset } from '../decoded-action.ts'
import type { TokenIdentity } from '../facts.ts'
import { isPrintable } from '../printable.ts'
import type { Source } from '../source.ts'
import { isLookAlike } from './token-identity/look-alike.ts'

/** Where tokens are asked who they are, beside the bundled list. */
export type TokenIdentityDeps = Readonly<{ chains: Chains; now: () => Date }>

const DECIMALS: Hex = '0x313ce567'
const SYMBOL: Hex = '0x95d89b41'

const MAX_DECIMALS = 36n
const MAX_SYMBOL_LENGTH = 32
const CACHE_MS = 3_600_000
const MAX_CACHED = 10_000
/** What a chain's coin is called where the product does not know the chain. */
const UNNAMED_COIN = 'NATIVE'

type Read = Readonly<{ identity: TokenIdentity; readAt: Date }>

/**
 * Who the assets of an action say they are: the bundled list, else `decimals()` and `symbol()` of the token itself. A
 * token that answers neither, or whose symbol passes for that of a listed token of its chain, is null.
 */
export function tokenIdentity({ chains, now }: TokenIdentityDeps): Source<'tokens'> {
  const cache = new Map<string, Read>()

  async function read(tokens: readonly Address[], chainId: number, signal: AbortSignal): Promise<Map<Asset, Read>> {
    const calls = tokens.flatMap((to) => [
      { to, data: DECIMALS },
      { to, data: SYMBOL },
    ])
    const answers = tokens.length === 0 ? [] : await readContracts(chains, chainId, calls, signal)
    const readAt = now()
    const identities = tokens.flatMap((token, i) => {
      const identity = identityOf(chainId, answers[2 * i], answers[2 * i + 1])
      return identity === undefined ? [] : [[token, { identity, readAt }] as const]
    })
    for (const [token, one] of identities) keep(`${chainId}:${token}`, one)
    return new Map(identities)
  }

  function keep(key: string, one: Read): void {
    cache.delete(key)
    cache.set(key, one)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  }

  function cached(chainId: number, token: Asset): Read | undefined {
    const one = cache.get(`${chainId}:${token}`)
    return one !== undefined && now().getTime() - one.readAt.getTime() < CACHE_MS ? one : undefined
  }

  return {
    id: 'token-identity',
    fact: 'tokens',
    timeoutMs: 6_000,
    async ask({ chainId, assets, signal }) {
      const known = new Map(assets.map((asset) => [asset, bundled(chainId, asset)]))
      const kept = new Map(assets.map((asset) => [asset, known.get(asset) ? undefined : cached(chainId, asset)]))
      const unknown = assets.flatMap((asset) =>
        asset === 'native' || known.get(asset) || kept.get(asset) ? [] : [asset],
      )
      const fresh = await read(unknown, chainId, signal)
      const asked = assets.flatMap((asset) => kept.get(asset) ?? fresh.get(asset) ?? [])
      const identity = (asset: Asset) => known.get(asset) ?? (kept.get(asset) ?? fresh.get(asset))?.identity ?? null
      return {
        value: Object.fromEntries(assets.map((asset) => [asset, identity(asset)])),
        observedAt: new Date(Math.min(now().getTime(), ...asked.map(({ readAt }) => readAt.getTime()))),
        cached: assets.some((asset) => kept.get(asset) !== undefined),
      }
    },
  }
}

function bundled(chainId: number, asset: Asset): TokenIdentity | undefined {
  if (asset === 'native') return { symbol: coinOf(chainId), decimals: 18, listed: true, stable: false }
  const token = tokenAt(chainId, asset)
  return token && { symbol: token.symbol, decimals: token.decimals, listed: true, stable: token.stable }
}

function coinOf(chainId: number): string {
  return chainOf(chainId)?.native ?? UNNAMED_COIN
}

function identityOf(
  chainId: number,
  decimals: Result<Hex> | undefined,
  text: Result<Hex> | undefined,
): TokenIdentity | undefined {
  const [places] = wordsOf(decimals, 1) ?? []
  const symbol = textOf(text)
  if (places === undefined || places > MAX_DECIMALS || symbol === undefined || !isPrintable(symbol, MAX_SYMBOL_LENGTH))
    return undefined
  const known = [coinOf(chainId), ...tokensOf(chainId).map((token) => token.symbol)]
  if (isLookAlike(symbol, known)) return undefined
  return { symbol, decimals: Number(places), listed: false, stable: false }
}
