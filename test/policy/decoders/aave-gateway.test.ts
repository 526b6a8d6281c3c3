import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Address } from '../../../src/lib/address.ts'
import { decode } from '../../../src/policy/decode.ts'
import { wrappedNative } from '../../../src/registry/index.ts'
import { ALL, aave, debtCall, gatewayCall, SIGNATURE } from '../../support/encode-lending.ts'
import { decoded, FRIEND, refusal, STRANGER, WALLET } from './flows.ts'
import { lendingOf } from './lending-flows.ts'

const { pool } = aave
const OTHER_POOL = '0x4e033931ad43597d96D6bcc25c280717730B58B1'

describe('Aave gateway', () => {
  test('a deposit is the value that comes with it, counted as wrapped', () => {
    const own = lendingOf(gatewayCall('depositETH', [pool, WALLET, 0], 5n))
    assert.deepEqual(own.kinds, ['supply'])
    assert.deepEqual([own.spends, own.receives], [['= 5 ETH of wallet'], []])
    assert.deepEqual(own.positions, ['supply +5 WETH of wallet at pool'])
    const gift = lendingOf(gatewayCall('depositETH', [pool, STRANGER, 0], 5n))
    assert.deepEqual(gift.positions, ['supply +5 WETH of stranger at pool'])
    assert.match(refusal(gatewayCall('depositETH', [pool, WALLET, 0])), /the amount is 0/)
  })

  test('a withdrawal goes out as native coin, to whom it says', () => {
    const some = lendingOf(gatewayCall('withdrawETH', [pool, 5n, FRIEND]))
    assert.deepEqual([some.kinds, some.receives], [['withdraw'], ['= 5 ETH to friend']])
    assert.deepEqual(some.positions, ['supply -5 WETH of wallet at pool'])
    const all = lendingOf(gatewayCall('withdrawETH', [pool, ALL, WALLET]))
    assert.deepEqual([all.receives, all.positions], [['>= 0 ETH to wallet'], ['supply -all WETH of wallet at pool']])
  })

  test('with a permit, the gateway’s right over the deposit is a leg of its own, unlimited where it is', () => {
    const some = gatewayCall('withdrawETHWithPermit', [pool, 5n, WALLET, 1_900_000_000n, ...SIGNATURE])
    assert.deepEqual(lendingOf(some).kinds, ['approve', 'withdraw'])
    const [grant] = decoded(some).legs[0].grants
    assert.deepEqual(
      [grant?.asset, grant?.spender, grant?.owner, grant?.amount, grant?.unlimited],
      [aave.aWETH.toLowerCase(), aave.gateway.toLowerCase(), WALLET, 5n, false],
    )
    assert.equal(decoded(some).legs[0].deadline, 1_900_000_000)
    const all = gatewayCall('withdrawETHWithPermit', [pool, ALL, WALLET, 1_900_000_000n, ...SIGNATURE])
    assert.equal(decoded(all).legs[0].grants[0]?.unlimited, true)
  })

  test('a loan comes to the wallet as native coin', () => {
    for (const args of [
      [pool, 5n, 0],
      [pool, 5n, 2n, 0],
    ]) {
      const { kinds, receives, positions } = lendingOf(gatewayCall('borrowETH', args))
      assert.deepEqual([kinds, receives], [['borrow'], ['= 5 ETH to wallet']])
      assert.deepEqual(positions, ['debt +5 WETH of wallet at pool'])
    }
    assert.match(refusal(gatewayCall('borrowETH', [pool, 5n, 1n, 0])), /rate mode 1/)
  })

  test('a repayment is at most the amount and at most the value: the rest comes back', () => {
    for (const [amount, value, most] of [
      [7n, 5n, 5n],
      [5n, 7n, 5n],
      [ALL, 7n, 7n],
    ] as const)
      for (const args of [
        [pool, amount, WALLET],
        [pool, amount, 2n, WALLET],
      ]) {
        const { kinds, spends, positions } = lendingOf(gatewayCall('repayETH', args, value))
        assert.deepEqual([kinds, spends], [['repay'], [`<= ${most} ETH of wallet`]])
        assert.deepEqual(positions, [`debt -${most} WETH of wallet at pool`])
      }
    assert.deepEqual(lendingOf(gatewayCall('repayETH', [pool, 5n, STRANGER], 5n)).positions, [
      'debt -5 WETH of stranger at pool',
    ])
    assert.match(refusal(gatewayCall('repayETH', [pool, 5n, 1n, WALLET], 5n)), /rate mode 1/)
    assert.match(refusal(gatewayCall('repayETH', [pool, 5n, WALLET])), /the amount is 0/)
  })

  test('it has one pool, and native value where it takes it', () => {
    for (const call of [
      gatewayCall('depositETH', [OTHER_POOL, WALLET, 0], 5n),
      gatewayCall('withdrawETH', [OTHER_POOL, 5n, WALLET]),
      gatewayCall('borrowETH', [OTHER_POOL, 5n, 0]),
      gatewayCall('repayETH', [OTHER_POOL, 5n, WALLET], 5n),
    ])
      assert.match(refusal(call), /its pool is 0x87870/)
    assert.match(refusal(gatewayCall('withdrawETH', [pool, 5n, WALLET], 1n)), /"value" must be 0/)
    assert.match(refusal(gatewayCall('borrowETH', [pool, 5n, 0], 1n)), /"value" must be 0/)
    assert.match(refusal({ ...gatewayCall('borrowETH', [pool, 5n, 0]), data: '0x' }), /no function is called/)
  })
})

describe('gateways of other markets', () => {
  const at = (gateway: Address, market: Address, chainId: number) => {
    const call = gatewayCall('depositETH', [market, WALLET, 0], 5n)
    return decode({ ...call, to: gateway, chainId }, WALLET)
  }

  test('deposit what their chain wraps its coin as', () => {
    const polygon = at('0xbc302053db3aa514a3c86b9221082f162b91ad63', '0x794a61358d6845594f94dc1db02a252b5b4814ad', 137)
    assert.ok(polygon.ok)
    assert.equal(polygon.value.legs[0].positions?.[0]?.asset, wrappedNative(137))
  })

  test('are refused where the market has no such asset', () => {
    for (const [gateway, market, chainId] of [
      ['0xf956b38f035dc9067fb827a512d3cf35202ab0bc', '0x0aa97c284e98396202b6a04024f5e2c65026f3c0', 1],
      ['0x387d311e47e80b498169e6fb51d3193167d89f7d', '0x6ae43d3271ff6888e7fc43fd7321a503ff738951', 11155111],
    ] as const) {
      const result = at(gateway, market, chainId)
      assert.ok(!result.ok && /keeps no wrapped native coin/.test(result.reason), `${chainId}`)
    }
  })
})

describe('Aave debt token', () => {
  test('a delegation lets somebody borrow on the wallet’s account', () => {
    const some = debtCall('approveDelegation', [STRANGER, 5n])
    assert.equal(decoded(some).legs[0].kind, 'approve')
    assert.deepEqual(decoded(some).legs[0].grants, [
      {
        asset: aave.debtUSDC.toLowerCase(),
        owner: WALLET,
        spender: STRANGER,
        amount: 5n,
        unlimited: false,
        expiresAt: null,
      },
    ])
    assert.equal(decoded(debtCall('approveDelegation', [STRANGER, ALL])).legs[0].grants[0]?.unlimited, true)
    assert.equal(decoded(debtCall('approveDelegation', [STRANGER, 0n])).legs[0].kind, 'revoke')
  })

  test('a signed one is the wallet’s own, until its deadline', () => {
    const signed = (owner: string) => debtCall('delegationWithSig', [owner, STRANGER, 5n, 1_900_000_000n, ...SIGNATURE])
    assert.equal(decoded(signed(WALLET)).legs[0].deadline, 1_900_000_000)
    assert.match(refusal(signed(STRANGER)), /not of the wallet/)
  })

  test('nothing else is decoded: a debt is no token to send', () => {
    const transfer = `0xa9059cbb${'0'.repeat(127)}1` as const
    assert.match(refusal({ ...debtCall('approveDelegation', [STRANGER, 5n]), data: transfer }), /not decoded/)
    assert.match(refusal({ ...debtCall('approveDelegation', [STRANGER, 5n]), value: '0x1' }), /"value" must be 0/)
  })
})
