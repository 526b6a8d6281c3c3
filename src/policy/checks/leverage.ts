import { defineLegCheck } from '../check.ts'

/** A change of leverage must stay within the policy. On-chain transfers and swaps change none. */
export const leverage = defineLegCheck({
  id: 'leverage',
  field: 'leverage.max',
  run: () => ({ notChecked: 'It changes no leverage.' }),
})
