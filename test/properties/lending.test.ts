// The decoders of lending venues are total, accept only canonical bytes, and miss nothing: whatever byte is changed, the
// decoded action changes or is refused, but for those that are listed as moving nobody's assets.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Abi, decodeFunctionData, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import type { Address } from '../../src/lib/address.ts'
import { decode } from '../../src/policy/decode.ts'
import { arbitraryLending } from '../support/arbitrary-lending.ts'
import { type Encoded, erc20Transfer, erc20TransferFrom, tokens } from '../support/encode.ts'
import {
  ALL,
  aave,
  DEBT_ABI,
  debtCall,
  GATEWAY_ABI,
  gatewayCall,
  MORPHO,
  MORPHO_ABI,
  morphoCall,
  PACKED_ABI,
  POOL_ABI,
  packedCall,
  poolCall,
  SIGNATURE,
  usdcAgainstWstEth,
  VAULT_ABI,
  vaultCall,
  vaults,
} from '../support/encode-lending.ts'
import { byteChanged, mutated } from '../support/mutate.ts'
import { volume } from '../support/volume.ts'

const WALLET: Address = '0x00000000000000000000000000000000000a11ce'
const FRIEND: Address = '0xf700000000000000000000000000000000000057'
const LENDER: Address = '0x5700000000000000000000000000000000000057'
const BASE_POOL = '0xA238Dd80C259a72e81d7e4664a9801593F98d1c5'
const { USDC } = tokens
const DEADLINE = 1_900_000_000n

const decodeOn = (chainId: number, tx: Encoded) => decode({ ...tx, chainId }, WALLET)
const textOf = (value: unknown) => JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v))

const ABIS: Readonly<Record<string, Abi>> = {
  [aave.pool.toLowerCase()]: POOL_ABI,
  [BASE_POOL.toLowerCase()]: [...POOL_ABI, ...PACKED_ABI],
  [aave.gateway.toLowerCase()]: GATEWAY_ABI,
  [aave.debtUSDC.toLowerCase()]: DEBT_ABI,
  [vaults.steakUSDC.toLowerCase()]: VAULT_ABI,
  [MORPHO.toLowerCase()]: MORPHO_ABI,
}

describe('any bytes at lending venues', () => {
  const selectors = Object.values(ABIS)
    .flat()
    .flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []))
  const word = fc.oneof(
    fc.constantFrom(0n, 1n, 2n, 32n, 64n, 160n, ALL, 1n << 255n, BigInt(WALLET), BigInt(USDC), 0x10004n),
    fc.bigInt(0n, ALL),
  )
  const body = fc.oneof(
    fc.array(word, { maxLength: 12 }).map((all) => all.map((w) => w.toString(16).padStart(64, '0')).join('')),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  )
  const calls = fc.record({
    to: fc.constantFrom(...(Object.keys(ABIS) as Address[]), aave.aUSDC, vaults.savingsDAI),
    data: fc.tuple(fc.constantFrom<string>(...selectors, '0x'), body).map(([selector, rest]) => selector + rest),
    value: fc.constantFrom('0x0', '0x5'),
    protocol: fc.constantFrom('aave', 'morpho', 'erc4626', 'erc20'),
    chainId: fc.constantFrom(1, 8453, 42161, 137, 999, 11155111),
  })

  test('are decoded or refused with a sentence, never thrown at', () => {
    fc.assert(
      fc.property(calls, (call) => {
        const result = decode(call, WALLET)
        if (!result.ok) assert.ok(result.reason.length > 0 && result.reason.length < 1_000)
        else assert.equal(textOf(decode(call, WALLET)), textOf(result))
      }),
      { numRuns: volume(4_000, 100_000), seed: 1 },
    )
  })
})

/** An action with every function's fields set, and which of its arguments (counted in words) move nobody's assets. */
const SAMPLES: readonly Readonly<{ tx: Encoded; chainId?: number; inert?: readonly number[] }>[] = [
  // The referral is for whoever keeps count of users.
  { tx: poolCall('supply', [USDC, 5n, FRIEND, 7]), inert: [3] },
  { tx: poolCall('deposit', [USDC, 5n, FRIEND, 7]), inert: [3] },
  { tx: poolCall('withdraw', [USDC, 5n, FRIEND]) },
  { tx: poolCall('borrow', [USDC, 5n, 2n, 7, FRIEND]), inert: [3] },
  { tx: poolCall('repay', [USDC, 5n, 2n, FRIEND]) },
  { tx: poolCall('repayWithATokens', [USDC, 5n, 2n]) },
  { tx: poolCall('setUserUseReserveAsCollateral', [USDC, true]) },
  { tx: poolCall('setUserEMode', [3]) },
  { tx: poolCall('swapBorrowRateMode', [USDC, 2n]) },
  { tx: poolCall('approvePositionManager', [FRIEND, true]) },
  { tx: poolCall('renouncePositionManagerRole', [FRIEND]) },
  // Whose signature it is the token decides.
  { tx: poolCall('supplyWithPermit', [USDC, 5n, FRIEND, 7, DEADLINE, ...SIGNATURE]), inert: [3, 5, 6, 7] },
  { tx: poolCall('repayWithPermit', [USDC, 5n, 2n, FRIEND, DEADLINE, ...SIGNATURE]), inert: [5, 6, 7] },
  // The pool that a gateway is given is checked, and any other is refused.
  { tx: gatewayCall('depositETH', [aave.pool, FRIEND, 7], 5n), inert: [2] },
  { tx: gatewayCall('withdrawETH', [aave.pool, 5n, FRIEND]) },
  { tx: gatewayCall('withdrawETHWithPermit', [aave.pool, 5n, FRIEND, DEADLINE, ...SIGNATURE]), inert: [4, 5, 6] },
  { tx: gatewayCall('borrowETH', [aave.pool, 5n, 7]), inert: [2] },
  { tx: gatewayCall('borrowETH', [aave.pool, 5n, 2n, 7]), inert: [3] },
  { tx: gatewayCall('repayETH', [aave.pool, 5n, FRIEND], 1n << 200n) },
  { tx: debtCall('approveDelegation', [FRIEND, 5n]) },
  { tx: debtCall('delegationWithSig', [WALLET, FRIEND, 5n, DEADLINE, ...SIGNATURE]), inert: [4, 5, 6] },
  { tx: vaultCall('deposit', [5n, FRIEND]) },
  { tx: vaultCall('withdraw', [5n, FRIEND, LENDER]) },
  // How much the shares come to no byte says.
  { tx: vaultCall('redeem', [5n, FRIEND, LENDER]), inert: [0] },
  { tx: morphoCall('supply', [usdcAgainstWstEth, 5n, 0n, FRIEND, '0x']) },
  { tx: morphoCall('withdraw', [usdcAgainstWstEth, 5n, 0n, FRIEND, LENDER]) },
  { tx: morphoCall('withdraw', [usdcAgainstWstEth, 0n, 5n, FRIEND, LENDER]), inert: [6] },
  { tx: morphoCall('borrow', [usdcAgainstWstEth, 5n, 0n, FRIEND, LENDER]) },
  { tx: morphoCall('repay', [usdcAgainstWstEth, 5n, 0n, FRIEND, '0x']) },
  { tx: morphoCall('supplyCollateral', [usdcAgainstWstEth, 5n, FRIEND, '0x']) },
  { tx: morphoCall('withdrawCollateral', [usdcAgainstWstEth, 5n, FRIEND, LENDER]) },
  { tx: morphoCall('setAuthorization', [FRIEND, true]) },
  {
    tx: morphoCall('setAuthorizationWithSig', [
      { authorizer: WALLET, authorized: FRIEND, isAuthorized: true, nonce: 3n, deadline: DEADLINE },
      { v: SIGNATURE[0], r: SIGNATURE[1], s: SIGNATURE[2] },
    ]),
    inert: [3, 5, 6, 7],
  },
  { tx: { ...erc20Transfer({ token: aave.aUSDC, to: FRIEND, amount: 5n }), protocol: 'aave' } },
  { tx: { ...erc20TransferFrom({ token: aave.aUSDC, from: LENDER, to: FRIEND, amount: 5n }), protocol: 'aave' } },
]

/** In a packed word the referral is inert, as bytes from its end. */
const PACKED: readonly Readonly<{ tx: Encoded; inert: readonly number[] }>[] = [
  {
    tx: packedCall(
      'supply',
      [
        [4, 16],
        [5n, 128],
        [7, 16],
      ],
      BASE_POOL,
    ),
    inert: [18, 19],
  },
  {
    tx: packedCall(
      'withdraw',
      [
        [4, 16],
        [5n, 128],
      ],
      BASE_POOL,
    ),
    inert: [],
  },
  {
    tx: packedCall(
      'borrow',
      [
        [4, 16],
        [5n, 128],
        [2, 8],
        [7, 16],
      ],
      BASE_POOL,
    ),
    inert: [19, 20],
  },
  {
    tx: packedCall(
      'repay',
      [
        [4, 16],
        [5n, 128],
        [2, 8],
      ],
      BASE_POOL,
    ),
    inert: [],
  },
  {
    tx: packedCall(
      'repayWithATokens',
      [
        [4, 16],
        [5n, 128],
        [2, 8],
      ],
      BASE_POOL,
    ),
    inert: [],
  },
  {
    tx: packedCall(
      'setUserUseReserveAsCollateral',
      [
        [4, 16],
        [1, 1],
      ],
      BASE_POOL,
    ),
    inert: [],
  },
]

describe('nothing is overlooked at lending venues', () => {
  for (const { tx, chainId = 1, inert = [] } of SAMPLES)
    test(tx.description.slice(0, 60), () =>
      missesNothing(tx, chainId, (at) => inert.includes(Math.floor((at - 4) / 32))),
    )
  for (const { tx, inert } of PACKED)
    test(`packed ${tx.description.slice(0, 30)}`, () => missesNothing(tx, 8453, (at) => inert.includes(35 - at)))

  function missesNothing(tx: Encoded, chainId: number, isInert: (at: number) => boolean): void {
    const before = decodeOn(chainId, tx)
    assert.ok(before.ok, before.ok ? '' : before.reason)
    for (let at = 0; at < (tx.data.length - 2) / 2; at++) {
      const byte = Number.parseInt(tx.data.slice(2 + 2 * at, 4 + 2 * at), 16)
      for (const change of [0x01, 0x10, 0x80, 0xff]) {
        const after = decodeOn(chainId, byteChanged(tx, at, byte ^ change))
        const same = after.ok && textOf(after.value) === textOf(before.value)
        if (!isInert(at)) assert.ok(!same, `byte ${at} of ${tx.data} made ${byte ^ change}`)
        else if (after.ok) assert.ok(same, `byte ${at} of ${tx.data} is not inert`)
      }
    }
  }
})

describe('what is decoded at lending venues is canonical', () => {
  const cast = { wallet: WALLET, friend: FRIEND, lender: LENDER, permits: [permit(5n), permit(10n ** 20n)] }
  const others = [WALLET, FRIEND, LENDER, ...Object.values(tokens), ...Object.values(aave)]
  const anything = fc.oneof(arbitraryLending(cast), fc.constantFrom(...SAMPLES.map(({ tx }) => tx)))

  test('of random actions, as they are and changed: viem writes the same bytes', () => {
    let accepted = 0
    const changed = anything.chain((tx) => fc.oneof(fc.constant(tx), mutated(tx, others)))
    fc.assert(
      fc.property(changed, (tx) => {
        const result = decodeOn(1, tx)
        const abi = ABIS[tx.to.toLowerCase()]
        if (!result.ok || abi === undefined) return
        accepted += 1
        const whole = tx.data.slice(0, tx.data.length - 2 * result.value.trailingBytes) as Hex
        const { functionName, args = [] } = decodeFunctionData({ abi, data: whole })
        const overloads = abi.filter((one) => one.type === 'function' && one.name === functionName)
        const again = overloads.flatMap((one) => written(one, args))
        assert.ok(again.includes(whole.toLowerCase() as Hex), tx.data)
      }),
      { numRuns: volume(1_500, 30_000), seed: 2 },
    )
    assert.ok(accepted > 500, String(accepted))
  })

  function permit(amount: bigint) {
    return { asset: USDC, amount, deadline: DEADLINE, signature: SIGNATURE }
  }

  function written(item: Abi[number], args: readonly unknown[]): readonly Hex[] {
    try {
      return [encodeFunctionData({ abi: [item], args })]
    } catch {
      return []
    }
  }
})
