import { formatUsd, formatUsdExactly, type MicroUsd, toMicroUsd } from '../../lib/usd.ts'
import type { Policy } from '../../schema/policy.ts'
import { marketOf, ownChangesOf, type ProjectedAccount, projectAccounts } from '../account.ts'
import { defineCheck, type Input, type Outcome } from '../check.ts'
import { mostOf } from '../counterfactual.ts'
import type { DecodedAction, PositionChange } from '../decoded-action.ts'
import { whyAnyMissing } from '../facts.ts'
import { marginAccount, marginVenue, raisesRisk } from '../margin.ts'
import { buysOutcomes, outcomeAccount } from '../outcome.ts'

/** Stands for every protocol that the policy does not name. */
const ANY_OTHER = '*'

/** What a protocol holds for the wallet after the action must stay within the policy. */
export const protocolExposure = defineCheck({
  id: 'protocol_exposure',
  field: 'exposure.perProtocolUsd',
  needs({ action, policy }) {
    const venue = marginVenue(action)
    return [
      ...((raisesRisk(action) || buysOutcomes(action)) && venue && limitOf(policy, venue)
        ? (['markets', 'margin', 'standing'] as const)
        : []),
      ...(deposits(action).some((one) => limitOf(policy, one.venue))
        ? (['tokens', 'prices', 'positions', 'standing'] as const)
        : []),
    ]
  },
  run(input) {
    const { action, policy, facts } = input
    const atVenue = raisesRisk(action) || buysOutcomes(action) ? atVenueOfOrders(input) : undefined
    if (atVenue && ('failed' in atVenue || 'unavailable' in atVenue)) return atVenue
    const venues = [...new Set(deposits(action).map(({ venue }) => venue))]
    if (venues.length === 0) return atVenue ?? { notChecked: 'It leaves no position at a protocol.' }
    if (!policy.exposure) return { notChecked: 'The policy limits no protocol.' }
    const limited = venues.flatMap((venue) => limitOf(policy, venue) ?? [])
    if (limited.length === 0) return { notChecked: `The policy sets no limit for ${venues.join(', ')}.` }
    const accounts = projectAccounts(action, facts, 'up')
    if (!accounts)
      return {
        unavailable: `What the wallet has at venues is not known. ${whyAnyMissing(['standing', 'positions'], facts)}`,
      }
    const outcomes = limited.map((limit) => compare(input, accounts, limit))
    return outcomes.find((one) => 'failed' in one) ?? outcomes.find((one) => 'unavailable' in one) ?? passed(outcomes)
  },
})

/** What stands at a venue that takes orders: positions with all orders filled, or the account's own value where that is more. */
function atVenueOfOrders(input: Input): Outcome<'protocol_exposure'> {
  const { action, policy, facts } = input
  const venue = marginVenue(action) ?? action.protocol
  const limit = limitOf(policy, venue)
  if (limit === undefined) return { notChecked: `The policy sets no limit for ${venue}.` }
  const account = buysOutcomes(action) ? outcomeAccount(action, facts) : marginAccount(action, facts)
  if (account) return compare(input, [account], limit)
  return {
    unavailable: `The account at ${venue} is not known. ${whyAnyMissing(['standing', 'margin', 'markets'], facts)}`,
    field: limit.field,
  }
}

type Limit = Readonly<{ venue: string; max: MicroUsd; field: string }>
type Exposure = Outcome<'protocol_exposure'>

function limitOf({ exposure }: Policy, venue: string): Limit | undefined {
  const limits = exposure?.perProtocolUsd ?? {}
  const key = Object.hasOwn(limits, venue) ? venue : ANY_OTHER
  const max = limits[key]
  return max === undefined ? undefined : { venue, max: toMicroUsd(max), field: `exposure.perProtocolUsd.${key}` }
}

/** What an action puts into the wallet's own accounts, and where. */
function deposits(action: DecodedAction): readonly Readonly<{ venue: string; change: PositionChange }>[] {
  const changes = action.legs.flatMap((leg) => ownChangesOf(leg, action))
  return changes.filter(({ change: { side, change } }) => side === 'supply' && change === 'increase')
}

function compare(input: Input, accounts: readonly ProjectedAccount[], { venue, max, field }: Limit): Exposure {
  // What is supplied there counts there, whatever else the account is called.
  const markets = new Set(deposits(input.action).flatMap((one) => (one.venue === venue ? [marketOf(one.change)] : [])))
  const there = accounts.filter(({ protocol, market }) => protocol === venue || markets.has(market))
  let held = 0n
  for (const { supplied } of there) {
    if (supplied === undefined)
      return { unavailable: `What ${venue} would hold cannot be valued in US dollars.`, field }
    held += supplied
  }
  if (held <= max) return { passed: `${venue} would hold ${formatUsd(held)} of at most ${formatUsd(max)}` }
  const text = formatUsd(held) === formatUsd(max) ? formatUsdExactly : formatUsd
  return {
    failed: 'protocol_exposure_exceeded',
    reason: `${venue} would hold ${text(held)} for the wallet, above the limit of ${text(max)}${nearest(input, venue, held - max)}.`,
    field,
  }
}

/** How much could be supplied in place of what is, where one deposit alone is made. */
function nearest(input: Input, venue: string, over: MicroUsd): string {
  const [deposit, ...others] = deposits(input.action).filter((one) => one.venue === venue)
  const [leg, ...legs] = input.action.legs
  const spent = input.valuation.legs[0]?.spent
  if (!deposit || others.length + legs.length > 0 || leg.spends.length !== 1 || spent === undefined) return ''
  return mostOf(input, deposit.change.asset, spent - over, 'could be supplied')
}

function passed(outcomes: readonly Exposure[]): Exposure {
  const words = outcomes.flatMap((one) => ('passed' in one ? [one.passed] : []))
  return { passed: `${words.join('; ')}.` }
}
