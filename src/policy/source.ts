import type { Address } from '../lib/address.ts'
import type { Asset, DecodedAction, Leg, PositionChange } from './decoded-action.ts'
import type { Fact, FactName, Facts } from './facts.ts'

type ValueOf<name extends FactName> = NonNullable<Facts[name]> extends Fact<infer value> ? value : never

/** An account of the wallet at a venue that an action changes. */
export type ChangedAccount = Readonly<Pick<PositionChange, 'market' | 'marketId' | 'asset'> & { venue: string }>

/** What a source is asked: facts about these assets and addresses of a chain. */
export type Question = Readonly<{
  chainId: number
  assets: readonly Asset[]
  addresses: readonly Address[]
  /** Whose accounts at venues are asked about, and which of them change. Absent where nobody asks about accounts. */
  accounts?: Readonly<{ wallet: Address; changed: readonly ChangedAccount[] }>
  /** Where orders would go, whose account they are for, and the ids of their markets. Absent where there are none. */
  venue?: Readonly<{ name: string; account: Address; markets: readonly string[] }>
  signal: AbortSignal
}>

/** An answer and when it was true. `cached` says that it was read before this question was asked. */
export type Answer<value> = Readonly<{ value: value; observedAt: Date; cached?: boolean }>

/** Where one kind of fact comes from. It may throw or hang: whoever asks turns that into `unavailable`. */
export type Source<name extends FactName = FactName> = Readonly<{
  id: string
  fact: name
  /** The venue whose accounts and markets it knows, as legs name it; absent where it is not about one. */
  venue?: string
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number
  ask(question: Question): Promise<Answer<ValueOf<name>>>
}>

/** A source with its types closed over: whoever gathers facts sees all sources alike. */
export type AnySource = { [name in FactName]: Source<name> }[FactName]

/** Every asset that an action moves or hands over, once. */
export function assetsOf({ legs }: DecodedAction): readonly Asset[] {
  const parts = legs.flatMap((leg) => [...leg.spends, ...leg.receives, ...leg.grants, ...(leg.positions ?? [])])
  return [...new Set(parts.map(({ asset }) => asset))]
}

/** Every address that an action touches, once: who sends, what is called, who pays, receives or may spend, and which tokens. */
export function addressesOf({ wallet, target, legs, touches, calls = [] }: DecodedAction): readonly Address[] {
  const found = new Set<Address>([wallet, ...touches])
  const add = (address: Asset | null) => {
    if (address !== null && address !== 'native') found.add(address)
  }
  add(target)
  for (const call of calls) add(call.target)
  for (const leg of legs) for (const address of addressesOfLeg(leg)) add(address)
  return [...found].sort()
}

function addressesOfLeg({ spends, receives, grants, positions = [], controls = [] }: Leg): readonly Asset[] {
  const found: Asset[] = []
  for (const { asset, party } of spends) found.push(asset, party)
  for (const { asset, party } of receives) found.push(asset, party)
  for (const { asset, owner, spender } of grants) found.push(asset, owner, spender)
  for (const { asset, market, party } of positions) found.push(asset, market, party)
  for (const { owner, operator } of controls) found.push(owner, operator)
  return found
}

/** What there is to ask about an action. */
export function questionAbout(action: DecodedAction, signal: AbortSignal): Question {
  const { chainId, wallet, legs } = action
  const changed = legs.flatMap(({ venue, positions = [] }) =>
    positions.flatMap(({ party, market, marketId, asset }) =>
      party === wallet ? [{ venue, market, asset, ...(marketId && { marketId }) }] : [],
    ),
  )
  return {
    chainId,
    assets: assetsOf(action),
    addresses: addressesOf(action),
    accounts: { wallet, changed },
    ...venueOf(action),
    signal,
  }
}

/** Orders are all for one account: that of the first. */
function venueOf({ wallet, legs }: DecodedAction): Pick<Question, 'venue'> {
  const trading = legs.filter(({ order, leverage, margin }) => order || leverage || margin !== undefined)
  const [first] = trading
  if (first === undefined) return {}
  const markets = new Set(trading.flatMap(({ order, leverage }) => order?.market ?? leverage?.market ?? []))
  return { venue: { name: first.venue, account: first.order?.account ?? wallet, markets: [...markets] } }
}
