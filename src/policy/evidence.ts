import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { Evidence, SourceFreshness, Verdict } from '../schema/verdict.ts'
import type { DecodedAction, Flow, Grant, Leg } from './decoded-action.ts'
import { pegTexts } from './describe.ts'
import { type Fact, type Facts, known } from './facts.ts'
import { projectionOf } from './projection.ts'

/** How fresh each source was that a verdict rests on. */
export function freshnessOf(facts: Facts): Verdict['dataFreshness'] {
  const sources = Object.values(facts).map((fact: Fact<unknown>): SourceFreshness => {
    const { source, status } = fact
    if (fact.status === 'unavailable') return { source, status: 'unavailable', observedAt: null, detail: fact.reason }
    return { source, status, observedAt: fact.observedAt, detail: null }
  })
  const statuses = new Set(sources.map(({ status }) => status))
  const overall =
    statuses.size === 0 || (statuses.size === 1 && statuses.has('fresh'))
      ? 'fresh'
      : statuses.size === 1 && statuses.has('cached')
        ? 'cached'
        : 'mixed'
  return { overall, sources }
}

/**
 * How far a verdict can be trusted: high when every fact was read for it, low when one could not be had. A coin that is
 * off its peg is named.
 */
export function trustOf({ overall, sources }: Verdict['dataFreshness'], facts: Facts): Verdict['trust'] {
  const missing = sources.filter(({ status }) => status === 'unavailable').map(({ source }) => source)
  if (missing.length > 0) return { level: 'low', notes: `Not available: ${missing.join(', ')}.` }
  const notes = [...(overall === 'fresh' ? [] : ['Some facts were read shortly before']), ...pegTexts(facts)]
  return notes.length === 0 ? { level: 'high', notes: null } : { level: 'medium', notes: `${notes.join('; ')}.` }
}

/** The evidence of a decoded action: what its bytes say, and every fact that was used. */
export function evidenceOf(
  action: DecodedAction,
  observations: Evidence['observations'],
  sources: readonly SourceFreshness[],
  facts: Facts,
): Evidence {
  const { protocol, chainId, target, selector, trailingBytes, calls, digest } = action
  const [first] = action.legs
  const projection = projectionOf(action, facts)
  return {
    decodedAction: {
      ...legOf(first, chainId, facts),
      protocol,
      target,
      selector,
      wallet: action.wallet,
      legs: action.legs.length,
      trailingBytes,
      ...(calls && { calls: [...calls] }),
      ...(digest !== undefined && { digest }),
      ...(projection && { projection }),
    },
    decodedActions: action.legs.map((leg) => legOf(leg, chainId, facts)),
    observations,
    sources,
  }
}

/** A leg in the form of the evidence. */
export function legOf(leg: Leg, chainId: number, facts: Facts): DecodedLeg {
  const { venue, kind, spends, receives, grants, positions, controls, setting, order, leverage, margin, deadline } = leg
  return {
    protocol: venue,
    chainId,
    kind,
    spends: spends.map(withText),
    receives: receives.map(withText),
    grants: grants.map(withText),
    ...(positions && {
      positions: positions.map((position) => ({ ...position, amount: position.amount?.toString() ?? null })),
    }),
    ...(controls && { controls: [...controls] }),
    ...(setting && { setting }),
    ...(order && { order: { ...order, symbol: symbolOf(order.market, facts) } }),
    ...(leverage && { leverage: { ...leverage, symbol: symbolOf(leverage.market, facts) } }),
    ...(margin !== undefined && { margin: margin.toString() }),
    deadline,
  }
}

function symbolOf(market: string, facts: Facts): string | null {
  return known(facts.markets)?.[market]?.symbol ?? null
}

function withText<flow extends Flow | Grant>(flow: flow): Omit<flow, 'amount'> & { amount: string } {
  return { ...flow, amount: flow.amount.toString() }
}
