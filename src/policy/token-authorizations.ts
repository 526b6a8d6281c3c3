import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type AbiFunction, type AbiType, abiFunction, address, bool, bytes, bytes32, uint } from './calldata.ts'
import { deadlineOf } from './deadline.ts'
import type { Asset, Leg } from './decoded-action.ts'
import type { Call } from './decoder.ts'
import { grantLeg } from './grant-leg.ts'

const FOREVER = (1n << 256n) - 1n

/** A transfer of somebody's tokens, as one leg. `deadline` is in Unix seconds. */
export function transferLeg(
  venue: string,
  { asset, from, to, amount }: Readonly<{ asset: Asset; from: Address; to: Address; amount: bigint }>,
  deadline: number | null = null,
): Leg {
  const flow = { asset, amount, bound: 'exact' } as const
  const [spends, receives] = [[{ ...flow, party: from }], [{ ...flow, party: to }]]
  return { kind: 'transfer', venue, spends, receives, grants: [], deadline }
}

/** A leg that moves nothing and gives no right away. */
export function configureLeg(venue: string, deadline: number | null = null): Leg {
  return { kind: 'configure', venue, spends: [], receives: [], grants: [], deadline }
}

type Transfer = readonly [from: Address, to: Address, amount: bigint, validAfter: bigint, validBefore: bigint]

const signed: readonly [AbiType<bigint>, AbiType<Hex>, AbiType<Hex>] = [uint(8), bytes32, bytes32]
const transferTypes = [address, address, uint(256), uint(256), uint(256), bytes32] as const

/**
 * Functions of tokens that carry their owner's signature. Whose it is the token decides; what is signed for is read.
 * Source: EIP-2612, the permit of DAI, EIP-3009.
 */
export const authorizationFunctions: readonly AbiFunction<Call, Leg>[] = [
  abiFunction(
    'permit',
    [address, address, uint(256), uint(256), ...signed],
    ([owner, spender, amount, deadline], { to: asset, wallet }) =>
      own(owner, wallet, grantLeg('erc20', { asset, owner, spender, amount, expiresAt: null }, deadlineOf(deadline))),
  ),
  abiFunction(
    'permit',
    [address, address, uint(256), uint(256), bool, ...signed],
    ([owner, spender, , expiry, allowed], { to: asset, wallet }) => {
      const grant = { asset, owner, spender, amount: allowed ? FOREVER : 0n, expiresAt: null }
      return own(owner, wallet, grantLeg('erc20', grant, expiry === 0n ? null : deadlineOf(expiry)))
    },
  ),
  abiFunction('transferWithAuthorization', [...transferTypes, ...signed], ([...transfer], call) =>
    moved(transfer, call),
  ),
  abiFunction('transferWithAuthorization', [...transferTypes, bytes], ([...transfer], call) => moved(transfer, call)),
  abiFunction('receiveWithAuthorization', [...transferTypes, ...signed], ([...transfer], call) =>
    collected(transfer, call),
  ),
  abiFunction('receiveWithAuthorization', [...transferTypes, bytes], ([...transfer], call) =>
    collected(transfer, call),
  ),
  abiFunction('cancelAuthorization', [address, bytes32, ...signed], ([owner], { wallet }) =>
    own(owner, wallet, configureLeg('erc20')),
  ),
  abiFunction('cancelAuthorization', [address, bytes32, bytes], ([owner], { wallet }) =>
    own(owner, wallet, configureLeg('erc20')),
  ),
  // Of ERC-721 and ERC-1155: no amount limits what the operator may take.
  abiFunction('setApprovalForAll', [address, bool], ([operator, granted], { wallet }) =>
    ok({ ...configureLeg('erc20'), kind: 'authorize', controls: [{ owner: wallet, operator, granted }] }),
  ),
]

function own(owner: Address, wallet: Address, leg: Leg): Result<Leg> {
  return owner === wallet ? ok(leg) : refuse(`the signature is of ${owner}, not of the wallet`)
}

function moved(
  [from, to, amount, , validBefore]: readonly [...Transfer, ...unknown[]],
  { to: asset }: Call,
): Result<Leg> {
  return ok(transferLeg('erc20', { asset, from, to, amount }, deadlineOf(validBefore)))
}

function collected(transfer: readonly [...Transfer, ...unknown[]], call: Call): Result<Leg> {
  return transfer[1] === call.wallet ? moved(transfer, call) : refuse(`only ${transfer[1]} itself can receive by it`)
}

const HOOKS = 'calls code of the receiver with the tokens, which no decoder can follow: "transfer" sends them without'
const OPERATOR = 'is the ERC-777 way of an operator, who may take everything at any time: "approve" names an amount'
const COLLECTIBLE = 'moves a token that is one of a kind, which has no price to decide by'

/** Functions of other kinds of tokens that are known and not decoded, and why. */
export const REFUSED_TOKEN_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['0x4000aea0', `transferAndCall ${HOOKS}`],
  ['0x9bd9bbc6', `send ${HOOKS}`],
  ['0x959b8c3f', `authorizeOperator ${OPERATOR}`],
  ['0x62ad1b83', `operatorSend ${OPERATOR}`],
  ['0x42842e0e', `safeTransferFrom ${COLLECTIBLE}`],
  ['0xb88d4fde', `safeTransferFrom ${COLLECTIBLE}`],
  ['0xf242432a', `safeTransferFrom ${COLLECTIBLE}`],
  ['0x2eb2c2d6', `safeBatchTransferFrom ${COLLECTIBLE}`],
])
