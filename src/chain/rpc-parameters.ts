import type { ChainCall } from './chain-client.ts'

/** A JSON-RPC quantity. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** The call object of `eth_call`, `eth_estimateGas` and `eth_simulateV1`. */
export function callObject({ to, data, from, value }: ChainCall): object {
  return { to, data, ...(from && { from }), ...(value !== undefined && { value: quantity(value) }) }
}
