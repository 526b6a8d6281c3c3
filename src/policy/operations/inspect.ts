import type { Address } from '../../lib/address.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { ProposedTx } from '../../schema/action.ts'
import type { DecodedLeg } from '../../schema/decoded-action.ts'
import { decodeProposed } from '../decode-proposed.ts'
import type { DecodedAction } from '../decoded-action.ts'
import { legOf } from '../evidence.ts'
import type { Facts } from '../facts.ts'
import { gather } from '../gather.ts'
import type { PolicyDeps } from '../operation.ts'
import { questionAbout } from '../source.ts'

/** What an action does, and what is known of its tokens, prices and parties, without any policy. */
export type Inspected = Pick<DecodedAction, 'protocol' | 'chainId' | 'wallet' | 'target' | 'selector' | 'calls'> &
  Readonly<{ legs: readonly DecodedLeg[]; facts: Facts }>

const GATHER_LIMIT_MS = 8_000

/** Decodes an action of a wallet and gathers facts about it. A refusal says what was not understood. Nothing is stored. */
export async function inspect(
  { sources }: Pick<PolicyDeps, 'sources'>,
  proposedTx: ProposedTx,
  wallet: Address,
): Promise<Result<Inspected>> {
  const decoded = decodeProposed(proposedTx, wallet)
  if (!decoded.ok) return decoded
  const question = questionAbout(decoded.value, AbortSignal.timeout(GATHER_LIMIT_MS))
  const atVenue = decoded.value.legs.some(({ order, leverage }) => order !== undefined || leverage !== undefined)
  const names = ['tokens', 'prices', 'sanctions', ...(atVenue ? (['markets'] as const) : [])] as const
  const facts = await gather(names, sources, question)
  const { protocol, chainId, wallet: sender, target, selector, legs, calls } = decoded.value
  const written = legs.map((leg) => legOf(leg, chainId, facts))
  return ok({ protocol, chainId, wallet: sender, target, selector, ...(calls && { calls }), legs: written, facts })
}
