import { refuse } from '../../lib/result.ts'
import { defineDecoder } from '../decoder.ts'

/** Polymarket's exchanges take signed orders; what is called on them directly is their operator's. */
export const polymarketExchange = defineDecoder({
  kind: 'polymarket-exchange',
  decode: ({ to }) =>
    refuse(`${to} is an exchange of Polymarket: it takes signed orders (protocol "polymarket"), no calls.`),
})
