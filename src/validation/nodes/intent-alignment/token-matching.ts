import { assetText, type Effect } from '../../effect.ts'
import type { TokenName } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { matchMarket, orderOf } from '../../order.ts'
import { matchName } from '../../token-names.ts'

/** The tokens that move are the ones that were named, each on its side. */
export const tokenMatching = defineEffectNode({
  id: 'intent_alignment.token_matching',
  critical: true,
  after: ['intent_alignment.operation_matching'],
  run(effect, { intent }) {
    const { tokenIn, tokenOut, operation } = intent
    if ('missing' in effect.tokens) return { down: `Tokens could not be identified: ${effect.tokens.missing}` }
    const order = orderOf(effect)
    if (order) return matchMarket(order, intent)
    const traded = operation === 'swap'
    if (traded && (tokenIn === null || tokenOut === null))
      return { fail: `The request does not say which token to ${tokenIn === null ? 'sell' : 'buy'}.` }
    if (tokenIn === null && operation !== 'wrap' && operation !== 'unwrap')
      return { fail: 'The request does not name a token.' }
    const granted = effect.main.flatMap((leg) => leg.grants.map(({ asset }) => asset))
    const ins = [...effect.spends.map(({ asset }) => asset), ...granted]
    const outs = effect.receives.map(({ asset }) => asset)
    return (
      check(ins, tokenIn, 'leaves', effect) ??
      (tokenOut === null ? undefined : check(outs, tokenOut, 'arrives', effect)) ?? {
        pass: `The tokens are ${[...new Set([...ins, ...outs])].map((asset) => assetText(asset, effect)).join(', ') || 'none'}.`,
      }
    )
  },
})

function check(
  assets: readonly string[],
  name: TokenName | null,
  moves: 'leaves' | 'arrives',
  effect: Effect,
): Finding | undefined {
  if (name === null) return undefined
  const wrong = assets.find((asset) => matchName(asset, name, effect) === 'no')
  if (wrong === undefined && assets.length > 0) return undefined
  const actual = wrong === undefined ? 'nothing' : assetText(wrong, effect)
  return { fail: `${name} was asked for, and ${actual} ${moves}.`, details: { intended: name, actual: wrong ?? null } }
}
