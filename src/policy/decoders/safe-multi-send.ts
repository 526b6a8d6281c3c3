import { refuse } from '../../lib/result.ts'
import { defineDecoder } from '../decoder.ts'

/** Safe's MultiSend is there to be run as a Safe, by a delegatecall. Called like any contract it would act for itself. */
export const safeMultiSend = defineDecoder({
  kind: 'safe-multi-send',
  decode: ({ to }) =>
    refuse(`${to} makes its calls as itself when it is called: only a Safe's execTransaction can delegate to it.`),
})
