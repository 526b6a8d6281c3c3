import { isAddress } from '../../../lib/address.ts'
import { tokenBySymbol } from '../../../registry/index.ts'
import { movementText } from '../../amounts.ts'
import { assetText, type Effect } from '../../effect.ts'
import { defineEffectNode, type Finding, type NodeInput } from '../../node.ts'
import type { Tried } from '../../trial.ts'

/** Units that a token may lose to rounding: those that keep shares count a transfer in them. */
const ROUNDING = 2n

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
    const tried = await input.trial()
    if ('not' in tried)
      return {
        pass: 'Every token is a listed one, or named by its address. Whether it moves as it should was not checked.',
        details: { simulated: false, notChecked: tried.not },
        confidence: 0.8,
      }
    return misbehaviourOf(tried, effect) ?? moved(tried)
  },
})

/** What a trial shows of the tokens: a step that fails, a part that is kept, more that leaves, a token that is stuck. */
function misbehaviourOf({ simulated, watched, probes }: Tried, effect: Effect): Finding | undefined {
  const { failed, changes, arrivals } = simulated
  const text = (asset: string, amount: bigint) => movementText({ asset, amount }, effect)
  if (failed !== null) {
    const which = simulated.steps > 1 ? `Step ${failed.step + 1} of it does` : 'It does'
    return { fail: `${which} not run: ${failed.reason}`, late: true, details: { simulated: true, step: failed.step } }
  }
  for (const [i, { asset, holder, least }] of watched.entries()) {
    const change = changes?.[i]
    if (change === undefined || (change !== null && change + ROUNDING >= least)) continue
    const details = { simulated: true, token: asset, holder, expected: String(least), actual: String(change) }
    if (change === null) return { fail: `${assetText(asset, effect)} does not say what ${holder} has of it.`, details }
    return least > 0n
      ? { fail: `Of ${text(asset, least)} only ${text(asset, change)} arrives: the token keeps a part.`, details }
      : { fail: `${text(asset, -change)} leaves ${holder}, where ${text(asset, -least)} should.`, details }
  }
  for (const [i, { asset, amount }] of probes.entries()) {
    const arrival = arrivals?.[i]
    const details = { simulated: true, token: asset }
    if (arrival === undefined || (arrival.ok && arrival.value + ROUNDING >= amount)) continue
    return arrival.ok
      ? { fail: `Of ${text(asset, amount)} passed on only ${text(asset, arrival.value)} arrives.`, details }
      : { fail: `${assetText(asset, effect)} cannot be passed on: ${arrival.reason}`, details }
  }
  return undefined
}

function moved({ simulated: { changes, steps }, watched, probes }: Tried): Finding {
  const details = {
    simulated: true,
    steps,
    transfers: changes === null ? 'not checked' : watched.length + probes.length,
  }
  return changes === null
    ? { pass: 'Every token is a listed one, or named by its address, and it runs.', details, confidence: 0.9 }
    : { pass: 'Every token is a listed one, or named by its address, and moves as it should.', details }
}

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
