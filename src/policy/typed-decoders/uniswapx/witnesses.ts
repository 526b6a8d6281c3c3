import { z } from 'zod'
import type { Address } from '../../../lib/address.ts'
import { Address as AddressSchema } from '../../../schema/primitives.ts'
import { type Members, members, uintText } from '../../typed-data.ts'

const Info = z.strictObject({
  reactor: AddressSchema,
  swapper: AddressSchema,
  nonce: uintText(256),
  deadline: uintText(256),
  additionalValidationContract: AddressSchema,
  additionalValidationData: z.string(),
})

/** What an order lets happen at worst, whatever its kind. */
export type Terms = Readonly<{
  info: z.output<typeof Info>
  /** What leaves at most. */
  input: Readonly<{ token: Address; most: bigint }>
  /** What each recipient gets at least. The zero address is the chain's own coin. */
  outputs: readonly Readonly<{ token: Address; least: bigint; recipient: Address }>[]
  /** Who else has a say in it: a cosigner, who can only better the terms, or whoever may fill it first. */
  parties: readonly Address[]
}>

/** A kind of order: the struct that is signed, and the version of the reactor that settles it. */
export type Witness = Readonly<{
  name: string
  version: string
  structs: Readonly<Record<string, Members>>
  message: z.ZodType<Terms>
}>

const amount = uintText(256)
const outputs = <T extends z.ZodType>(output: T) => z.array(output).min(1).max(16)
const NO_BETTER = 'what is paid must not fall, nor what is received rise: no reactor settles that'

const ORDER_INFO = {
  OrderInfo: members(
    'address reactor,address swapper,uint256 nonce,uint256 deadline,address additionalValidationContract,bytes additionalValidationData',
  ),
}

const DUTCH_OUTPUT = {
  DutchOutput: members('address token,uint256 startAmount,uint256 endAmount,address recipient'),
}
const DutchOutput = z
  .strictObject({ token: AddressSchema, startAmount: amount, endAmount: amount, recipient: AddressSchema })
  .refine(({ startAmount, endAmount }) => startAmount >= endAmount, NO_BETTER)
  .transform(({ token, endAmount, recipient }) => ({ token, least: endAmount, recipient }))

/** Version 1: both ends of the auction are signed. */
const exclusiveDutch: Witness = {
  name: 'ExclusiveDutchOrder',
  version: 'dutch',
  structs: {
    ExclusiveDutchOrder: members(
      'OrderInfo info,uint256 decayStartTime,uint256 decayEndTime,address exclusiveFiller,uint256 exclusivityOverrideBps,address inputToken,uint256 inputStartAmount,uint256 inputEndAmount,DutchOutput[] outputs',
    ),
    ...ORDER_INFO,
    ...DUTCH_OUTPUT,
  },
  message: z
    .strictObject({
      info: Info,
      decayStartTime: amount,
      decayEndTime: amount,
      exclusiveFiller: AddressSchema,
      exclusivityOverrideBps: amount,
      inputToken: AddressSchema,
      inputStartAmount: amount,
      inputEndAmount: amount,
      outputs: outputs(DutchOutput),
    })
    .refine((order) => order.inputStartAmount <= order.inputEndAmount, NO_BETTER)
    .transform(({ info, inputToken, inputEndAmount, outputs, exclusiveFiller }): Terms => {
      return { info, input: { token: inputToken, most: inputEndAmount }, outputs, parties: [exclusiveFiller] }
    }),
}

/** Version 2: a cosigner says when the auction runs, and may better its start; its ends are signed. */
const dutchV2: Witness = {
  name: 'V2DutchOrder',
  version: 'v2',
  structs: {
    V2DutchOrder: members(
      'OrderInfo info,address cosigner,address baseInputToken,uint256 baseInputStartAmount,uint256 baseInputEndAmount,DutchOutput[] baseOutputs',
    ),
    ...ORDER_INFO,
    ...DUTCH_OUTPUT,
  },
  message: z
    .strictObject({
      info: Info,
      cosigner: AddressSchema,
      baseInputToken: AddressSchema,
      baseInputStartAmount: amount,
      baseInputEndAmount: amount,
      baseOutputs: outputs(DutchOutput),
    })
    .refine((order) => order.baseInputStartAmount <= order.baseInputEndAmount, NO_BETTER)
    .transform(({ info, cosigner, baseInputToken, baseInputEndAmount, baseOutputs }): Terms => {
      const input = { token: baseInputToken, most: baseInputEndAmount }
      return { info, input, outputs: baseOutputs, parties: [cosigner] }
    }),
}

const LARGEST_INT = 1n << 255n
const Signed = z
  .union([z.string().regex(/^(0|-?[1-9]\d{0,76})$/, 'expected a whole number'), z.int()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= -LARGEST_INT && value < LARGEST_INT, 'expected an int256')
const Curve = z.strictObject({ relativeBlocks: amount, relativeAmounts: z.array(Signed).max(16) })

/** Version 3: amounts follow a curve and the base fee, and never leave the bounds that are signed. */
const dutchV3: Witness = {
  name: 'V3DutchOrder',
  version: 'v3',
  structs: {
    V3DutchOrder: members(
      'OrderInfo info,address cosigner,uint256 startingBaseFee,V3DutchInput baseInput,V3DutchOutput[] baseOutputs',
    ),
    ...ORDER_INFO,
    V3DutchInput: members(
      'address token,uint256 startAmount,NonlinearDutchDecay curve,uint256 maxAmount,uint256 adjustmentPerGweiBaseFee',
    ),
    V3DutchOutput: members(
      'address token,uint256 startAmount,NonlinearDutchDecay curve,address recipient,uint256 minAmount,uint256 adjustmentPerGweiBaseFee',
    ),
    NonlinearDutchDecay: members('uint256 relativeBlocks,int256[] relativeAmounts'),
  },
  message: z
    .strictObject({
      info: Info,
      cosigner: AddressSchema,
      startingBaseFee: amount,
      baseInput: z.strictObject({
        token: AddressSchema,
        startAmount: amount,
        curve: Curve,
        maxAmount: amount,
        adjustmentPerGweiBaseFee: amount,
      }),
      baseOutputs: outputs(
        z
          .strictObject({
            token: AddressSchema,
            startAmount: amount,
            curve: Curve,
            recipient: AddressSchema,
            minAmount: amount,
            adjustmentPerGweiBaseFee: amount,
          })
          .transform(({ token, minAmount, recipient }) => ({ token, least: minAmount, recipient })),
      ),
    })
    .transform(({ info, cosigner, baseInput: { token, maxAmount }, baseOutputs }): Terms => {
      return { info, input: { token, most: maxAmount }, outputs: baseOutputs, parties: [cosigner] }
    }),
}

/** By priority fee: what is paid only falls with it, and what is received only rises. */
const priority: Witness = {
  name: 'PriorityOrder',
  version: 'priority',
  structs: {
    PriorityOrder: members(
      'OrderInfo info,address cosigner,uint256 auctionStartBlock,uint256 baselinePriorityFeeWei,PriorityInput input,PriorityOutput[] outputs',
    ),
    ...ORDER_INFO,
    PriorityInput: members('address token,uint256 amount,uint256 mpsPerPriorityFeeWei'),
    PriorityOutput: members('address token,uint256 amount,uint256 mpsPerPriorityFeeWei,address recipient'),
  },
  message: z
    .strictObject({
      info: Info,
      cosigner: AddressSchema,
      auctionStartBlock: amount,
      baselinePriorityFeeWei: amount,
      input: z.strictObject({ token: AddressSchema, amount, mpsPerPriorityFeeWei: amount }),
      outputs: outputs(
        z
          .strictObject({ token: AddressSchema, amount, mpsPerPriorityFeeWei: amount, recipient: AddressSchema })
          .transform((output) => ({ token: output.token, least: output.amount, recipient: output.recipient })),
      ),
    })
    .transform(({ info, cosigner, input, outputs }): Terms => {
      return { info, input: { token: input.token, most: input.amount }, outputs, parties: [cosigner] }
    }),
}

/** Every kind of order that is decoded. */
export const WITNESSES: readonly Witness[] = [exclusiveDutch, dutchV2, dutchV3, priority]
