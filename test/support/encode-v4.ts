// The commands of the Universal Router that hold plans of their own: swaps on version 4's books, and sub-plans. Written with
// viem's codecs alone.
import { type AbiParameter, type Address, encodeAbiParameters, type Hex, parseAbiParameters, zeroAddress } from 'viem'
import type { Command, Version } from './encode.ts'

/** One action on the books. */
export type Action = Readonly<{ byte: number; input: Hex }>

export type PoolKey = Readonly<{
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}>
export type PathKey = Readonly<{
  intermediateCurrency: Address
  fee: number
  tickSpacing: number
  hooks: Address
  hookData: Hex
}>

const KEY = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const HOP =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'

const SINGLE = {
  '2.0': parseAbiParameters([
    'Swap swap',
    'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amount; uint128 limit; bytes hookData; }',
    KEY,
  ]),
  '2.1': parseAbiParameters([
    'Swap swap',
    'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amount; uint128 limit; uint256 price; bytes hookData; }',
    KEY,
  ]),
} as const
const PATH = {
  '2.0': parseAbiParameters([
    'Swap swap',
    'struct Swap { address end; PathKey[] path; uint128 amount; uint128 limit; }',
    HOP,
  ]),
  '2.1': parseAbiParameters([
    'Swap swap',
    'struct Swap { address end; PathKey[] path; uint256[] prices; uint128 amount; uint128 limit; }',
    HOP,
  ]),
} as const
const SETTLE = parseAbiParameters('address, uint256, bool')
const WITH_LIMIT = parseAbiParameters('address, uint256')
const TAKE = parseAbiParameters('address, address, uint256')
const PLAN = parseAbiParameters('bytes, bytes[]')

/** A pool of two currencies, in the order that its key has them. */
export function poolKey(a: Address, b: Address, fee: number, tickSpacing: number, hooks = zeroAddress): PoolKey {
  const [currency0, currency1] = BigInt(a) < BigInt(b) ? [a, b] : [b, a]
  return { currency0, currency1, fee, tickSpacing, hooks }
}

type Single = Readonly<{
  version: Version
  pool: PoolKey
  zeroForOne: boolean
  amount: bigint
  limit: bigint
  price?: bigint
  hookData?: Hex
}>

function single(byte: number, { version, pool, price = 0n, hookData = '0x', ...f }: Single): Action {
  const swap = { poolKey: pool, zeroForOne: f.zeroForOne, amount: f.amount, limit: f.limit, hookData }
  const input =
    version === '2.0'
      ? encodeAbiParameters(SINGLE['2.0'], [swap])
      : encodeAbiParameters(SINGLE['2.1'], [{ ...swap, price }])
  return { byte, input }
}

type Path = Readonly<{
  version: Version
  /** Where a sale begins, or what a purchase buys. */
  end: Address
  path: readonly PathKey[]
  amount: bigint
  limit: bigint
  prices?: readonly bigint[]
}>

function along(byte: number, { version, prices = [], ...swap }: Path): Action {
  const input =
    version === '2.0'
      ? encodeAbiParameters(PATH['2.0'], [swap])
      : encodeAbiParameters(PATH['2.1'], [{ ...swap, prices }])
  return { byte, input }
}

export const v4InSingle = (f: Single) => single(0x06, f)
export const v4In = (f: Path) => along(0x07, f)
export const v4OutSingle = (f: Single) => single(0x08, f)
export const v4Out = (f: Path) => along(0x09, f)
export const v4Settle = (f: Readonly<{ token: Address; amount: bigint; walletPays: boolean }>): Action => ({
  byte: 0x0b,
  input: encodeAbiParameters(SETTLE, [f.token, f.amount, f.walletPays]),
})
export const v4SettleAll = (f: Readonly<{ token: Address; max: bigint }>): Action => ({
  byte: 0x0c,
  input: encodeAbiParameters(WITH_LIMIT, [f.token, f.max]),
})
export const v4Take = (f: Readonly<{ token: Address; to: Address; amount: bigint }>): Action => ({
  byte: 0x0e,
  input: encodeAbiParameters(TAKE, [f.token, f.to, f.amount]),
})
export const v4TakeAll = (f: Readonly<{ token: Address; min: bigint }>): Action => ({
  byte: 0x0f,
  input: encodeAbiParameters(WITH_LIMIT, [f.token, f.min]),
})
export const v4TakePortion = (f: Readonly<{ token: Address; to: Address; bips: bigint }>): Action => ({
  byte: 0x10,
  input: encodeAbiParameters(TAKE, [f.token, f.to, f.bips]),
})

const planOf = (parts: readonly Readonly<{ byte: number; input: Hex }>[]): Hex => {
  const bytes: Hex = `0x${parts.map(({ byte }) => byte.toString(16).padStart(2, '0')).join('')}`
  return encodeAbiParameters(PLAN, [bytes, parts.map(({ input }) => input)])
}

/** V4_SWAP. */
export const urV4 = (...actions: readonly Action[]): Command => ({ byte: 0x10, input: planOf(actions) })
/** EXECUTE_SUB_PLAN. */
export const urSubPlan = (...commands: readonly Command[]): Command => ({ byte: 0x21, input: planOf(commands) })

/** The input of an action; undefined for one that is not written here. */
export function actionInputOf(version: Version, byte: number): readonly AbiParameter[] | undefined {
  const inputs: Readonly<Record<number, readonly AbiParameter[]>> = {
    0x06: SINGLE[version],
    0x07: PATH[version],
    0x08: SINGLE[version],
    0x09: PATH[version],
    0x0b: SETTLE,
    0x0c: WITH_LIMIT,
    0x0e: TAKE,
    0x0f: WITH_LIMIT,
    0x10: TAKE,
  }
  return inputs[byte]
}
