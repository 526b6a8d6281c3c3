import { z } from 'zod'
import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractAt, contractOf } from '../../registry/index.ts'
import type { PermitAction, TypedData } from '../../schema/action.ts'
import { Address as AddressSchema } from '../../schema/primitives.ts'
import { deadlineOf } from '../deadline.ts'
import type { DecodedAction, Leg } from '../decoded-action.ts'
import { grantLeg } from '../grant-leg.ts'
import { permitLegs } from '../permit2-permit.ts'
import { type Members, type MessageKind, members, readMessage, uintText } from '../typed-data.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

const Details = z.strictObject({
  token: AddressSchema,
  amount: uintText(160),
  expiration: uintText(48),
  nonce: uintText(48),
})
const Permitted = z.strictObject({ token: AddressSchema, amount: uintText(256) })
const PERMIT_DETAILS = members('address token,uint160 amount,uint48 expiration,uint48 nonce')
const TOKEN_PERMISSIONS = members('address token,uint256 amount')

const permitSingle: MessageKind<Readonly<{ details: Detail; spender: Address; sigDeadline: bigint }>> = {
  primaryType: 'PermitSingle',
  types: {
    PermitSingle: members('PermitDetails details,address spender,uint256 sigDeadline'),
    PermitDetails: PERMIT_DETAILS,
  },
  message: z.strictObject({ details: Details, spender: AddressSchema, sigDeadline: uintText(256) }),
}
const permitBatch: MessageKind<Readonly<{ details: Detail[]; spender: Address; sigDeadline: bigint }>> = {
  primaryType: 'PermitBatch',
  types: {
    PermitBatch: members('PermitDetails[] details,address spender,uint256 sigDeadline'),
    PermitDetails: PERMIT_DETAILS,
  },
  message: z.strictObject({
    details: z.array(Details).min(1).max(32),
    spender: AddressSchema,
    sigDeadline: uintText(256),
  }),
}

type Detail = z.output<typeof Details>
type Transfer = Readonly<{ permitted: readonly z.output<typeof Permitted>[]; spender: Address; deadline: bigint }>

/** A transfer that the spender may make once; with a witness it is bound to what the witness says, and no less a right. */
function transferKind(primaryType: string, several: boolean, witness: Readonly<Record<string, Members>>) {
  const own = `TokenPermissions${several ? '[]' : ''} permitted,address spender,uint256 nonce,uint256 deadline`
  const [witnessMember] = witness[primaryType]?.slice(4) ?? []
  const { [primaryType]: _, ...structs } = witness
  const permitted = several
    ? z.array(Permitted).min(1).max(32)
    : Permitted.transform((one): z.output<typeof Permitted>[] => [one])
  const message: z.ZodType<Transfer> = z.strictObject({
    permitted,
    spender: AddressSchema,
    nonce: uintText(256),
    deadline: uintText(256),
    ...(witnessMember && { [witnessMember.name]: z.json() }),
  })
  const types = { ...structs, [primaryType]: [...members(own), ...(witnessMember ? [witnessMember] : [])] }
  return { primaryType, types: { ...types, TokenPermissions: TOKEN_PERMISSIONS }, message }
}

/**
 * Permits of Permit2 as messages to sign. What a signature hands out is taken for all that its spender may do with it.
 * Source: Permit2's `PermitHash`.
 */
export const permit2 = defineTypedDecoder({
  protocol: 'permit2',
  decode(action, wallet) {
    if (!('typedData' in action)) return refuse('"typedData" is missing.')
    const permit = action as PermitAction
    const legs = legsOf(permit.typedData, wallet)
    if (!legs.ok) return refuse(`Permit2: ${legs.reason}.`)
    const { domain, digest, value } = legs.value
    const target = contractOf(permit.chainId, 'permit2')
    if (domain.chainId !== BigInt(permit.chainId))
      return refuse('Permit2: the domain is of another chain than "chainId".')
    if (target === undefined || domain.verifyingContract !== target)
      return refuse(`Permit2: ${domain.verifyingContract} is not Permit2 on chain ${permit.chainId}.`)
    if (domain.name !== 'Permit2' || domain.version !== undefined) return refuse('Permit2: the domain is not its own.')
    const [first, ...rest] = value
    if (first === undefined) return refuse('Permit2: the list is empty.')
    const { chainId } = permit
    // What a reactor would do with it only the order says, which is decoded as one.
    if (value.some(({ grants }) => grants.some(({ spender }) => isReactor(chainId, spender))))
      return refuse('Permit2: an order of UniswapX is proposed with "protocol": "uniswapx".')
    const decoded = { protocol: 'permit2', chainId, wallet, target, selector: null, touches: [], trailingBytes: 0 }
    return ok<DecodedAction>({ ...decoded, legs: [first, ...rest], digest })
  },
})

function isReactor(chainId: number, spender: Address): boolean {
  return contractAt(chainId, spender)?.kind === 'uniswapx-reactor'
}

type Signed = Readonly<{
  domain: Readonly<{
    name?: string | undefined
    version?: string | undefined
    chainId: bigint
    verifyingContract: Address
  }>
  digest: `0x${string}`
  value: readonly Leg[]
}>

function legsOf(typedData: TypedData, wallet: Address): Result<Signed> {
  switch (typedData.primaryType) {
    case 'PermitSingle': {
      const read = readMessage(typedData, permitSingle)
      if (!read.ok) return read
      const { details, ...rest } = read.value.message
      return ok({ ...read.value, value: allowances(wallet, { ...rest, details: [details] }) })
    }
    case 'PermitBatch': {
      const read = readMessage(typedData, permitBatch)
      return read.ok ? ok({ ...read.value, value: allowances(wallet, read.value.message) }) : read
    }
    case 'PermitTransferFrom':
    case 'PermitBatchTransferFrom':
    case 'PermitWitnessTransferFrom':
    case 'PermitBatchWitnessTransferFrom':
      return transfers(typedData, wallet)
    default:
      return refuse(`a message of type ${typedData.primaryType.slice(0, 64)} is not decoded`)
  }
}

function allowances(
  owner: Address,
  { details, spender, sigDeadline }: Readonly<{ details: readonly Detail[]; spender: Address; sigDeadline: bigint }>,
): readonly Leg[] {
  const list = details.map(({ token, amount, expiration, nonce }) => [token, amount, expiration, nonce] as const)
  return permitLegs(owner, spender, list, sigDeadline)
}

/**
 * A witness is of any type, and hashing takes the text of its types for each struct within it: 50 kB of both would take
 * many seconds. Those of UniswapX, the largest that are known, have 1,400 characters and 70 values.
 */
const LONGEST_TYPES = 2_048
const MOST_VALUES = 256

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, one) => sum + valuesIn(one), 1)
}

function transfers(typedData: TypedData, owner: Address): Result<Signed> {
  const { primaryType, types } = typedData
  const withWitness = primaryType.includes('Witness')
  const { EIP712Domain: _, TokenPermissions: __, ...rest } = types
  if (withWitness && rest[primaryType]?.length !== 5) return refuse('a witness is one member behind the deadline')
  if (withWitness && (JSON.stringify(rest).length > LONGEST_TYPES || valuesIn(typedData.message) > MOST_VALUES))
    return refuse('its witness is larger than any that is known: it would take long to hash')
  const read = readMessage(typedData, transferKind(primaryType, primaryType.includes('Batch'), withWitness ? rest : {}))
  if (!read.ok) return read
  const { permitted, spender, deadline } = read.value.message
  const until = deadlineOf(deadline)
  const legs = permitted.map(({ token, amount }) =>
    grantLeg('permit2', { asset: token, owner, spender, amount, expiresAt: until }, until),
  )
  return ok({ ...read.value, value: legs })
}
