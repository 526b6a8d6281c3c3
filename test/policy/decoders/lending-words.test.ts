// What people read of a lending action.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describe as describeAction } from '../../../src/policy/describe.ts'
import { evidenceOf } from '../../../src/policy/evidence.ts'
import { valueAction } from '../../../src/policy/valuation.ts'
import { DecodedLeg } from '../../../src/schema/decoded-action.ts'
import { factsOf } from '../../support/actions.ts'
import { type Encoded, tokens } from '../../support/encode.ts'
import { ALL, morphoCall, poolCall, usdcAgainstWstEth, vaultCall } from '../../support/encode-lending.ts'
import { decoded, STRANGER, WALLET } from './flows.ts'

const { USDC } = tokens
const AT_POOL = String.raw`Aave Pool \(0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2\)`

function textOf(tx: Encoded): string {
  const action = decoded(tx)
  const facts = factsOf(action)
  return describeAction(action, facts, valueAction(action, facts))
}

describe('lending in words', () => {
  for (const [tx, pattern] of [
    [poolCall('supply', [USDC, 100_000_000n, WALLET, 0]), `^100 USDC leaves; 100 USDC deposited in ${AT_POOL}; worth`],
    [poolCall('borrow', [USDC, 5_000_000n, 2n, 0, WALLET]), `^5 USDC comes back; 5 USDC borrowed from ${AT_POOL}`],
    [poolCall('repay', [USDC, 5_000_000n, 2n, WALLET]), `^At most 5 USDC leaves; 5 USDC paid back to ${AT_POOL}`],
    [
      poolCall('withdraw', [USDC, ALL, WALLET]),
      `^Up to all of the USDC comes back; up to all of its USDC taken out of ${AT_POOL}`,
    ],
    [
      poolCall('supply', [USDC, 5_000_000n, STRANGER, 0]),
      `deposited in ${AT_POOL} for 0x5700000000000000000000000000000000000057`,
    ],
    [poolCall('setUserUseReserveAsCollateral', [USDC, false]), `^Collateral of 0xA0b8.* becomes off at ${AT_POOL}\\.$`],
    [poolCall('setUserEMode', [1]), `^Efficiency mode becomes 1 at ${AT_POOL}\\.$`],
    [poolCall('approvePositionManager', [STRANGER, true]), "may control the wallet's account\\.$"],
    [morphoCall('setAuthorization', [STRANGER, true]), "may control the wallet's account\\.$"],
    [vaultCall('deposit', [5_000_000n, WALLET]), '^5 USDC leaves; 5 USDC deposited in ERC-4626 vault \\('],
  ] as const)
    test(tx.description.slice(0, 70), () => assert.match(textOf(tx), new RegExp(pattern)))

  test('the evidence keeps the market, its id and the setting', () => {
    const legOf = (tx: Encoded) => {
      const [leg] = evidenceOf(decoded(tx), {}, [], {}).decodedActions ?? []
      return DecodedLeg.parse(leg)
    }
    const supply = legOf(morphoCall('supply', [usdcAgainstWstEth, 5n, 0n, WALLET, '0x']))
    assert.match(supply.positions?.[0]?.marketId ?? '', /^0xb323495f/)
    assert.equal(legOf(poolCall('withdraw', [USDC, ALL, WALLET])).positions?.[0]?.amount, null)
    assert.equal(legOf(poolCall('setUserEMode', [1])).setting?.value, '1')
  })
})
