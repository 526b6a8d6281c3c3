import type { Policy } from '../../src/schema/policy.ts'

/** What the demo's wallet may do: trade at Uniswap in small amounts and at fair prices, and send to nobody else. */
export const demoPolicy: Policy = {
  venues: { allow: ['uniswap', 'weth', 'erc20', 'native', 'permit2'] },
  chains: { allow: [1] },
  slippage: { maxBps: 100 },
  caps: { perTxUsd: 250, outflow24hUsd: 1_000 },
  approvalTtlSeconds: 120,
}
