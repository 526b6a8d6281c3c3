import { z } from 'zod'
import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractAt } from '../../registry/index.ts'
import type { PermitAction, TypedData } from '../../schema/action.ts'
import { Address as AddressSchema } from '../../schema/primitives.ts'
import { deadlineOf } from '../deadline.ts'
import type { DecodedAction, Leg } from '../decoded-action.ts'
import { grantLeg } from '../grant-leg.ts'
import { configureLeg, transferLeg } from '../token-authorizations.ts'
import { type Domain, type MessageKind, members, type Read, readMessage, uintText } from '../typed-data.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

const FOREVER = (1n << 256n) - 1n

const Bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected 32 bytes')

type Permit = Readonly<{ owner: Address; spender: Address; value: bigint; deadline: bigint }>
const permit: MessageKind<Permit> = {
  primaryType: 'Permit',
  types: { Permit: members('address owner,address spender,uint256 value,uint256 nonce,uint256 deadline') },
  message: z.strictObject({
    owner: AddressSchema,
    spender: AddressSchema,
    value: uintText(256),
    nonce: uintText(256),
    deadline: uintText(256),
  }),
}

type DaiPermit = Readonly<{ holder: Address; spender: Address; expiry: bigint; allowed: boolean }>
const daiPermit: MessageKind<DaiPermit> = {
  primaryType: 'Permit',
  types: { Permit: members('address holder,address spender,uint256 nonce,uint256 expiry,bool allowed') },
  message: z.strictObject({
    holder: AddressSchema,
    spender: AddressSchema,
    nonce: uintText(256),
    expiry: uintText(256),
    allowed: z.boolean(),
  }),
}

type Authorization = Readonly<{ from: Address; to: Address; value: bigint; validBefore: bigint }>
const authorization = (primaryType: string): MessageKind<Authorization> => ({
  primaryType,
  types: {
    [primaryType]: members(
      'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce',
    ),
  },
  message: z.strictObject({
    from: AddressSchema,
    to: AddressSchema,
    value: uintText(256),
    validAfter: uintText(256),
    validBefore: uintText(256),
    nonce: Bytes32,
  }),
})

const cancellation: MessageKind<Readonly<{ authorizer: Address }>> = {
  primaryType: 'CancelAuthorization',
  types: { CancelAuthorization: members('address authorizer,bytes32 nonce') },
  message: z.strictObject({ authorizer: AddressSchema, nonce: Bytes32 }),
}

/** What a message says of its token: whose signature it must be, and what it does. */
type Said = Readonly<{ domain: Domain; digest: `0x${string}`; owner: Address; leg: Leg }>

/** Permits and transfers of tokens as messages to sign. Source: EIP-2612, the permit of DAI, EIP-3009. */
export const erc20 = defineTypedDecoder({
  protocol: 'erc20',
  decode(action, wallet) {
    if (!('typedData' in action)) return refuse('"typedData" is missing.')
    const { chainId, typedData } = action as PermitAction
    const said = saidIn(typedData)
    if (!said.ok) return refuse(`Signature for a token: ${said.reason}.`)
    const { domain, digest, owner, leg } = said.value
    const target = domain.verifyingContract
    if (domain.chainId !== BigInt(chainId)) return refuse('The domain is of another chain than "chainId".')
    const contract = contractAt(chainId, target)
    if (contract !== undefined) return refuse(`${target} is a ${contract.kind}, and takes no such signature.`)
    if (owner !== wallet) return refuse(`The signature would be of ${owner}, not of the wallet.`)
    const decoded = { protocol: 'erc20', chainId, wallet, target, selector: null, touches: [], trailingBytes: 0 }
    return ok<DecodedAction>({ ...decoded, legs: [leg], digest })
  },
})

function saidIn(typedData: TypedData): Result<Said> {
  switch (typedData.primaryType) {
    case 'Permit': {
      const dai = typedData.types.Permit?.some(({ name }) => name === 'holder') ?? false
      return dai ? said(readMessage(typedData, daiPermit), daiGrant) : said(readMessage(typedData, permit), grant)
    }
    case 'TransferWithAuthorization':
    case 'ReceiveWithAuthorization':
      return said(readMessage(typedData, authorization(typedData.primaryType)), moved)
    case 'CancelAuthorization':
      return said(readMessage(typedData, cancellation), ({ authorizer }) => [authorizer, configureLeg('erc20')])
    default:
      return refuse(`a message of type ${typedData.primaryType.slice(0, 64)} is not decoded`)
  }
}

function said<T>(read: Result<Read<T>>, of: (message: T, asset: Address) => readonly [Address, Leg]): Result<Said> {
  if (!read.ok) return read
  const { domain, digest, message } = read.value
  const [owner, leg] = of(message, domain.verifyingContract)
  return ok({ domain, digest, owner, leg })
}

function grant({ owner, spender, value, deadline }: Permit, asset: Address): readonly [Address, Leg] {
  return [owner, grantLeg('erc20', { asset, owner, spender, amount: value, expiresAt: null }, deadlineOf(deadline))]
}

function daiGrant({ holder: owner, spender, expiry, allowed }: DaiPermit, asset: Address): readonly [Address, Leg] {
  const right = { asset, owner, spender, amount: allowed ? FOREVER : 0n, expiresAt: null }
  return [owner, grantLeg('erc20', right, expiry === 0n ? null : deadlineOf(expiry))]
}

function moved({ from, to, value, validBefore }: Authorization, asset: Address): readonly [Address, Leg] {
  return [from, transferLeg('erc20', { asset, from, to, amount: value }, deadlineOf(validBefore))]
}
