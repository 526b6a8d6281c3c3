import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Hex } from 'viem'
import { decode } from '../../../src/policy/decode.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import { lendingPoolAt, lendingPools } from '../../../src/registry/index.ts'
import type { Encoded } from '../../support/encode.ts'
import { ALL_PACKED, packedCall, poolCall } from '../../support/encode-lending.ts'
import { WALLET } from './flows.ts'

const BASE_POOL = '0xA238Dd80C259a72e81d7e4664a9801593F98d1c5'
/** Its fourth asset there, by the order in which they were listed. */
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const ID = 4
const HALF = `0x${'11'.repeat(32)}` as const

const onBase = (tx: Encoded) => decode({ ...tx, chainId: 8453 }, WALLET)
const call = (name: string, fields: Parameters<typeof packedCall>[1], rest: Parameters<typeof packedCall>[3] = []) =>
  packedCall(name, fields, BASE_POOL, rest)

function legsOf(tx: Encoded): DecodedAction['legs'] {
  const result = onBase(tx)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value.legs
}

function refusal(tx: Encoded): string {
  const result = onBase(tx)
  assert.ok(!result.ok, `${tx.description} was decoded`)
  return result.reason
}

const plain = (name: string, args: readonly unknown[]) => poolCall(name, args, BASE_POOL)
const asset = [ID, 16] as const
const five = [5n, 128] as const
const variable = [2, 8] as const

describe('arguments of a pool packed into one word', () => {
  test('the registry’s number of USDC on Base', () => {
    const reserve = lendingPools(8453)[0]?.reserves.find(({ id }) => id === ID)
    assert.equal(reserve?.asset, USDC.toLowerCase())
  })

  test('mean what the function with plain arguments means', () => {
    for (const [packed, unpacked] of [
      [call('supply', [asset, five, [77, 16]]), plain('supply', [USDC, 5n, WALLET, 77])],
      [call('withdraw', [asset, five]), plain('withdraw', [USDC, 5n, WALLET])],
      [call('withdraw', [asset, [ALL_PACKED, 128]]), plain('withdraw', [USDC, 2n ** 256n - 1n, WALLET])],
      [call('borrow', [asset, five, variable, [77, 16]]), plain('borrow', [USDC, 5n, 2n, 77, WALLET])],
      [call('repay', [asset, five, variable]), plain('repay', [USDC, 5n, 2n, WALLET])],
      [call('repayWithATokens', [asset, five, variable]), plain('repayWithATokens', [USDC, 5n, 2n])],
      [
        call('repayWithATokens', [asset, [ALL_PACKED, 128], variable]),
        plain('repayWithATokens', [USDC, 2n ** 256n - 1n, 2n]),
      ],
      [call('setUserUseReserveAsCollateral', [asset, [1, 1]]), plain('setUserUseReserveAsCollateral', [USDC, true])],
      [call('swapBorrowRateMode', [asset, variable]), plain('swapBorrowRateMode', [USDC, 2n])],
      [
        call('supplyWithPermit', [asset, five, [77, 16], [1_900_000_000, 32], [27, 8]], [HALF, HALF]),
        plain('supplyWithPermit', [USDC, 5n, WALLET, 77, 1_900_000_000n, 27, HALF, HALF]),
      ],
      [
        call('repayWithPermit', [asset, five, variable, [1_900_000_000, 32], [27, 8]], [HALF, HALF]),
        plain('repayWithPermit', [USDC, 5n, 2n, WALLET, 1_900_000_000n, 27, HALF, HALF]),
      ],
    ] as const)
      assert.deepEqual(legsOf(packed), legsOf(unpacked), packed.description)
  })

  test('the largest packed amount is all of it where the pool says so, and a number where it does not', () => {
    assert.match(refusal(call('repay', [asset, [ALL_PACKED, 128], variable])), /no limit/)
    const [leg] = legsOf(call('supply', [asset, [ALL_PACKED, 128], [0, 16]]))
    assert.equal(leg.spends[0]?.amount, ALL_PACKED)
  })

  test('an asset that is not in the registry’s list is refused', () => {
    const ids = new Set(lendingPools(8453)[0]?.reserves.map(({ id }) => id))
    for (const id of [200, 65_535]) {
      assert.ok(!ids.has(id))
      assert.match(refusal(call('supply', [[id, 16], five, [0, 16]])), /not in the registry/)
      assert.match(
        refusal(
          call('setUserUseReserveAsCollateral', [
            [id, 16],
            [1, 1],
          ]),
        ),
        /not in the registry/,
      )
    }
  })

  test('bits that the pool ignores must be zero', () => {
    assert.match(refusal(call('supply', [asset, five, [0, 16], [1, 1]])), /bits are set beyond/)
    assert.match(refusal(call('withdraw', [asset, five, [1, 112]])), /bits are set beyond/)
    assert.match(refusal(call('setUserUseReserveAsCollateral', [asset, [2, 2]])), /bits are set beyond/)
  })

  test('are known to pools of rollups alone', () => {
    const polygon = lendingPools(137)[0]
    assert.equal(polygon?.packed, false)
    const tx = { ...packedCall('supply', [asset, five, [0, 16]], polygon?.pool ?? BASE_POOL), chainId: 137 }
    const result = decode(tx, WALLET)
    assert.ok(!result.ok && /not decoded/.test(result.reason))
    assert.equal(lendingPoolAt(8453, '0xa238dd80c259a72e81d7e4664a9801593f98d1c5')?.packed, true)
  })

  test('liquidations and what changes others are refused in this form too', () => {
    for (const selector of ['0xfd21ecff', '0x427da177']) {
      const tx = { ...call('withdraw', [asset, five]), data: `${selector}${'0'.repeat(128)}` as Hex }
      assert.match(refusal(tx), /bound|somebody else/)
    }
  })
})
