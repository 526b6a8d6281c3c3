import type { Address } from '../lib/address.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type AmountRange, type BoundedRange, NOTHING } from './amount-range.ts'
import { earlier } from './deadline.ts'
import type { Asset, Flow, Leg } from './decoded-action.ts'

/** Where a plan runs. */
export type PlanContext = Readonly<{
  chainId: number
  wallet: Address
  router: Address
  /** The wrapped form of the chain's own coin. */
  wrapped: Address
  /** Native value in wei that comes with the call. */
  value: bigint
  /** Whether the router pays in the wrapped coin by wrapping native coin that it holds, before anything else. */
  wrapsToPay: boolean
  /** Whether nobody else can use the router while a plan of it runs. */
  locked: boolean
}>

/** What a plan comes to. */
export type PlanOutcome = Readonly<{ legs: readonly [Leg, ...Leg[]]; touches: readonly Address[] }>

/**
 * What the pool manager owes to the router, or is owed where it is negative; null where nothing limits it. `sold` is the
 * part of a debt that is certain while the pools have liquidity.
 */
export type BookRange = Readonly<{ min: bigint | null; max: bigint | null; sold: bigint }>

/** What somebody received of an asset. */
export type Receipt = Readonly<{ asset: Asset; party: Address; amount: AmountRange }>

/** A share that was paid out of what the router held: whose receipt it is, how much at least, and what it left. */
export type PaidShare = Readonly<{ receipt: string; share: bigint; whole: bigint; least: bigint; left: AmountRange }>

/** A plan on its way: what the router holds so far, what the wallet spent and what everybody received. */
export type Plan = Readonly<{
  context: PlanContext
  held: Map<Asset, AmountRange>
  books: Map<Asset, BookRange>
  spent: Map<Asset, BoundedRange>
  received: Map<string, Receipt>
  grants: Leg[]
  touches: Set<Address>
  /** What swaps sell and buy. */
  traded: Set<Asset>
}> & {
  swaps: boolean
  deadline: number | null
  steps: number
  /** The last share that was paid: whoever guards what is left guards the share as well. */
  share: PaidShare | null
}

/** What a plan has come to after its last step: one leg with the net effect, after one for each right that it gives. */
export function conclude(venue: string, plan: Plan): Result<PlanOutcome> {
  const { context, grants } = plan
  for (const [asset, amount] of plan.held)
    if (amount.max !== 0n) plan.received.set(`${asset} ${context.router}`, { asset, party: context.router, amount })
  const { spends, receives } = net(plan)
  if (plan.swaps && spends.length === 0) return refuse('it sells what it buys')
  const moves = spends.length > 0 || receives.length > 0
  const main: Leg = {
    kind: kindOf(plan, spends, receives),
    venue,
    spends,
    receives,
    grants: [],
    deadline: plan.deadline,
  }
  const permits = grants.map((leg) => ({ ...leg, deadline: earlier(leg.deadline, plan.deadline) }))
  const [first, ...rest] = moves ? [...permits, main] : permits
  if (first === undefined) return refuse('it moves nothing')
  for (const asset of plan.traded)
    if (asset !== 'native' && asset !== context.wrapped && !moved(spends, asset) && !moved(receives, asset))
      plan.touches.add(asset)
  return ok({ legs: [first, ...rest], touches: [...plan.touches] })
}

function moved(flows: readonly Flow[], asset: Asset): boolean {
  return flows.some((flow) => flow.asset === asset)
}

/** The flows of a plan. What the wallet gets back of an asset that it spends counts against the spending. */
function net({ context, spent, received }: Plan): Readonly<{ spends: readonly Flow[]; receives: readonly Flow[] }> {
  const { wallet } = context
  const spends: Flow[] = []
  for (const [asset, out] of spent) {
    const key = `${asset} ${wallet}`
    const back = received.get(key)?.amount ?? NOTHING
    const most = out.max - back.min
    const least = back.max === null || back.max > out.min ? 0n : out.min - back.max
    received.delete(key)
    if (most > 0n) spends.push({ asset, amount: most, bound: least === most ? 'exact' : 'max', party: wallet })
    else if (most < 0n) received.set(key, { asset, party: wallet, amount: { min: -most, max: null } })
  }
  const receives = [...received.values()].map(
    ({ asset, party, amount }): Flow => ({
      asset,
      amount: amount.min,
      bound: amount.max === amount.min ? 'exact' : 'min',
      party,
    }),
  )
  return { spends, receives }
}

function kindOf({ swaps, context }: Plan, spends: readonly Flow[], receives: readonly Flow[]): Leg['kind'] {
  if (swaps) return 'swap'
  const only = (flows: readonly Flow[], ...assets: readonly Asset[]) =>
    flows.every(({ asset }) => assets.includes(asset))
  const both = ['native', context.wrapped] as const
  if (receives.some(({ party }) => party !== context.wallet && party !== context.router)) return 'transfer'
  if (only(spends, 'native') && only(receives, ...both) && moved(receives, context.wrapped)) return 'wrap'
  if (only(spends, context.wrapped) && only(receives, ...both) && moved(receives, 'native')) return 'unwrap'
  return 'transfer'
}
