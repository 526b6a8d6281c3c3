import { defineLegCheck } from '../check.ts'

/** An order must carry a price bound that the venue enforces. On-chain transfers and swaps are no orders. */
export const executionPriceBound = defineLegCheck({
  id: 'execution_price_bound',
  field: 'priceBound.maxDeviationBps',
  run: () => ({ notChecked: 'It is no venue order.' }),
})
