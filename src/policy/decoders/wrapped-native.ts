import { ok, type Result, refuse } from '../../lib/result.ts'
import { abiFunction, callFunction, functionTable, MAX_TRAILING_BYTES, uint } from '../calldata.ts'
import type { Asset, Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { tokenFunctions } from '../token-functions.ts'

const functions = functionTable<Call, Leg>([
  abiFunction('deposit', [], (_, call) => ok(exchange('wrap', call, 'native', call.to, call.value))),
  abiFunction('withdraw', [uint(256)], ([amount], call) =>
    unpaid(call, ok(exchange('unwrap', call, call.to, 'native', amount))),
  ),
  ...tokenFunctions.map((f) => ({
    ...f,
    call: (data: Call['data'], call: Call) => unpaid(call, f.call(data, call)),
  })),
])

/**
 * The wrapped form of a chain's coin: WETH, WPOL, WHYPE. Plain value deposits. Its real fallback deposits as well, so a
 * selector that it does not have would succeed: only those that all wrapped coins share are decoded, the rest refused.
 * Trailing bytes are ignored by the contract behind a selector that it has.
 */
export const wrappedNative = defineDecoder({
  kind: 'wrapped-native',
  decode(call) {
    if (call.data === '0x') return ok({ legs: [exchange('wrap', call, 'native', call.to, call.value)] })
    const result = callFunction(functions, call.data, call, MAX_TRAILING_BYTES)
    if (!result.ok) return refuse(`Wrapped native coin ${call.to}: ${result.reason}.`)
    return ok({ legs: [result.value.value], trailingBytes: result.value.trailing })
  },
})

function exchange(kind: 'wrap' | 'unwrap', { wallet }: Call, from: Asset, to: Asset, amount: bigint): Leg {
  return {
    kind,
    venue: 'weth',
    spends: [{ asset: from, amount, bound: 'exact', party: wallet }],
    receives: [{ asset: to, amount, bound: 'exact', party: wallet }],
    grants: [],
    deadline: null,
  }
}

function unpaid<T>(call: Call, result: Result<T>): Result<T> {
  return call.value === 0n ? result : refuse('it takes no native value: "value" must be 0')
}
