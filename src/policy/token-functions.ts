import { ok, refuse } from '../lib/result.ts'
import { type AbiFunction, abiFunction, address, uint } from './calldata.ts'
import type { Leg } from './decoded-action.ts'
import type { Call } from './decoder.ts'
import { grantLeg } from './grant-leg.ts'

/** The functions of every ERC-20 token. Whether the target is one at all is for the checks to know. Source: EIP-20. */
export const tokenFunctions: readonly AbiFunction<Call, Leg>[] = [
  abiFunction('transfer', [address, uint(256)], ([to, amount], call) => {
    const { to: asset, wallet } = call
    return ok({
      kind: 'transfer',
      venue: 'erc20',
      spends: [{ asset, amount, bound: 'exact', party: wallet }],
      receives: [{ asset, amount, bound: 'exact', party: to }],
      grants: [],
      deadline: null,
    })
  }),
  abiFunction('transferFrom', [address, address, uint(256)], ([from, to, amount], { to: asset }) =>
    ok({
      kind: 'transfer',
      venue: 'erc20',
      spends: [{ asset, amount, bound: 'exact', party: from }],
      receives: [{ asset, amount, bound: 'exact', party: to }],
      grants: [],
      deadline: null,
    }),
  ),
  abiFunction('approve', [address, uint(256)], ([spender, amount], { to: asset, wallet }) =>
    ok(grantLeg('erc20', { asset, owner: wallet, spender, amount, expiresAt: null })),
  ),
]

/** Functions that many tokens have beside the standard's. An increase is shown as what it adds. */
export const allowanceFunctions: readonly AbiFunction<Call, Leg>[] = [
  abiFunction('increaseAllowance', [address, uint(256)], ([spender, amount], { to: asset, wallet }) =>
    amount === 0n
      ? refuse('it adds nothing')
      : ok(grantLeg('erc20', { asset, owner: wallet, spender, amount, expiresAt: null })),
  ),
  abiFunction('decreaseAllowance', [address, uint(256)], () =>
    refuse('its bytes do not say what right remains: "approve" of the amount that should remain does'),
  ),
]
