/** Half of what the policy allows is left to the price, which moves until an action arrives. */
const SHARE = 2

/** Basis points that a tool puts between a price and its limit, of those that the policy allows; `usual` where it names none. */
export function priceRoom(maxBps: number | undefined, usual: number): number {
  return maxBps === undefined ? usual : Math.floor(maxBps / SHARE)
}
