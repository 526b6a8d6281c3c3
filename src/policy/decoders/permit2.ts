import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { abiFunction, address, array, callFunction, functionTable, tuple, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { grantLeg } from '../grant-leg.ts'
import { permitBatch, permitLegs, permitSignature, permitSingle } from '../permit2-permit.ts'

type Legs = readonly [Leg, ...Leg[]]

// Source: Permit2's AllowanceTransfer. A function of its signature transfers is refused: it moves what others signed.
const functions = functionTable<Call, Legs>([
  abiFunction('approve', [address, address, uint(160), uint(48)], ([asset, spender, amount, expiration], { wallet }) =>
    ok([grantLeg('permit2', { asset, owner: wallet, spender, amount, expiresAt: Number(expiration) })]),
  ),
  abiFunction('permit', [address, permitSingle, permitSignature], ([owner, [details, spender, until]], { wallet }) =>
    ownPermit(owner, wallet, permitLegs(owner, spender, [details], until)),
  ),
  abiFunction('permit', [address, permitBatch, permitSignature], ([owner, [details, spender, until]], { wallet }) =>
    ownPermit(owner, wallet, permitLegs(owner, spender, details, until)),
  ),
  abiFunction('transferFrom', [address, address, uint(160), address], (transfer) => ok([transferLeg(transfer)])),
  abiFunction('transferFrom', [array(tuple(address, address, uint(160), address))], ([transfers]) =>
    someLegs(transfers.map(transferLeg)),
  ),
  abiFunction('lockdown', [array(tuple(address, address))], ([pairs], { wallet }) =>
    someLegs(pairs.map(([asset, spender]) => revocation(wallet, asset, spender))),
  ),
  abiFunction('invalidateNonces', [address, address, uint(48)], () =>
    refuse('it voids signatures and leaves the allowance as it is: "lockdown" takes the right away'),
  ),
])

/** Permit2's allowances: who may spend which token of the wallet through it, how much and until when. */
export const permit2 = defineDecoder({
  kind: 'permit2',
  decode(call) {
    if (call.value > 0n) return refuse('Permit2 takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: result.value.value }) : refuse(`Permit2: ${result.reason}.`)
  },
})

function transferLeg([from, to, amount, asset]: readonly [Address, Address, bigint, Address]): Leg {
  return {
    kind: 'transfer',
    venue: 'permit2',
    spends: [{ asset, amount, bound: 'exact', party: from }],
    receives: [{ asset, amount, bound: 'exact', party: to }],
    grants: [],
    deadline: null,
  }
}

function revocation(owner: Address, asset: Address, spender: Address): Leg {
  return grantLeg('permit2', { asset, owner, spender, amount: 0n, expiresAt: null })
}

function ownPermit(owner: Address, wallet: Address, legs: readonly Leg[]): Result<Legs> {
  return owner === wallet ? someLegs(legs) : refuse(`the permit is of ${owner}, not of the wallet`)
}

function someLegs([first, ...rest]: readonly Leg[]): Result<Legs> {
  return first === undefined ? refuse('the list is empty') : ok([first, ...rest])
}
