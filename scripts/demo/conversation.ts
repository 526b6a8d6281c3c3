import type { ReasonCode } from '../../src/schema/verdict.ts'

/** How a message has to end. */
export type Expected =
  | Readonly<{ kind: 'words' }>
  | Readonly<{ kind: 'executed' }>
  | Readonly<{ kind: 'rejected'; reasonCode: ReasonCode }>

/** One message of the person, under a heading that says what it shows. */
export type Scene = Readonly<{ title: string; text: string; expected: Expected }>

const STRANGER = '0x00000000000000000000000000000000deadbeef'
const UNKNOWN_ROUTER = '0x1111111254eeb25477b68fb85ed929f73a960582'

/** The conversation of the demo. */
export const conversation: readonly Scene[] = [
  { title: 'What the wallet holds', text: 'What do I hold?', expected: { kind: 'words' } },
  { title: 'A swap within the policy', text: 'Swap 100 USDC for WETH', expected: { kind: 'executed' } },
  { title: 'What it holds now', text: 'What do I hold?', expected: { kind: 'words' } },
  {
    title: 'No minimum output',
    text: 'Swap 100 USDC for WETH without a minimum output',
    expected: { kind: 'rejected', reasonCode: 'no_slippage_guard' },
  },
  {
    title: 'To a stranger',
    text: `Swap 100 USDC for WETH to ${STRANGER}`,
    expected: { kind: 'rejected', reasonCode: 'recipient_not_allowed' },
  },
  {
    title: 'Above the cap',
    text: 'Swap 1000 USDC for WETH',
    expected: { kind: 'rejected', reasonCode: 'per_tx_cap_exceeded' },
  },
  {
    title: 'Through an unknown contract',
    text: `Swap 100 USDC for WETH through ${UNKNOWN_ROUTER}`,
    expected: { kind: 'rejected', reasonCode: 'decode_failure' },
  },
  { title: 'Why', text: 'Why was that rejected?', expected: { kind: 'words' } },
]
