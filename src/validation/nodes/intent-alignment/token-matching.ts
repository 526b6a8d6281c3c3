import { assetText, type Effect } from '../../effect.ts'
import type { Intent, TokenName } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { matchMarket, orderOf } from '../../order.ts'
import { assetNamed, isWrappedForm, matchName, type NameMatch } from '../../token-names.ts'

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
    const matches = matching(intent, effect)
    return (
      check(ins, tokenIn, 'leaves', { effect, matches }) ??
      (tokenOut === null ? undefined : check(outs, tokenOut, 'arrives', { effect, matches })) ?? {
        pass: `The tokens are ${[...new Set([...ins, ...outs])].map((asset) => assetText(asset, effect)).join(', ') || 'none'}.`,
      }
    )
  },
})

/**
 * Which answers to a name are good enough. A trade may pay with the wrapped coin for the plain one, and the reverse; whoever
 * is sent the coin gets the coin, and a trade of the one for the other goes one way.
 */
function matching(
  { tokenIn, tokenOut }: Intent,
  { operation, inspection: { chainId } }: Effect,
): ReadonlySet<NameMatch> {
  const [from, to] = [tokenIn, tokenOut].map((name) => (name === null ? undefined : assetNamed(name, chainId)))
  const isWrapping = from !== undefined && to !== undefined && isWrappedForm(from, to, chainId)
  const isPlain = operation === 'transfer' || operation === 'wrap' || operation === 'unwrap'
  return new Set(isPlain || isWrapping ? EXACT : ['wrapped form', ...EXACT])
}

const EXACT = ['meant', 'self-styled'] as const

function check(
  assets: readonly string[],
  name: TokenName | null,
  moves: 'leaves' | 'arrives',
  { effect, matches }: Readonly<{ effect: Effect; matches: ReadonlySet<NameMatch> }>,
): Finding | undefined {
  if (name === null) return undefined
  const wrong = assets.find((asset) => !matches.has(matchName(asset, name, effect)))
  if (wrong === undefined && assets.length > 0) return undefined
  const actual = wrong === undefined ? 'nothing' : assetText(wrong, effect)
  return { fail: `${name} was asked for, and ${actual} ${moves}.`, details: { intended: name, actual: wrong ?? null } }
}
