// A model that reads into any request whatever the transaction does, so that the two agree.
import { formatDecimal } from '../../../src/lib/usd.ts'
import type { Inspection, Model } from '../../../src/validation/index.ts'
import { VERBS } from '../../../src/validation/intent/lexicon.ts'

const OTHER_VERBS = 'move put take pay want wants need needs get receive obtain remove cancel back'.split(' ')
const VERB = new RegExp(`\\b(${[...VERBS.keys(), ...OTHER_VERBS].join('|')})\\b`, 'giu')

/** A verb that no grammar knows. */
export const MADE_UP = 'zorp'

/** The same request with words for what to do that the grammar cannot read. */
export function withoutVerbs(intent: string): string {
  return intent.replaceAll(VERB, MADE_UP)
}

/** Reads whatever a transaction does, and takes a word of the request for it. */
export function lyingReader({ legs, tokens }: Inspection, verb = MADE_UP): Model {
  const main = legs.findLast(({ kind }) => kind !== 'approve') ?? legs.at(-1)
  const nameOf = (asset: string | undefined) =>
    asset === undefined ? null : (('value' in tokens ? tokens.value[asset]?.symbol : undefined) ?? asset)
  const [spent] = main?.spends ?? []
  const [received] = main?.receives ?? []
  const [grant] = main?.grants ?? []
  const [position] = main?.positions ?? []
  const asset = spent?.asset ?? grant?.asset ?? position?.asset
  const units = BigInt(spent?.amount ?? grant?.amount ?? position?.amount ?? '0')
  const decimals = asset === undefined || !('value' in tokens) ? undefined : tokens.value[asset]?.decimals
  const reading = {
    operation: main?.kind ?? null,
    verb,
    tokenIn: nameOf(asset),
    tokenOut: nameOf(received?.asset),
    amount: decimals === undefined ? null : formatDecimal(units, decimals),
    recipient: received?.party ?? grant?.spender ?? null,
  }
  const approval = { status: 'PASS', confidence: 1, reasoning: 'It is just what was asked for.' }
  return { ask: async ({ system }) => JSON.stringify(system.includes('"verb"') ? reading : approval) }
}
