import { defineCheck } from '../check.ts'

/** What a protocol holds for the wallet must stay within the policy. Transfers and swaps leave nothing behind. */
export const protocolExposure = defineCheck({
  id: 'protocol_exposure',
  field: 'exposure.perProtocolUsd',
  run: () => ({ notChecked: 'It leaves no position at a protocol.' }),
})
