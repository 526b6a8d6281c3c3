import type { Asset, DecodedAction } from './decoded-action.ts'
import type { Fact, FactName, Facts } from './facts.ts'

type ValueOf<name extends FactName> = NonNullable<Facts[name]> extends Fact<infer value> ? value : never

/** What a source is asked: the facts about this action. */
export type Question = Readonly<{ action: DecodedAction; signal: AbortSignal }>

/** An answer and when it was true. `cached` says that it was read before this question was asked. */
export type Answer<value> = Readonly<{ value: value; observedAt: Date; cached?: boolean }>

/** Where one kind of fact comes from. It may throw or hang: whoever asks turns that into `unavailable`. */
export type Source<name extends FactName = FactName> = Readonly<{
  id: string
  fact: name
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number
  ask(question: Question): Promise<Answer<ValueOf<name>>>
}>

/** A source with its types closed over: whoever gathers facts sees all sources alike. */
export type AnySource = { [name in FactName]: Source<name> }[FactName]

/** Every asset that an action moves or hands over, once. */
export function assetsOf({ legs }: DecodedAction): readonly Asset[] {
  return [...new Set(legs.flatMap((leg) => [...leg.spends, ...leg.receives, ...leg.grants].map(({ asset }) => asset)))]
}
