import type { ProjectedAccount } from './account.ts'
import type { DecodedAction, Leg } from './decoded-action.ts'
import { type Facts, known } from './facts.ts'
import { exactly, orderValue, worthOf } from './order.ts'
import { POLYMARKET } from './polymarket-action.ts'

/** Whether an order is for shares in an outcome: paid in full, and no margin behind it. */
export function isForOutcome({ order, venue }: Leg): boolean {
  return order !== undefined && venue === POLYMARKET
}

/** Whether an action would have the wallet hold more of an outcome. */
export function buysOutcomes({ legs }: DecodedAction): boolean {
  return legs.some((leg) => isForOutcome(leg) && leg.order?.side === 'buy')
}

/** What the venue would hold for the account with all open purchases filled, those that are approved, and this action's. */
export function outcomeAccount(action: DecodedAction, facts: Facts): ProjectedAccount | undefined {
  const account = known(facts.margin)
  if (account === undefined || facts.standing?.status === 'unavailable') return undefined
  const standing = known(facts.standing)?.accounts.find(({ protocol }) => protocol === POLYMARKET)
  let supplied = BigInt(account.equityMicroUsd) + BigInt(standing?.depositedMicroUsd ?? 0)
  for (const { side, size, price } of account.orders)
    if (side === 'buy') supplied += worthOf(exactly(size), exactly(price))
  for (const leg of action.legs) {
    if (!isForOutcome(leg) || leg.order?.side !== 'buy') continue
    const value = orderValue(leg, facts)
    if (value === undefined) return undefined
    supplied += value.notional
  }
  return { protocol: POLYMARKET, market: POLYMARKET, supplied, borrowed: 0n }
}
