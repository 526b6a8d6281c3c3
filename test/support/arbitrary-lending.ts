// Random actions on Aave's pool, its aTokens and debt tokens, over what the local chain has.
import fc, { type Arbitrary } from 'fast-check'
import type { Address, Hex } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import { type Encoded, erc20Approve, erc20Transfer, erc20TransferFrom, tokens } from './encode.ts'
import { ALL, ALL_PACKED, debtCall, packedCall, poolCall } from './encode-lending.ts'

/** Who takes part: the wallet, others that it may name, and one whose deposits it may spend and on whose account it may borrow. */
export type LendingCast = Readonly<{
  wallet: Address
  friend: Address
  lender: Address
  /** The wallet's signed permits for the pool. */
  permits: readonly Readonly<{
    asset: Address
    amount: bigint
    deadline: bigint
    signature: readonly [number, Hex, Hex]
  }>[]
}>

const { aave } = addresses
const A_TOKENS = [aave.aWETH, aave.aUSDC, aave.aDAI]
const DEBT_TOKENS = [aave.debtWETH, aave.debtUSDC, aave.debtDAI]
const asset = fc.constantFrom<Address>(tokens.WETH, tokens.USDC, tokens.DAI)
/** From dust over what the wallet has to more than that, in units of 18 and of 6 decimals. */
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(1n, 10n ** 19n) },
  { weight: 6, arbitrary: fc.bigInt(1n, 10n ** 11n) },
  { weight: 1, arbitrary: fc.bigInt(1n, 10n ** 26n) },
)
const amountOrAll = fc.oneof({ weight: 4, arbitrary: amount }, { weight: 1, arbitrary: fc.constant(ALL) })
const referral = fc.nat({ max: 65_535 })

/** Actions with plain arguments. */
export function arbitraryLending({ wallet, friend, lender, permits }: LendingCast): Arbitrary<Encoded> {
  const anybody = fc.constantFrom(wallet, wallet, wallet, friend, lender)
  const call = (name: string, ...args: readonly Arbitrary<unknown>[]) =>
    fc.tuple(...args).map((values) => poolCall(name, values))
  const simple = fc.oneof(
    call('supply', asset, amount, anybody, referral),
    call('deposit', asset, amount, anybody, referral),
    call('withdraw', asset, amountOrAll, anybody),
    call('borrow', asset, amount, fc.constant(2n), referral, fc.constantFrom(wallet, wallet, lender)),
    call('repay', asset, amount, fc.constant(2n), anybody),
    call('repayWithATokens', asset, amountOrAll, fc.constant(2n)),
    call('setUserUseReserveAsCollateral', asset, fc.boolean()),
    call('setUserEMode', fc.nat({ max: 1 })),
  )
  const permit = fc.constantFrom(...permits)
  const permitted = fc.oneof(
    permit.map((p) => poolCall('supplyWithPermit', [p.asset, p.amount, wallet, 0, p.deadline, ...p.signature])),
    permit.map((p) => poolCall('repayWithPermit', [p.asset, p.amount, 2n, wallet, p.deadline, ...p.signature])),
  )
  const tokenActions = fc.oneof(
    fc
      .tuple(fc.constantFrom(...A_TOKENS), anybody, amount)
      .map(([token, to, n]) => erc20Transfer({ token, to, amount: n })),
    fc
      .tuple(fc.constantFrom(...A_TOKENS), anybody, amount)
      .map(([token, to, n]) => erc20TransferFrom({ token, from: lender, to, amount: n })),
    fc
      .tuple(fc.constantFrom(...A_TOKENS), anybody, amountOrAll)
      .map(([token, spender, n]) => erc20Approve({ token, spender, amount: n })),
    fc
      .tuple(fc.constantFrom(...DEBT_TOKENS), fc.constantFrom(friend, lender), amountOrAll)
      .map(([token, delegatee, n]) => debtCall('approveDelegation', [delegatee, n], token)),
  )
  return fc
    .oneof(
      { weight: 6, arbitrary: simple },
      { weight: 1, arbitrary: permitted },
      { weight: 2, arbitrary: tokenActions },
    )
    .map((tx) => ({ ...tx, protocol: 'aave' }))
}

/** Actions with their arguments in one word, for a pool of a rollup whose assets are numbered 0 to 2. */
export const arbitraryPacked: Arbitrary<Encoded> = fc
  .tuple(fc.nat({ max: 3 }), amount, fc.boolean(), referral, fc.boolean(), fc.nat({ max: 6 }))
  .map(([id, some, all, ref, use, which]) => {
    const what = [id, 16] as const
    const most = [all ? ALL_PACKED : some, 128] as const
    const calls = [
      packedCall('supply', [what, [some, 128], [ref, 16]]),
      packedCall('withdraw', [what, most]),
      packedCall('borrow', [what, [some, 128], [2, 8], [ref, 16]]),
      packedCall('repay', [what, [some, 128], [2, 8]]),
      packedCall('repayWithATokens', [what, most, [2, 8]]),
      packedCall('setUserUseReserveAsCollateral', [what, [use ? 1 : 0, 1]]),
      packedCall('withdraw', [what, [some, 128]]),
    ]
    return calls[which] ?? packedCall('supply', [what, [some, 128], [0, 16]])
  })
