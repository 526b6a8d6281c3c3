import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { abiFunction, address, array, bytes, bytes32, callFunction, functionTable, tuple, uint } from '../calldata.ts'
import { deadlineOf } from '../deadline.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { grantLeg } from '../grant-leg.ts'
import { permitBatch, permitLegs, permitSignature, permitSingle } from '../permit2-permit.ts'
import { configureLeg, transferLeg } from '../token-authorizations.ts'

type Legs = readonly [Leg, ...Leg[]]
type Permitted = readonly [asset: Address, amount: bigint]
type Requested = readonly [to: Address, amount: bigint]

const permitted = tuple(address, uint(256))
const requested = tuple(address, uint(256))
const permitTransfer = tuple(permitted, uint(256), uint(256))
const permitTransfers = tuple(array(permitted), uint(256), uint(256))
/** The type of a witness in EIP-712's words; it decides what was signed, not what moves. */
const witnessType = bytes

// Source: Permit2's AllowanceTransfer and SignatureTransfer.
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
  abiFunction('transferFrom', [address, address, uint(160), address], ([from, to, amount, asset]) =>
    ok([transferLeg('permit2', { asset, from, to, amount })]),
  ),
  abiFunction('transferFrom', [array(tuple(address, address, uint(160), address))], ([transfers]) =>
    someLegs(transfers.map(([from, to, amount, asset]) => transferLeg('permit2', { asset, from, to, amount }))),
  ),
  abiFunction('permitTransferFrom', [permitTransfer, requested, address, bytes], ([[one, , until], wanted, owner]) =>
    signedTransfers([one], [wanted], owner, until),
  ),
  abiFunction(
    'permitTransferFrom',
    [permitTransfers, array(requested), address, bytes],
    ([[all, , until], wanted, owner]) => signedTransfers(all, wanted, owner, until),
  ),
  abiFunction(
    'permitWitnessTransferFrom',
    [permitTransfer, requested, address, bytes32, named('string', witnessType), bytes],
    ([[one, , until], wanted, owner]) => signedTransfers([one], [wanted], owner, until),
  ),
  abiFunction(
    'permitWitnessTransferFrom',
    [permitTransfers, array(requested), address, bytes32, named('string', witnessType), bytes],
    ([[all, , until], wanted, owner]) => signedTransfers(all, wanted, owner, until),
  ),
  abiFunction('lockdown', [array(tuple(address, address))], ([pairs], { wallet }) =>
    someLegs(pairs.map(([asset, spender]) => revocation(wallet, asset, spender))),
  ),
  abiFunction('invalidateNonces', [address, address, uint(48)], () =>
    refuse('it voids signatures and leaves the allowance as it is: "lockdown" takes the right away'),
  ),
  // Signatures for single transfers, which leave no allowance behind: voiding them takes a right away and gives none.
  abiFunction('invalidateUnorderedNonces', [uint(256), uint(256)], () => ok([configureLeg('permit2')])),
])

/** Permit2: who may spend which token of the wallet through it, how much and until when, and transfers by signature. */
export const permit2 = defineDecoder({
  kind: 'permit2',
  decode(call) {
    if (call.value > 0n) return refuse('Permit2 takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: result.value.value }) : refuse(`Permit2: ${result.reason}.`)
  },
})

function named<T extends typeof bytes>(name: string, type: T): T {
  return { ...type, name }
}

/** Transfers that the owner signed for whoever sends them: as many as were signed, and none of more. */
function signedTransfers(
  signed: readonly Permitted[],
  wanted: readonly Requested[],
  owner: Address,
  until: bigint,
): Result<Legs> {
  if (signed.length !== wanted.length) return refuse('as many transfers must be asked for as were signed')
  if (wanted.some(([, amount], i) => amount > (signed[i]?.[1] ?? 0n)))
    return refuse('more is asked for than was signed')
  return someLegs(
    wanted.map(([to, amount], i) => {
      const asset = signed[i]?.[0] ?? owner
      return transferLeg('permit2', { asset, from: owner, to, amount }, deadlineOf(until))
    }),
  )
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
