import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Hex } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import { tokens } from '../../support/encode.ts'
import { ALL, aave, poolCall, SIGNATURE } from '../../support/encode-lending.ts'
import { decoded, FRIEND, refusal, STRANGER, WALLET } from './flows.ts'
import { lendingOf } from './lending-flows.ts'

const { USDC, WETH, DAI } = tokens

describe('Aave pool', () => {
  for (const name of ['supply', 'deposit'])
    test(`${name}: exactly the amount leaves, into whose account it is for`, () => {
      const own = lendingOf(poolCall(name, [USDC, 5n, WALLET, 0]))
      assert.deepEqual(own.kinds, ['supply'])
      assert.deepEqual(own.spends, ['= 5 USDC of wallet'])
      assert.deepEqual(own.receives, [])
      assert.deepEqual(own.positions, ['supply +5 USDC of wallet at pool'])
      const gift = lendingOf(poolCall(name, [USDC, 5n, STRANGER, 0]))
      assert.deepEqual(gift.positions, ['supply +5 USDC of stranger at pool'])
      assert.match(refusal(poolCall(name, [USDC, 0n, WALLET, 0])), /the amount is 0/)
    })

  test('withdraw: out of the wallet’s own account, to whom it says', () => {
    const { kinds, spends, receives, positions } = lendingOf(poolCall('withdraw', [WETH, 7n, FRIEND]))
    assert.deepEqual(kinds, ['withdraw'])
    assert.deepEqual([spends, receives], [[], ['= 7 WETH to friend']])
    assert.deepEqual(positions, ['supply -7 WETH of wallet at pool'])
  })

  test('withdraw of the largest number is of all there is, of which nothing is promised', () => {
    const all = lendingOf(poolCall('withdraw', [WETH, ALL, WALLET]))
    assert.deepEqual(all.receives, ['>= 0 WETH to wallet'])
    assert.deepEqual(all.positions, ['supply -all WETH of wallet at pool'])
    const nearly = lendingOf(poolCall('withdraw', [WETH, ALL - 1n, WALLET]))
    assert.deepEqual(nearly.receives, [`= ${ALL - 1n} WETH to wallet`])
  })

  test('borrow: the loan comes to the wallet, whoever owes it', () => {
    const own = lendingOf(poolCall('borrow', [USDC, 5n, 2n, 0, WALLET]))
    assert.deepEqual(own.kinds, ['borrow'])
    assert.deepEqual([own.spends, own.receives], [[], ['= 5 USDC to wallet']])
    assert.deepEqual(own.positions, ['debt +5 USDC of wallet at pool'])
    const delegated = lendingOf(poolCall('borrow', [USDC, 5n, 2n, 0, STRANGER]))
    assert.deepEqual(delegated.receives, ['= 5 USDC to wallet'])
    assert.deepEqual(delegated.positions, ['debt +5 USDC of stranger at pool'])
  })

  test('repay: at most the amount leaves; without a limit it is refused, and the reason says what to write', () => {
    const own = lendingOf(poolCall('repay', [USDC, 5n, 2n, WALLET]))
    assert.deepEqual(own.kinds, ['repay'])
    assert.deepEqual([own.spends, own.receives], [['<= 5 USDC of wallet'], []])
    assert.deepEqual(own.positions, ['debt -5 USDC of wallet at pool'])
    assert.deepEqual(lendingOf(poolCall('repay', [USDC, 5n, 2n, STRANGER])).positions, [
      'debt -5 USDC of stranger at pool',
    ])
    assert.match(refusal(poolCall('repay', [USDC, ALL, 2n, WALLET])), /an amount somewhat above the debt/)
  })

  test('repayWithATokens: debt and deposit of the wallet both shrink, nothing leaves it', () => {
    const some = lendingOf(poolCall('repayWithATokens', [DAI, 5n, 2n]))
    assert.deepEqual([some.kinds, some.spends, some.receives], [['repay'], [], []])
    assert.deepEqual(some.positions, ['debt -5 DAI of wallet at pool', 'supply -5 DAI of wallet at pool'])
    const all = lendingOf(poolCall('repayWithATokens', [DAI, ALL, 2n]))
    assert.deepEqual(all.positions, ['debt -all DAI of wallet at pool', 'supply -all DAI of wallet at pool'])
  })

  test('there is one rate mode', () => {
    for (const mode of [0n, 1n, 3n]) {
      assert.match(refusal(poolCall('borrow', [USDC, 5n, mode, 0, WALLET])), /rate mode/)
      assert.match(refusal(poolCall('repay', [USDC, 5n, mode, WALLET])), /rate mode/)
      assert.match(refusal(poolCall('repayWithATokens', [USDC, 5n, mode])), /rate mode/)
    }
  })

  test('with a permit, the right that the pool gets is a leg of its own', () => {
    const supply = poolCall('supplyWithPermit', [USDC, 5n, WALLET, 0, 1_900_000_000n, ...SIGNATURE])
    assert.deepEqual(lendingOf(supply).kinds, ['approve', 'supply'])
    assert.deepEqual(lendingOf(supply).grants, [`${aave.pool.toLowerCase()} may spend 5 USDC of wallet until ever`])
    assert.deepEqual(
      decoded(supply).legs.map(({ deadline }) => deadline),
      [1_900_000_000, null],
    )
    const repay = poolCall('repayWithPermit', [USDC, 5n, 2n, WALLET, 1_900_000_000n, ...SIGNATURE])
    assert.deepEqual(lendingOf(repay).kinds, ['approve', 'repay'])
    assert.deepEqual(lendingOf(repay).spends, ['<= 5 USDC of wallet'])
    const unlimited = poolCall('repayWithPermit', [USDC, ALL, 2n, WALLET, 1_900_000_000n, ...SIGNATURE])
    assert.match(refusal(unlimited), /no limit/)
  })

  test('settings of the account move nothing, and say what they set', () => {
    const [usdc, market] = [toAddress(USDC), toAddress(aave.pool)]
    for (const [call, setting] of [
      [poolCall('setUserUseReserveAsCollateral', [USDC, false]), { name: 'collateral', asset: usdc, value: 'off' }],
      [poolCall('setUserUseReserveAsCollateral', [USDC, true]), { name: 'collateral', asset: usdc, value: 'on' }],
      [poolCall('setUserEMode', [1]), { name: 'efficiency mode', asset: null, value: '1' }],
      [poolCall('swapBorrowRateMode', [USDC, 2n]), { name: 'rate mode', asset: usdc, value: '2' }],
    ] as const) {
      const { kinds, spends, receives, grants, positions, controls } = lendingOf(call)
      assert.deepEqual(kinds, ['configure'])
      assert.deepEqual([spends, receives, grants, positions, controls], [[], [], [], [], []])
      const { legs, touches } = decoded(call)
      assert.deepEqual(legs[0].setting, { market, ...setting })
      assert.deepEqual(touches, setting.asset === null ? [] : [usdc])
    }
  })

  test('a position manager controls the account', () => {
    const { kinds, controls } = lendingOf(poolCall('approvePositionManager', [STRANGER, true]))
    assert.deepEqual([kinds, controls], [['authorize'], ['stranger controls wallet']])
    assert.deepEqual(lendingOf(poolCall('approvePositionManager', [STRANGER, false])).controls, [
      'stranger leaves wallet',
    ])
    assert.deepEqual(lendingOf(poolCall('renouncePositionManagerRole', [STRANGER])).controls, [
      'wallet leaves stranger',
    ])
  })

  test('a batch is all of its calls, within it too, or nothing', () => {
    const supply = poolCall('supply', [USDC, 5n, WALLET, 0]).data
    const borrow = poolCall('borrow', [DAI, 3n, 2n, 0, WALLET]).data
    const inner = poolCall('multicall', [[borrow]]).data
    const { kinds, spends, receives } = lendingOf(poolCall('multicall', [[supply, inner]]))
    assert.deepEqual(kinds, ['supply', 'borrow'])
    assert.deepEqual([spends, receives], [['= 5 USDC of wallet'], ['= 3 DAI to wallet']])
    assert.match(refusal(poolCall('multicall', [[]])), /calls nothing/)
    assert.match(refusal(poolCall('multicall', [[supply, '0xdeadbeef']])), /call 2 of 2: .*not decoded/)
    assert.match(refusal(poolCall('multicall', [[`${supply}00` as Hex]])), /followed by 1 bytes/)
    const deep = poolCall('multicall', [[poolCall('multicall', [[inner]]).data]])
    assert.match(refusal(deep), /more than 2 deep/)
  })

  test('what hands control to other code, or has no bound, is refused with words', () => {
    const words = `${'0'.repeat(64)}`.repeat(8)
    for (const [selector, reason] of [
      ['0xab9c4b5d', /flashLoan hands/],
      ['0x42b0b77c', /flashLoanSimple hands/],
      ['0x00a718a9', /liquidationCall pays/],
      ['0x9cd19996', /mintToTreasury/],
      ['0x4ba06814', /somebody else/],
      ['0x69a933a5', /bridges/],
      ['0x12345678', /0x12345678 is not decoded/],
    ] as const) {
      const call = { ...poolCall('setUserEMode', [1]), data: `${selector}${words}` as Hex }
      assert.match(refusal(call), reason)
    }
  })

  test('packed arguments are for rollups: mainnet’s pool has no such function', () => {
    const call = { ...poolCall('setUserEMode', [1]), data: `0xf7a73840${'0'.repeat(64)}` as Hex }
    assert.match(refusal(call), /0xf7a73840 is not decoded/)
  })

  test('takes no native value; bytes behind the arguments are counted', () => {
    const call = poolCall('supply', [USDC, 5n, WALLET, 0])
    assert.match(refusal({ ...call, value: '0x1' }), /gateway/)
    assert.equal(decoded({ ...call, data: `${call.data}c0ffee` }).trailingBytes, 3)
    assert.match(refusal({ ...call, data: `${call.data}${'00'.repeat(513)}` }), /512 are accepted/)
  })

  test('callers may name it with its version, and only as what it is', () => {
    const call = poolCall('supply', [USDC, 5n, WALLET, 0])
    for (const protocol of ['aave', 'aave_v3', 'Aave-v3', 'aave-pool']) assert.ok(decoded({ ...call, protocol }))
    assert.match(refusal({ ...call, protocol: 'uniswap' }), /"aave" would be right/)
    assert.match(refusal({ ...call, protocol: 'erc20' }), /"aave" would be right/)
  })
})
