// A world that tools read, made of plain values: no node, no policy.
import type { Deposit, Quote, Reader, ToolContext } from '../../src/harness/tool.ts'
import type { Address } from '../../src/lib/address.ts'
import { isAddress, toAddress } from '../../src/lib/address.ts'
import { ok, refuse } from '../../src/lib/result.ts'
import { tokenAt, tokenBySymbol } from '../../src/registry/index.ts'

export const WALLET: Address = '0x00000000000000000000000000000000000a11ce'
export const STRANGER: Address = '0x000000000000000000000000000000000000beef'
export const NOW = new Date('2026-11-20T12:00:00Z')
export const NOW_SECONDS = Math.floor(NOW.getTime() / 1000)

/** What a test changes about the world. */
export type World = Readonly<{
  allowance?: bigint
  permit2?: Readonly<{ amount: bigint; expiresAt: number }>
  quote?: Quote
  slippageBps?: number
  chainId?: number
  deposits?: readonly Deposit[]
}>

export const QUOTE: Quote = { pool: 'v3', fee: 500, amountIn: 100_000_000n, amountOut: 33_000_000_000_000_000n }

const PREDICTION = {
  slug: 'will-it-rain',
  question: 'Will it rain?',
  outcomes: [
    { outcome: 'Yes', id: (2n ** 255n + 1n).toString(), price: '0.5' },
    { outcome: 'No', id: (2n ** 255n - 1n).toString(), price: '0.5' },
  ],
}

export function standInContext(world: World = {}): ToolContext {
  const chainId = world.chainId ?? 1
  const reader: Reader = {
    async token(name) {
      if (name === 'native' || name === 'ETH') return ok({ address: 'native', symbol: 'ETH', decimals: 18 })
      const token = isAddress(name) ? tokenAt(chainId, toAddress(name)) : tokenBySymbol(chainId, name)
      return token ? ok(token) : refuse(`No token "${name}".`)
    },
    balances: async () => [
      { token: { address: 'native', symbol: 'ETH', decimals: 18 }, amount: 1_500_000_000_000_000_000n },
    ],
    balance: async () => 200_000_000n,
    approvals: async () => [],
    deposits: async () => world.deposits ?? [],
    fees: async () => ({ base: 12_000_000_000n, tip: 1_000_000_000n }),
    history: async () => [],
    limits: async () => ({ policy: { caps: { perTxUsd: 500 } }, version: 3, outflow: 25_000_000n }),
    allowance: async () => world.allowance ?? 0n,
    permit2Allowance: async () => world.permit2 ?? { amount: 0n, expiresAt: 0 },
    quote: async () => (world.quote === undefined ? ok(QUOTE) : ok(world.quote)),
    usdPrice: async () => 3_000,
    verdict: async () => refuse('There is no verdict yet.'),
    perps: {
      markets: async () => [{ id: 0, symbol: 'BTC', sizeDecimals: 5, mark: '60000.5', maxLeverage: 40 }],
      account: async () => ({
        equity: '1000.0',
        withdrawable: '900.0',
        positions: [
          {
            symbol: 'BTC',
            size: '-0.01',
            entry: '61000',
            mark: '60000.5',
            profit: '10',
            leverage: 5,
            liquidation: '90000',
          },
        ],
        orders: [{ symbol: 'BTC', side: 'buy', size: '0.01', price: '59000', cloid: `0x${'1'.repeat(32)}` }],
      }),
      boundBps: async () => 100,
    },
    predictions: {
      find: async () => [PREDICTION],
      market: async (slug) => (slug === PREDICTION.slug ? PREDICTION : undefined),
      terms: async (id) => {
        const found = PREDICTION.outcomes.find((outcome) => outcome.id === id)
        const { outcome = 'Yes' } = found ?? {}
        return { id, outcome, negRisk: false, tick: '0.01', minSize: '5', bid: '0.5', ask: '0.51', mid: '0.505' }
      },
      openOrders: async () =>
        ok([
          {
            id: `0x${'1'.repeat(64)}`,
            market: PREDICTION.outcomes[0]?.id ?? '',
            outcome: 'Yes',
            side: 'buy',
            size: '20',
            matched: '0',
            price: '0.5',
          },
        ]),
      account: { maker: WALLET, signer: WALLET, signatureType: 0 },
      boundBps: async () => 200,
    },
  }
  return {
    chainId,
    wallet: WALLET,
    reader,
    slippageBps: world.slippageBps ?? 100,
    now: () => NOW,
    checkIntent: async () => ok({ matches: true, reason: 'So it is.', node: null }),
    simulate: async () => ok([]),
  }
}
