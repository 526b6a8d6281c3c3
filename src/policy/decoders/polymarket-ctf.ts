import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { abiFunction, address, array, bool, bytes32, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg, PositionChange } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { configureLeg, REFUSED_TOKEN_FUNCTIONS } from '../token-authorizations.ts'

const POLYMARKET = 'polymarket'
const NO_PARENT = /^0x0{64}$/
/** The two outcomes of a market, each a set of one. */
const YES_AND_NO = [1n, 2n]

type Split = readonly [collateral: Address, parent: Hex, condition: Hex, sets: readonly bigint[], amount: bigint]

const split = [address, bytes32, bytes32, array(uint(256)), uint(256)] as const

// Source: Gnosis' conditional-tokens-contracts, `ConditionalTokens`.
const functions = functionTable<Call, Leg>([
  abiFunction('splitPosition', split, ([...args], call) => {
    const position = changed(args, 'increase', call)
    if (!position.ok) return position
    const [asset, , , , amount] = args
    const spends = [{ asset, amount, bound: 'exact', party: call.wallet }] as const
    return ok({ ...configureLeg(POLYMARKET), kind: 'supply', spends, positions: [position.value] })
  }),
  abiFunction('mergePositions', split, ([...args], call) => {
    const position = changed(args, 'decrease', call)
    if (!position.ok) return position
    const [asset, , , , amount] = args
    const receives = [{ asset, amount, bound: 'exact', party: call.wallet }] as const
    return ok({ ...configureLeg(POLYMARKET), kind: 'withdraw', receives, positions: [position.value] })
  }),
  // What a market pays out was decided elsewhere: how much that is no byte says, and it goes to the wallet.
  abiFunction(
    'redeemPositions',
    [address, bytes32, bytes32, array(uint(256))],
    ([asset, parent, marketId, sets], call) => {
      if (!NO_PARENT.test(parent)) return refuse('positions within positions are not decoded')
      if (sets.length === 0) return refuse('the list is empty')
      const { to: market, wallet: party } = call
      const position = { market, marketId, side: 'supply', change: 'decrease', asset, amount: null, party } as const
      return ok({ ...configureLeg(POLYMARKET), kind: 'withdraw', positions: [position] })
    },
  ),
  abiFunction('setApprovalForAll', [address, bool], ([operator, granted], { wallet }) =>
    ok({ ...configureLeg(POLYMARKET), kind: 'authorize', controls: [{ owner: wallet, operator, granted }] }),
  ),
])

/** The contract that keeps Polymarket's positions: dollars become both outcomes of a market, and back. */
export const polymarketCtf = defineDecoder({
  kind: 'polymarket-ctf',
  decode(call) {
    const refused = REFUSED_TOKEN_FUNCTIONS.get(call.data.slice(0, 10))
    if (refused !== undefined) return refuse(`Conditional tokens: ${refused}.`)
    if (call.value > 0n) return refuse('Conditional tokens take no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`Conditional tokens: ${result.reason}.`)
  },
})

function changed(
  [asset, parent, marketId, sets, amount]: Split,
  change: PositionChange['change'],
  { to: market, wallet: party }: Call,
): Result<PositionChange> {
  if (!NO_PARENT.test(parent)) return refuse('positions within positions are not decoded')
  if (sets.length !== 2 || sets.some((set, i) => set !== YES_AND_NO[i]))
    return refuse('only the two outcomes of a market are split and merged')
  return ok({ market, marketId, side: 'supply', change, asset, amount, party })
}
