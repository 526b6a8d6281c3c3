import { isAddress, toAddress } from '../lib/address.ts'
import { chainOf, tokenAt, tokenBySymbol, wrappedNative } from '../registry/index.ts'
import type { Effect } from './effect.ts'
import type { TokenName } from './intent.ts'

/** How an asset answers to a name: it is meant, it is the wrapped or plain form of what is meant, it only calls itself so, or not at all. */
export type NameMatch = 'meant' | 'wrapped form' | 'self-styled' | 'no'

/** The asset that a name stands for on a chain, where a list says so. */
export function assetNamed(name: TokenName, chainId: number): string | undefined {
  if (isAddress(name)) return toAddress(name)
  if (chainOf(chainId)?.native === name) return 'native'
  return tokenBySymbol(chainId, name)?.address
}

/** Whether one asset is the chain's own coin and the other its wrapped form. */
export function isWrappedForm(a: string, b: string, chainId: number): boolean {
  const wrapped = wrappedNative(chainId)
  return (a === 'native' && b === wrapped) || (b === 'native' && a === wrapped)
}

/** Whether an asset is what a person meant by a name. A symbol that a token gives itself proves nothing. */
export function matchName(asset: string, name: TokenName, { inspection: { chainId }, tokens }: Effect): NameMatch {
  const meant = assetNamed(name, chainId)
  if (meant === asset) return 'meant'
  if (meant !== undefined && isWrappedForm(asset, meant, chainId)) return 'wrapped form'
  const symbol = 'value' in tokens ? tokens.value[asset]?.symbol : undefined
  const isListed = asset === 'native' || tokenAt(chainId, toAddress(asset)) !== undefined
  return !isListed && symbol?.toUpperCase() === name ? 'self-styled' : 'no'
}
