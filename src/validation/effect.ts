import type { DecodedLeg } from '../schema/decoded-action.ts'
import { type Candidate, isGrant } from './candidate.ts'
import type { Inspection, Known, TokenIdentity } from './inspection.ts'
import type { Operation } from './intent.ts'

type Flow = DecodedLeg['spends'][number]

/** An amount of an asset that moves, in its smallest unit; null is all there is. */
export type Movement = Readonly<{ asset: string; amount: bigint | null; bound: Flow['bound']; party: string }>

/** What all steps of a candidate come to. */
export type Effect = Readonly<{
  operation: Operation | null
  inspection: Inspection
  /** The legs of the primary step that do more than give rights. */
  main: readonly DecodedLeg[]
  /** Legs of all steps that give or take rights. */
  grants: readonly DecodedLeg[]
  /** Legs that do something else than the main ones, in other steps. */
  others: readonly DecodedLeg[]
  /** What leaves the wallet, or its account at a venue. */
  spends: readonly Movement[]
  /** What arrives, at whomever. */
  receives: readonly Movement[]
  /** The moment after which the chain refuses a part of it, in Unix seconds. */
  deadline: number | null
  /** The moment after which nothing of the main legs can happen any more; null where one of them never ends. */
  until: number | null
  tokens: Known<Readonly<Record<string, TokenIdentity | null>>>
  prices: Known<Readonly<Record<string, bigint | null>>>
  /** What was asked about sanctions, over all steps. */
  sanctions: Inspection['sanctions']
}>

/** What a candidate does, where all of its steps were understood. */
export function effectOf({ steps, primary, wallet }: Candidate): Effect | undefined {
  const inspections = steps.map(({ inspection }) => inspection)
  const understood = inspections.flatMap((one) => (one.ok ? [one.value] : []))
  if (understood.length !== steps.length || !primary.inspection.ok) return undefined
  const inspection = primary.inspection.value
  const grants = understood.flatMap(({ legs }) => legs.filter(isGrant))
  const own = inspection.legs.filter((leg) => !isGrant(leg))
  const main = own.length > 0 ? own : inspection.legs
  const others = understood
    .filter((one) => one !== inspection)
    .flatMap(({ legs }) => legs.filter((leg) => !isGrant(leg)))
  return {
    operation: operationOf(main),
    inspection,
    main,
    grants,
    others,
    spends: spendsOf(main, wallet),
    receives: main.flatMap((leg) => leg.receives.map(movement)),
    deadline: earliest(understood.flatMap(({ legs }) => legs.flatMap(({ deadline }) => deadline ?? []))),
    until: latest(main),
    tokens: merged(understood.map(({ tokens }) => tokens)),
    prices: merged(understood.map(({ prices }) => prices)),
    sanctions: allSanctions(understood),
  }
}

/** What the legs come to in one word; null where they do different things. */
function operationOf(legs: readonly DecodedLeg[]): Operation | null {
  const kinds = new Set(legs.map(({ kind }) => kind))
  const [kind] = kinds
  if (kinds.size !== 1 || kind === undefined || kind === 'configure') return null
  return kind === 'authorize' ? 'approve' : (kind as Operation)
}

/** What leaves: tokens, and what is taken out of an account or borrowed, which has no other flow. */
function spendsOf(legs: readonly DecodedLeg[], wallet: string): readonly Movement[] {
  return legs.flatMap((leg) => {
    const flows = leg.spends.map(movement)
    if (flows.length > 0) return flows
    return (leg.positions ?? []).flatMap(({ asset, amount, party }) =>
      party === wallet
        ? [{ asset, amount: amount === null ? null : BigInt(amount), bound: 'exact' as const, party }]
        : [],
    )
  })
}

function movement({ asset, amount, bound, party }: Flow): Movement {
  return { asset, amount: BigInt(amount), bound, party }
}

function earliest(deadlines: readonly number[]): number | null {
  return deadlines.length === 0 ? null : Math.min(...deadlines)
}

function latest(legs: readonly DecodedLeg[]): number | null {
  const deadlines = legs.flatMap(({ deadline }) => deadline ?? [])
  return deadlines.length < legs.length ? null : Math.max(...deadlines)
}

function merged<T>(facts: readonly Known<Readonly<Record<string, T>>>[]): Known<Readonly<Record<string, T>>> {
  const missing = facts.find((fact) => 'missing' in fact)
  if (missing && 'missing' in missing) return missing
  return { value: Object.fromEntries(facts.flatMap((fact) => ('value' in fact ? Object.entries(fact.value) : []))) }
}

function allSanctions(inspections: readonly Inspection[]): Inspection['sanctions'] {
  let screened = 0
  const hits: `0x${Lowercase<string>}`[] = []
  for (const { sanctions } of inspections) {
    if ('missing' in sanctions) return sanctions
    screened += sanctions.value.screened
    hits.push(...(sanctions.value.hits as typeof hits))
  }
  return { value: { screened, hits } }
}

/** An asset in words: its symbol, or its address. */
export function assetText(asset: string, { tokens }: Effect): string {
  const token = 'value' in tokens ? tokens.value[asset] : undefined
  return token?.symbol ?? asset
}

/** The decimals of an asset, where they are known. */
export function decimalsOf(asset: string, { tokens }: Effect): number | undefined {
  return 'value' in tokens ? tokens.value[asset]?.decimals : undefined
}
