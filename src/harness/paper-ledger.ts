import type { PaperAmount } from '../storage/index.ts'

type Token = Readonly<{ symbol: string; decimals: number }>

/** What changes while an action is filled, over what was held before. */
export type Ledger = Readonly<{
  /** What is there now: what was, and what has moved since. */
  at(place: string, asset: string): bigint
  move(place: string, asset: string, amount: bigint, token?: Token): void
  /** All that changed on balance. */
  flows(): readonly PaperAmount[]
  /** Something of which more was taken than there is. What is kept with margin may be owed. */
  short(): Readonly<{ place: string; asset: string }> | undefined
  tokenOf(place: string, asset: string): Token
}>

/** A ledger over holdings. An asset that is not known is named by its address, and counted in its smallest unit. */
export function ledgerOf(
  held: readonly PaperAmount[],
  tokens: ReadonlyMap<string, Token>,
  marginPlace: string,
): Ledger {
  const before = new Map(held.map((one) => [keyOf(one.place, one.asset), one]))
  const moved = new Map<string, Readonly<{ place: string; asset: string; token: Token; amount: bigint }>>()
  const tokenOf = (place: string, asset: string): Token =>
    before.get(keyOf(place, asset)) ?? tokens.get(asset) ?? { symbol: asset, decimals: 0 }
  const at = (place: string, asset: string) =>
    (before.get(keyOf(place, asset))?.amount ?? 0n) + (moved.get(keyOf(place, asset))?.amount ?? 0n)
  return {
    at,
    tokenOf,
    move(place, asset, amount, token = tokenOf(place, asset)) {
      const key = keyOf(place, asset)
      moved.set(key, { place, asset, token, amount: (moved.get(key)?.amount ?? 0n) + amount })
    },
    flows: () =>
      [...moved.values()].flatMap(({ place, asset, token: { symbol, decimals }, amount }) =>
        amount === 0n ? [] : [{ place, asset, symbol, decimals, amount }],
      ),
    short: () => [...moved.values()].find(({ place, asset }) => place !== marginPlace && at(place, asset) < 0n),
  }
}

function keyOf(place: string, asset: string): string {
  return `${place}\n${asset}`
}
