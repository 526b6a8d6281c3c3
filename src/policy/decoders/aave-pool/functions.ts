import type { Hex } from '../../../lib/hash.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { abiFunction, address, array, bool, bytes, bytes32, callFunction, functionTable, uint } from '../../calldata.ts'
import type { Leg } from '../../decoded-action.ts'
import { controlLeg } from '../../lending-legs.ts'
import {
  AAVE,
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
import { packedFunctions } from './packed.ts'

const MAX_DEPTH = 2
const signature = [uint(8), bytes32, bytes32] as const

// Source: IPool and Pool of Aave v3, from 3.0.2 to 3.6; `multicall` since 3.4.
const functions = functionTable<PoolCall, Legs>([
  abiFunction('supply', [address, uint(256), address, uint(16)], ([asset, amount, onBehalfOf], call) =>
    supply(call, asset, amount, onBehalfOf),
  ),
  abiFunction('deposit', [address, uint(256), address, uint(16)], ([asset, amount, onBehalfOf], call) =>
    supply(call, asset, amount, onBehalfOf),
  ),
  abiFunction(
    'supplyWithPermit',
    [address, uint(256), address, uint(16), uint(256), ...signature],
    ([asset, amount, onBehalfOf, , deadline], call) =>
      withPermit(call, { asset, amount, deadline }, supply(call, asset, amount, onBehalfOf)),
  ),
  abiFunction('withdraw', [address, uint(256), address], ([asset, amount, to], call) =>
    withdraw(call, asset, amount, to),
  ),
  abiFunction(
    'borrow',
    [address, uint(256), uint(256), uint(16), address],
    ([asset, amount, mode, , onBehalfOf], call) => borrow(call, { asset, amount, mode, onBehalfOf }),
  ),
  abiFunction('repay', [address, uint(256), uint(256), address], ([asset, amount, mode, onBehalfOf], call) =>
    repay(call, { asset, amount, mode, onBehalfOf }),
  ),
  abiFunction(
    'repayWithPermit',
    [address, uint(256), uint(256), address, uint(256), ...signature],
    ([asset, amount, mode, onBehalfOf, deadline], call) =>
      withPermit(call, { asset, amount, deadline }, repay(call, { asset, amount, mode, onBehalfOf })),
  ),
  abiFunction('repayWithATokens', [address, uint(256), uint(256)], ([asset, amount, mode], call) =>
    repayWithATokens(call, asset, amount, mode),
  ),
  abiFunction('setUserUseReserveAsCollateral', [address, bool], ([asset, use], call) =>
    useAsCollateral(call, asset, use),
  ),
  abiFunction('setUserEMode', [uint(8)], ([category], call) => configure(call, 'efficiency mode', `${category}`)),
  abiFunction('swapBorrowRateMode', [address, uint(256)], ([asset, mode], call) =>
    configure(call, 'rate mode', `${mode}`, asset),
  ),
  abiFunction('approvePositionManager', [address, bool], ([manager, granted], { wallet }) =>
    ok([controlLeg(AAVE, wallet, manager, granted)]),
  ),
  abiFunction('renouncePositionManagerRole', [address], ([user], { wallet }) =>
    ok([controlLeg(AAVE, user, wallet, false)]),
  ),
  abiFunction('multicall', [array(bytes)], ([calls], call) => multicall(calls, call)),
])

/** Further functions of pools that are known and not decoded, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  '0xab9c4b5d': 'flashLoan hands borrowed assets to code of the receiver, which no decoder can follow',
  '0x42b0b77c': 'flashLoanSimple hands a borrowed asset to code of the receiver, which no decoder can follow',
  '0x00a718a9': 'liquidationCall pays for what the price oracle says at that moment, which its bytes do not bound',
  '0xfd21ecff': 'liquidationCall pays for what the price oracle says at that moment, which its bytes do not bound',
  '0x9cd19996': 'mintToTreasury is upkeep of the pool, which does nothing for the wallet',
  '0x4ba06814': 'setUserEModeOnBehalfOf changes the account of somebody else',
  '0x972b35fa': 'setUserUseReserveAsCollateralOnBehalfOf changes the account of somebody else',
  '0xcd112382': 'rebalanceStableBorrowRate changes the account of somebody else',
  '0x427da177': 'rebalanceStableBorrowRate changes the account of somebody else',
  '0x69a933a5': 'mintUnbacked is for bridges of the pool alone',
  '0xd65dc7a1': 'backUnbacked is for bridges of the pool alone',
}

const all = new Map([...functions, ...packedFunctions])

/** Reads a call on a pool; those of rollups have the packed functions beside the others. Within a batch no bytes may follow. */
export function callPool(
  data: Hex,
  call: PoolCall,
  maxTrailing = 0,
): Result<Readonly<{ value: Legs; trailing: number }>> {
  const refused = REFUSED[data.slice(0, 10)]
  if (refused !== undefined) return refuse(refused)
  return callFunction(call.pool.packed ? all : functions, data, call, maxTrailing)
}

function multicall(calls: readonly Hex[], call: PoolCall): Result<Legs> {
  if (call.depth >= MAX_DEPTH) return refuse(`batches lie more than ${MAX_DEPTH} deep within each other`)
  const legs: Leg[] = []
  for (const [i, data] of calls.entries()) {
    const inner = callPool(data, { ...call, depth: call.depth + 1 })
    if (!inner.ok) return refuse(`call ${i + 1} of ${calls.length}: ${inner.reason}`)
    legs.push(...inner.value.value)
  }
  const [first, ...rest] = legs
  return first === undefined ? refuse('it calls nothing') : ok([first, ...rest])
}
