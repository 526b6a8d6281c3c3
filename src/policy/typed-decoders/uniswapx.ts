import { z } from 'zod'
import { type Address, ZERO_ADDRESS } from '../../lib/address.ts'
import { type Result, refuse } from '../../lib/result.ts'
import { contractAt, contractOf } from '../../registry/index.ts'
import type { OrderMessage } from '../../schema/action.ts'
import { Address as AddressSchema } from '../../schema/primitives.ts'
import type { DecodedAction } from '../decoded-action.ts'
import { domainFault, signedOrder } from '../signed-order.ts'
import { type MessageKind, members, readMessage, uintText } from '../typed-data.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'
import { type Terms, WITNESSES, type Witness } from './uniswapx/witnesses.ts'

const UNISWAPX = 'uniswapx'
const PERMIT = 'PermitWitnessTransferFrom'
const TOKEN_PERMISSIONS = members('address token,uint256 amount')

type Permit = Readonly<{
  permitted: Readonly<{ token: Address; amount: bigint }>
  spender: Address
  nonce: bigint
  deadline: bigint
  witness: Terms
}>

/**
 * Orders of UniswapX: a transfer of Permit2 to a reactor, bound to the order as its witness. What a reactor lets happen at
 * worst is what the order is taken for: all of the input for the least of each output.
 * Source: Uniswap's UniswapX, `V2DutchOrderReactor`, `V3DutchOrderReactor`, `PriorityOrderReactor`,
 * `ExclusiveDutchOrderReactor`; npm @uniswap/uniswapx-sdk 3.1.0.
 */
export const uniswapx = defineTypedDecoder({
  protocol: UNISWAPX,
  decode(action, wallet) {
    const decoded = decodeOrder(action as OrderMessage, wallet)
    return decoded.ok ? decoded : refuse(`UniswapX: ${decoded.reason}.`)
  },
})

function decodeOrder({ chainId, typedData, appData }: OrderMessage, wallet: Address): Result<DecodedAction> {
  if (appData !== undefined) return refuse('"appData" is of CoW Protocol alone')
  if (typedData.primaryType !== PERMIT)
    return refuse(`a message of type ${typedData.primaryType.slice(0, 64)} is not decoded`)
  const named = typedData.types[PERMIT]?.find(({ name }) => name === 'witness')?.type ?? ''
  const witness = WITNESSES.find(({ name }) => name === named)
  if (witness === undefined) return refuse(`an order of type "${named.slice(0, 64)}" is not decoded`)
  const read = readMessage(typedData, permitOf(witness))
  if (!read.ok) return read
  const { domain, message, digest } = read.value
  const permit2 = contractOf(chainId, 'permit2')
  if (permit2 === undefined) return refuse(`Permit2 is not known on chain ${chainId}`)
  const own = { name: 'Permit2', version: undefined, chainId: BigInt(chainId), verifyingContract: permit2 }
  const fault = domainFault(domain, own) ?? permitFault(message, wallet)
  if (fault !== undefined) return refuse(fault)
  const { spender, witness: terms, deadline } = message
  const reactor = contractAt(chainId, spender)
  if (reactor?.kind !== 'uniswapx-reactor' || reactor.version !== witness.version)
    return refuse(`${spender} is no reactor for orders of type ${witness.name} on chain ${chainId}`)
  const { input, outputs, parties } = terms
  return signedOrder({
    venue: UNISWAPX,
    chainId,
    wallet,
    target: permit2,
    calls: [{ target: spender, selector: null }],
    digest,
    spends: { asset: input.token, amount: input.most, bound: 'max', party: wallet },
    receives: outputs.map(({ token, least, recipient }) => ({
      asset: token === ZERO_ADDRESS ? ('native' as const) : token,
      amount: least,
      bound: 'min' as const,
      party: recipient,
    })),
    validUntil: deadline,
    touches: parties.filter((party) => party !== ZERO_ADDRESS),
  })
}

function permitOf({ name, structs, message }: Witness): MessageKind<Permit> {
  const own = `TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,${name} witness`
  return {
    primaryType: PERMIT,
    types: { ...structs, [PERMIT]: members(own), TokenPermissions: TOKEN_PERMISSIONS },
    message: z.strictObject({
      permitted: z.strictObject({ token: AddressSchema, amount: uintText(256) }),
      spender: AddressSchema,
      nonce: uintText(256),
      deadline: uintText(256),
      witness: message,
    }),
  }
}

/** The permit and the order say the same thing twice: where they differ, no reactor could settle it. */
function permitFault({ permitted, spender, nonce, deadline, witness }: Permit, wallet: Address): string | undefined {
  const { info, input } = witness
  if (info.swapper !== wallet) return `the swapper is ${info.swapper}, not the wallet`
  if (info.reactor !== spender) return 'the order is for another reactor than the permit'
  if (info.nonce !== nonce || info.deadline !== deadline) return 'nonce and deadline of permit and order differ'
  if (input.token !== permitted.token || input.most !== permitted.amount)
    return 'the permit is for another amount than the most that the order spends'
  if (info.additionalValidationContract !== ZERO_ADDRESS || info.additionalValidationData !== '0x')
    return 'a validation of its own runs code of others, and is not decoded'
  return undefined
}
