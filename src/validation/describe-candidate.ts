import { movementText } from './amounts.ts'
import { assetText } from './effect.ts'
import type { NodeInput } from './node.ts'

/** What a candidate does, from its bytes alone, one fact a line. */
export function describeCandidate({ effect, candidate }: NodeInput): string {
  if (effect === undefined) return 'It could not be decoded.'
  const { operation, inspection, until } = effect
  const grants = effect.grants.flatMap((leg) => leg.grants)
  return [
    `operation: ${operation ?? 'several'}`,
    `venue: ${inspection.protocol}, chain ${inspection.chainId}, steps: ${candidate.steps.length}`,
    `sender: ${candidate.walletKnown ? candidate.wallet : 'not named'}`,
    ...effect.spends.map((one) => `leaves (${one.bound}): ${movementText(one, effect)} of ${one.party}`),
    ...effect.receives.map((one) => `arrives (${one.bound}): ${movementText(one, effect)} at ${one.party}`),
    ...grants.map(
      (one) =>
        `may spend: ${one.spender}, ${one.unlimited ? 'without limit' : one.amount} of ${assetText(one.asset, effect)}`,
    ),
    `deadline: ${until ?? 'none'}`,
  ].join('\n')
}
