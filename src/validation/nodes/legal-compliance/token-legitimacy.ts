import { isAddress } from '../../../lib/address.ts'
import { tokenBySymbol } from '../../../registry/index.ts'
import type { Effect } from '../../effect.ts'
import { defineEffectNode, type NodeInput } from '../../node.ts'

/** Each token is the one that its symbol promises, is listed or named by address, and moves as it should. */
export const tokenLegitimacy = defineEffectNode({
  id: 'legal_compliance.token_legitimacy',
  critical: true,
  async run(effect, input) {
    const { tokens } = effect
    if ('missing' in tokens) return { down: `Tokens could not be identified: ${tokens.missing}` }
    for (const asset of assetsOf(effect)) {
      const fault = faultOf(asset, effect, input)
      if (fault !== undefined) return { fail: fault, details: { token: asset } }
    }
    const txs = input.candidate.steps.flatMap(({ tx }) => (tx === undefined ? [] : [tx]))
    // Of a sender that nobody named a node knows nothing.
    const { wallet, walletKnown } = input.candidate
    const simulated = walletKnown ? await input.surroundings.simulate(txs, wallet) : undefined
    if (simulated && !simulated.ok)
      return { fail: `It does not run: ${simulated.reason}`, details: { simulated: true } }
    return {
      pass: 'Every token is a listed one, or named by its address.',
      details: { simulated: simulated !== undefined },
    }
  },
})

function assetsOf({ spends, receives, grants }: Effect): ReadonlySet<string> {
  const granted = grants.flatMap((leg) => leg.grants)
  return new Set([...spends, ...receives, ...granted].map(({ asset }) => asset).filter((asset) => asset !== 'native'))
}

function faultOf(asset: string, { tokens, inspection }: Effect, { intent }: NodeInput): string | undefined {
  const token = 'value' in tokens ? tokens.value[asset] : undefined
  if (!token) return `${asset} does not say that it is a token.`
  if (token.listed) return undefined
  const namesake = tokenBySymbol(inspection.chainId, token.symbol)
  if (namesake !== undefined)
    return `${asset} calls itself ${token.symbol}, and is not: ${namesake.symbol} is ${namesake.address}.`
  const named = [intent.tokenIn, intent.tokenOut].some((name) => name !== null && isAddress(name) && name === asset)
  return named ? undefined : `${token.symbol} (${asset}) is in no token list: name it by its address if it is meant.`
}
