import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { CORE_USDC } from '../../registry/index.ts'
import { abiFunction, address, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { HYPERLIQUID } from '../hyperliquid-legs.ts'

const PERPS = 0n
const SPOT = 0xffffffffn

// Source: Circle's hyperevm-circle-contracts, `CoreDepositWallet`.
const functions = functionTable<Call, Leg>([
  abiFunction('deposit', [uint(256), uint(32)], ([amount, dex], call) => deposited(call, call.wallet, amount, dex)),
  abiFunction('depositFor', [address, uint(256), uint(32)], ([to, amount, dex], call) =>
    deposited(call, to, amount, dex),
  ),
])

/** The way of USDC from HyperEVM to an account on HyperCore. */
export const hyperliquidDepositWallet = defineDecoder({
  kind: 'hyperliquid-deposit-wallet',
  decode(call) {
    if (call.value > 0n) return refuse('CoreDepositWallet takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`CoreDepositWallet: ${result.reason}.`)
  },
})

function deposited({ to: market, wallet }: Call, party: Address, amount: bigint, dex: bigint): Result<Leg> {
  if (dex !== PERPS && dex !== SPOT) return refuse(`exchange ${dex} of HyperCore is not known`)
  const { asset } = CORE_USDC
  return ok({
    kind: 'supply',
    venue: HYPERLIQUID,
    spends: [{ asset, amount, bound: 'exact', party: wallet }],
    receives: [],
    grants: [],
    positions: [{ market, side: 'supply', change: 'increase', asset, amount, party }],
    deadline: null,
    ...(dex === PERPS && party === wallet && { margin: amount }),
  })
}
