import type { Result } from '../lib/result.ts'
import { formatDecimal, type MicroUsd, valueOf } from '../lib/usd.ts'
import { marketOf as accountNameOf, changedAmount, ownChangesOf } from './account.ts'
import type { Subject } from './check.ts'
import type { DecodedAction, Leg, PositionChange } from './decoded-action.ts'
import { factsNeeded } from './evaluate.ts'
import { type Fact, type Facts, type OpenOrder, quoteOf, type Standing, type StandingAccount } from './facts.ts'
import { marginVenue } from './margin.ts'
import { dearest, marketOf, orderValue } from './order.ts'
import { isForOutcome } from './outcome.ts'

/** An approval that may still be executed, or was executed too late to be in what was read; with the facts of its time. */
export type StandingApproval = Readonly<{ decoded: Result<DecodedAction>; facts: Facts }>

/** Approvals that are looked at for one decision. More of them are not added up: nothing more is approved meanwhile. */
export const MOST_STANDING = 500
/** Decimals of the prices of orders. */
const DECIMALS = 12

/** Whether an action is decided by what else is approved for the wallet. */
export function isDecidedByStanding(subject: Subject): boolean {
  return factsNeeded(subject).includes('standing')
}

/**
 * What other approvals may do to the accounts that an action changes, as a fact of the ledger at `observedAt`. Absent
 * where nothing else is approved.
 */
export function standingFact(
  action: DecodedAction,
  others: readonly StandingApproval[],
  observedAt: string,
): Pick<Facts, 'standing'> {
  if (others.length === 0) return {}
  return { standing: addUp(action, others, observedAt) }
}

function addUp(action: DecodedAction, others: readonly StandingApproval[], observedAt: string): Fact<Standing> {
  const unavailable = (reason: string) => ({ status: 'unavailable', source: 'ledger', reason }) as const
  if (others.length > MOST_STANDING)
    return unavailable(`More than ${MOST_STANDING} actions are approved and not executed.`)
  const value = standingOf(action, others)
  if (value === undefined) return unavailable('An action that is approved and not executed cannot be read or valued.')
  return { status: 'fresh', source: 'ledger', observedAt, value }
}

/** Undefined where one of them cannot be read or valued. */
function standingOf(action: DecodedAction, others: readonly StandingApproval[]): Standing | undefined {
  const orders: OpenOrder[] = []
  const changes: Change[] = []
  let margin = 0n
  for (const { decoded, facts } of others) {
    if (!decoded.ok) return undefined
    const other = decoded.value
    if (other.chainId !== action.chainId || other.wallet !== action.wallet) continue
    for (const leg of other.legs) {
      const order = isOfAccount(leg, action) ? orderOf(leg, facts) : null
      const changed = changesOf(leg, other, facts)
      if (order === undefined || changed === undefined) return undefined
      if (order !== null) orders.push(order)
      changes.push(...changed)
      if (isOfAccount(leg, action) && leg.margin !== undefined && leg.margin < 0n) margin -= leg.margin
    }
  }
  return { orders, marginMicroUsd: margin.toString(), accounts: addedUp(changes) }
}

/** Whether a leg trades, or moves margin, at the venue and for the account that the action does. */
function isOfAccount({ venue, order }: Leg, action: DecodedAction): boolean {
  if (venue !== marginVenue(action)) return false
  const own = action.legs.find((leg) => leg.order)?.order?.account
  return order === undefined || own === undefined || order.account === own
}

/** An order as one that is open already; null for what opens nothing with margin, undefined where its market is not known. */
function orderOf(leg: Leg, facts: Facts): OpenOrder | null | undefined {
  const { order } = leg
  if (order === undefined || order.reduceOnly || isForOutcome(leg)) return null
  const market = marketOf(order.market, facts)
  if (market === undefined) return undefined
  if (market.kind !== 'perp') return null
  const price = formatDecimal(dearest(order, market), DECIMALS)
  return { market: order.market, side: order.side, size: order.size, price, reduceOnly: false, cloid: null }
}

type Change = Readonly<{
  protocol: string
  market: string
  how: keyof Omit<StandingAccount, 'protocol' | 'market'>
  worth: MicroUsd
}>

/** What a leg may change in the wallet's own accounts; undefined where that cannot be valued. A debt that is paid back is no risk. */
function changesOf(leg: Leg, action: DecodedAction, facts: Facts): readonly Change[] | undefined {
  const bought = outcomeOf(leg, facts)
  if (bought === undefined) return undefined
  const changes: Change[] = [...bought]
  for (const { venue, change } of ownChangesOf(leg, action)) {
    const how = howOf(change)
    if (how === undefined) continue
    const worth = worthOf(change.asset, changedAmount(leg, change, action.wallet, facts), facts)
    if (worth === undefined) return undefined
    changes.push({ protocol: venue, market: accountNameOf(change), how, worth })
  }
  return changes
}

function howOf({ side, change }: PositionChange): Change['how'] | undefined {
  if (side === 'supply') return change === 'increase' ? 'depositedMicroUsd' : 'withdrawnMicroUsd'
  return change === 'increase' ? 'borrowedMicroUsd' : undefined
}

/** Shares in an outcome that are bought are a deposit at their venue. */
function outcomeOf(leg: Leg, facts: Facts): readonly Change[] | undefined {
  if (!isForOutcome(leg) || leg.order?.side !== 'buy') return []
  const value = orderValue(leg, facts)
  return value && [{ protocol: leg.venue, market: leg.venue, how: 'depositedMicroUsd', worth: value.notional }]
}

function worthOf(asset: PositionChange['asset'], amount: bigint | undefined, facts: Facts): MicroUsd | undefined {
  if (amount === undefined || amount === 0n) return amount
  const quote = quoteOf(asset, facts)
  return quote && valueOf(amount, quote.decimals, quote.usdE8, 'up')
}

function addedUp(changes: readonly Change[]): readonly StandingAccount[] {
  const accounts = new Map<string, StandingAccount>()
  for (const { protocol, market, how, worth } of changes) {
    const none = { protocol, market, depositedMicroUsd: '0', withdrawnMicroUsd: '0', borrowedMicroUsd: '0' }
    const before = accounts.get(market) ?? none
    accounts.set(market, { ...before, [how]: (BigInt(before[how]) + worth).toString() })
  }
  return [...accounts.values()]
}
