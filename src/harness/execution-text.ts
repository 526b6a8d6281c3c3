import type { Execution } from '../storage/index.ts'
import type { CardExecution } from './verdict-card.ts'

/** What the journal says of a signed transaction. */
export function sentText({ state, txHash }: Execution): CardExecution {
  switch (state) {
    case 'signed':
    case 'broadcast':
      return { mode: 'direct', ok: true, txHash, text: 'Signed and sent; not known to be mined yet.' }
    case 'mined':
    case 'final':
      return { mode: 'direct', ok: true, txHash, text: 'Executed and mined.' }
    case 'reverted':
      return { mode: 'direct', ok: false, txHash, text: 'The transaction was mined and reverted.' }
    case 'dropped':
      return { mode: 'direct', ok: false, txHash, text: 'Its nonce was used by another transaction.' }
  }
}
