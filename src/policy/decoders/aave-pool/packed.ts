import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { type Result, refuse } from '../../../lib/result.ts'
import { abiFunction, bytes32, functionTable } from '../../calldata.ts'
import { ALL } from '../../lending-legs.ts'
import {
  borrow,
  configure,
  type Legs,
  type PoolCall,
  repay,
  repayWithATokens,
  supply,
  useAsCollateral,
  withdraw,
  withPermit,
} from './actions.ts'

/** Widths in bits of the fields of a word, from its lowest bit on. */
type Fields = Readonly<Record<string, number>>

const AMOUNT = { asset: 16, amount: 128 }
const SUPPLY = { ...AMOUNT, referral: 16 }
const DEBT = { ...AMOUNT, mode: 8 }
const PERMIT = { deadline: 32, v: 8 }

/** In a field of 128 bits, the largest number stands for the largest of 256. */
const ALL_PACKED = (1n << 128n) - 1n

/**
 * The functions that take their arguments in one word, of a pool on a rollup. An asset is named by its place in the pool's
 * list, which stands in the registry as of its date: what is not in it is refused. The bits above the last field, which
 * the pool ignores, must be zero. Source: `CalldataLogic` and `L2Pool` of Aave v3.
 */
export const packedFunctions = functionTable<PoolCall, Legs>([
  abiFunction('supply', [bytes32], ([word], call) =>
    unpack(word, SUPPLY, call, ({ asset, amount }) => supply(call, asset, amount, call.wallet)),
  ),
  abiFunction('supplyWithPermit', [bytes32, bytes32, bytes32], ([word], call) =>
    unpack(word, { ...SUPPLY, ...PERMIT }, call, ({ asset, amount, deadline }) =>
      withPermit(call, { asset, amount, deadline }, supply(call, asset, amount, call.wallet)),
    ),
  ),
  abiFunction('withdraw', [bytes32], ([word], call) =>
    unpack(word, AMOUNT, call, ({ asset, amount }) => withdraw(call, asset, orAll(amount), call.wallet)),
  ),
  abiFunction('borrow', [bytes32], ([word], call) =>
    unpack(word, { ...DEBT, referral: 16 }, call, ({ asset, amount, mode }) =>
      borrow(call, { asset, amount, mode, onBehalfOf: call.wallet }),
    ),
  ),
  abiFunction('repay', [bytes32], ([word], call) =>
    unpack(word, DEBT, call, ({ asset, amount, mode }) =>
      repay(call, { asset, amount: orAll(amount), mode, onBehalfOf: call.wallet }),
    ),
  ),
  abiFunction('repayWithPermit', [bytes32, bytes32, bytes32], ([word], call) =>
    unpack(word, { ...DEBT, ...PERMIT }, call, ({ asset, amount, mode, deadline }) =>
      withPermit(
        call,
        { asset, amount, deadline },
        repay(call, { asset, amount: orAll(amount), mode, onBehalfOf: call.wallet }),
      ),
    ),
  ),
  abiFunction('repayWithATokens', [bytes32], ([word], call) =>
    unpack(word, DEBT, call, ({ asset, amount, mode }) => repayWithATokens(call, asset, orAll(amount), mode)),
  ),
  abiFunction('swapBorrowRateMode', [bytes32], ([word], call) =>
    unpack(word, { asset: 16, mode: 8 }, call, ({ asset, mode }) => configure(call, 'rate mode', `${mode}`, asset)),
  ),
  abiFunction('setUserUseReserveAsCollateral', [bytes32], ([word], call) =>
    unpack(word, { asset: 16, use: 1 }, call, ({ asset, use }) => useAsCollateral(call, asset, use === 1n)),
  ),
])

type Unpacked = Readonly<{ asset: Address; amount: bigint; mode: bigint; use: bigint; deadline: bigint }>

function unpack(word: Hex, fields: Fields, { pool }: PoolCall, run: (values: Unpacked) => Result<Legs>): Result<Legs> {
  let rest = BigInt(word)
  const values: Record<string, bigint> = {}
  for (const [name, bits] of Object.entries(fields)) {
    values[name] = BigInt.asUintN(bits, rest)
    rest >>= BigInt(bits)
  }
  if (rest !== 0n) return refuse('bits are set beyond its last field')
  const { asset: id = 0n, amount = 0n, mode = 0n, use = 0n, deadline = 0n } = values
  const reserve = pool.reserves.find((one) => one.id === Number(id))
  if (reserve === undefined)
    return refuse(
      `asset ${id} of ${pool.market} is not in the registry: the function that names an asset by its address does`,
    )
  return run({ asset: reserve.asset, amount, mode, use, deadline })
}

function orAll(amount: bigint): bigint {
  return amount === ALL_PACKED ? ALL : amount
}
