import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { morphoMarketsOf } from '../../../src/registry/index.ts'
import { MORPHO, morphoCall, SIGNATURE, usdcAgainstWstEth } from '../../support/encode-lending.ts'
import { decoded, FRIEND, refusal, STRANGER, WALLET } from './flows.ts'
import { lendingOf } from './lending-flows.ts'

const market = usdcAgainstWstEth
const forged = { ...market, oracle: STRANGER }

describe('Morpho Blue', () => {
  test('the id of a market is the hash of what makes it', () => {
    const { loanToken, collateralToken, oracle, irm, lltv } = market
    const types = parseAbiParameters('address, address, address, address, uint256')
    const id = keccak256(encodeAbiParameters(types, [loanToken, collateralToken, oracle, irm, lltv]))
    assert.equal(id, '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc')
    assert.ok(morphoMarketsOf(1).some((one) => one.id === id))
    const { legs } = decoded(morphoCall('supply', [market, 5n, 0n, WALLET, '0x']))
    assert.equal(legs[0].positions?.[0]?.marketId, id)
  })

  test('a deposit, a loan, a repayment and collateral, each by assets', () => {
    const supply = lendingOf(morphoCall('supply', [market, 5n, 0n, WALLET, '0x']))
    assert.deepEqual([supply.kinds, supply.spends, supply.receives], [['supply'], ['= 5 USDC of wallet'], []])
    assert.deepEqual(supply.positions, ['supply +5 USDC of wallet at Morpho'])
    const borrow = lendingOf(morphoCall('borrow', [market, 5n, 0n, WALLET, FRIEND]))
    assert.deepEqual([borrow.kinds, borrow.spends, borrow.receives], [['borrow'], [], ['= 5 USDC to friend']])
    assert.deepEqual(borrow.positions, ['debt +5 USDC of wallet at Morpho'])
    const repay = lendingOf(morphoCall('repay', [market, 5n, 0n, WALLET, '0x']))
    assert.deepEqual([repay.kinds, repay.spends], [['repay'], ['= 5 USDC of wallet']])
    assert.deepEqual(repay.positions, ['debt -5 USDC of wallet at Morpho'])
    const pledge = lendingOf(morphoCall('supplyCollateral', [market, 5n, WALLET, '0x']))
    assert.deepEqual(pledge.positions, ['supply +5 wstETH of wallet at Morpho'])
    const release = lendingOf(morphoCall('withdrawCollateral', [market, 5n, WALLET, WALLET]))
    assert.deepEqual(release.positions, ['supply -5 wstETH of wallet at Morpho'])
  })

  test('an account of somebody else is shown as theirs', () => {
    for (const call of [
      morphoCall('supply', [market, 5n, 0n, STRANGER, '0x']),
      morphoCall('withdraw', [market, 5n, 0n, STRANGER, WALLET]),
      morphoCall('borrow', [market, 5n, 0n, STRANGER, WALLET]),
      morphoCall('repay', [market, 5n, 0n, STRANGER, '0x']),
      morphoCall('supplyCollateral', [market, 5n, STRANGER, '0x']),
      morphoCall('withdrawCollateral', [market, 5n, STRANGER, WALLET]),
    ])
      assert.match(lendingOf(call).positions[0] ?? '', / of stranger at Morpho$/)
  })

  test('assets or shares, one of them: what goes in or is owed by assets, what comes out by either', () => {
    const assets = lendingOf(morphoCall('withdraw', [market, 5n, 0n, WALLET, WALLET]))
    assert.deepEqual(assets.receives, ['= 5 USDC to wallet'])
    const shares = lendingOf(morphoCall('withdraw', [market, 0n, 5n, WALLET, WALLET]))
    assert.deepEqual(
      [shares.receives, shares.positions],
      [['>= 0 USDC to wallet'], ['supply -all USDC of wallet at Morpho']],
    )
    for (const name of ['supply', 'borrow', 'repay']) {
      const last = name === 'borrow' ? WALLET : '0x'
      assert.match(refusal(morphoCall(name, [market, 0n, 5n, WALLET, last])), /by shares/)
      assert.match(refusal(morphoCall(name, [market, 5n, 5n, WALLET, last])), /one of assets and shares/)
      assert.match(refusal(morphoCall(name, [market, 0n, 0n, WALLET, last])), /amount is 0/)
    }
    for (const amount of [0n, 5n])
      assert.match(
        refusal(morphoCall('withdraw', [market, amount, amount, WALLET, WALLET])),
        /one of assets and shares/,
      )
  })

  test('a callback is refused', () => {
    for (const data of ['0x00', `0x${'ab'.repeat(64)}`])
      assert.match(refusal(morphoCall('supply', [market, 5n, 0n, WALLET, data])), /"data" must be empty/)
    assert.match(refusal(morphoCall('repay', [market, 5n, 0n, WALLET, '0x00'])), /"data" must be empty/)
    assert.match(refusal(morphoCall('supplyCollateral', [market, 5n, WALLET, '0x00'])), /"data" must be empty/)
  })

  test('a market that anybody may have opened takes nothing in, and lets go of all', () => {
    assert.match(refusal(morphoCall('supply', [forged, 5n, 0n, WALLET, '0x'])), /not in the registry/)
    assert.match(refusal(morphoCall('supplyCollateral', [forged, 5n, WALLET, '0x'])), /not in the registry/)
    assert.match(refusal(morphoCall('borrow', [forged, 5n, 0n, WALLET, WALLET])), /not in the registry/)
    assert.match(refusal(morphoCall('supply', [{ ...market, lltv: 1n }, 5n, 0n, WALLET, '0x'])), /not in the registry/)
    for (const call of [
      morphoCall('withdraw', [forged, 5n, 0n, WALLET, WALLET]),
      morphoCall('withdrawCollateral', [forged, 5n, WALLET, WALLET]),
      morphoCall('repay', [forged, 5n, 0n, WALLET, '0x']),
    ])
      assert.ok(decoded(call).touches.includes(STRANGER), 'its oracle is screened')
  })

  test('an authorisation is control over the whole account', () => {
    const given = lendingOf(morphoCall('setAuthorization', [STRANGER, true]))
    assert.deepEqual([given.kinds, given.controls], [['authorize'], ['stranger controls wallet']])
    assert.deepEqual(lendingOf(morphoCall('setAuthorization', [STRANGER, false])).controls, ['stranger leaves wallet'])
    const [v, r, s] = SIGNATURE
    const signed = (authorizer: string) => {
      const authorization = {
        authorizer,
        authorized: STRANGER,
        isAuthorized: true,
        nonce: 0n,
        deadline: 1_900_000_000n,
      }
      return morphoCall('setAuthorizationWithSig', [authorization, { v, r, s }])
    }
    assert.deepEqual(lendingOf(signed(WALLET)).controls, ['stranger controls wallet'])
    assert.equal(decoded(signed(WALLET)).legs[0].deadline, 1_900_000_000)
    assert.match(refusal(signed(STRANGER)), /not of the wallet/)
  })

  test('flash loans and liquidations are refused with words, and the bundler is no contract that is known', () => {
    const words = '0'.repeat(64 * 9)
    const call = morphoCall('setAuthorization', [STRANGER, true])
    assert.match(refusal({ ...call, data: `0xe0232b42${words}` }), /flashLoan hands/)
    assert.match(refusal({ ...call, data: `0xd8eabcb8${words}` }), /liquidate pays/)
    assert.match(refusal({ ...call, data: `0x12345678${words}` }), /not decoded/)
    const bundler = '0x6566194141eefa99Af43Bb5Aa71460Ca2Dc90245'
    assert.match(refusal({ ...call, to: bundler, data: `0x374f435d${words}` }), /no contract that countersign knows/)
    assert.match(refusal({ ...call, value: '0x1' }), /"value" must be 0/)
    assert.equal(decoded({ ...call, to: MORPHO, data: `${call.data}c0ffee` }).trailingBytes, 3)
  })
})
