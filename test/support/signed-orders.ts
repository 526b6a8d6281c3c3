import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { OrderMessage } from '../../src/schema/action.ts'
import { USDC, WALLET, WETH } from './actions.ts'

/** An order that a venue's own package made, with the digest that it gives it. */
export type OrderVector = Readonly<{ proposed: OrderMessage; digest: string }>

const Vector = z.looseObject({ chainId: z.int(), appData: z.string().optional(), digest: z.string() })

/** The orders of `test/vectors/orders` of one venue. Whose they are: `WALLET` of the decoders' tests. */
export function orderVectors(protocol: OrderMessage['protocol']): readonly OrderVector[] {
  const file = new URL(`../vectors/orders/${protocol}.json`, import.meta.url)
  const all: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return z
    .array(Vector)
    .parse(all)
    .map(({ chainId, appData, digest, typedData }) => ({
      proposed: OrderMessage.parse({ protocol, chainId, typedData, ...(appData !== undefined && { appData }) }),
      digest,
    }))
}

export const ORDER_PROTOCOLS = ['cow', 'uniswapx', '1inch'] as const

/** Places of the values within a JSON value, as paths. */
export function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]))
}

/** A copy of a JSON value with another value at a path. */
export function replacedAt<T>(value: T, path: readonly string[], next: unknown): T {
  const copy = structuredClone(value)
  const [last = '', ...above] = [...path].reverse()
  const parent = above.reverse().reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy)
  ;(parent as Record<string, unknown>)[last] = next
  return copy
}

/** The value at a path of a JSON value. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value)
}

const ZERO = '0x0000000000000000000000000000000000000000'
const REACTOR = '0x00000011f84b9aa48e5f8aa8b9897600006289be'
/** Unix second at which `orderOf` ends. */
export const UNTIL = 1_900_000_000

/** What an order of `orderOf` may say otherwise. */
export type Terms = Readonly<{ sold?: bigint; least?: bigint; to?: string; token?: string; until?: number }>

/** 100 USDC for at least 0.0331 WETH (99.3 US dollars at 3,000) to the wallet, but for what is said otherwise. */
export function orderOf(protocol: OrderMessage['protocol'], terms: Terms = {}): OrderMessage {
  const { sold = 100_000_000n, least = 33_100_000_000_000_000n, to = WALLET, token = WETH, until = UNTIL } = terms
  const vector = orderVectors(protocol).find(({ proposed: { chainId, typedData, appData } }) => {
    const witness = typedData.types['PermitWitnessTransferFrom']?.at(-1)?.type ?? 'V2DutchOrder'
    return chainId === 1 && appData === undefined && witness === 'V2DutchOrder'
  })
  assert.ok(vector)
  const [spent, bought] = [sold.toString(), least.toString()]
  const witness = (vector.proposed.typedData.message as Record<string, Record<string, unknown>>)['witness']
  const info = { reactor: REACTOR, swapper: WALLET, nonce: '1', deadline: until }
  const message = {
    cow: {
      sellToken: USDC,
      buyToken: token,
      receiver: to,
      sellAmount: spent,
      buyAmount: bought,
      validTo: until,
      feeAmount: '0',
    },
    '1inch': {
      makerAsset: USDC,
      takerAsset: token,
      receiver: to,
      makingAmount: spent,
      takingAmount: bought,
      makerTraits: (BigInt(until) << 80n).toString(),
    },
    uniswapx: {
      permitted: { token: USDC, amount: spent },
      spender: REACTOR,
      nonce: '1',
      deadline: until,
      witness: {
        ...witness,
        info: { ...info, additionalValidationContract: ZERO, additionalValidationData: '0x' },
        baseInputToken: USDC,
        baseInputStartAmount: spent,
        baseInputEndAmount: spent,
        baseOutputs: [{ token, startAmount: bought, endAmount: bought, recipient: to }],
      },
    },
  }[protocol]
  const all = { ...vector.proposed.typedData.message, ...message }
  return OrderMessage.parse(replacedAt(vector.proposed, ['typedData', 'message'], all))
}
