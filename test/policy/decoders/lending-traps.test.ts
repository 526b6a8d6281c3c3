// What a hostile author would write into a lending action, as the checks of a verdict see it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Check } from '../../../src/policy/check.ts'
import { recipient } from '../../../src/policy/checks/recipient.ts'
import { sinkRecipient } from '../../../src/policy/checks/sink-recipient.ts'
import { raisesLeverage } from '../../../src/policy/leverage.ts'
import { addressesOf } from '../../../src/policy/source.ts'
import { type Encoded, erc20Approve, erc20Transfer, tokens } from '../../support/encode.ts'
import {
  ALL,
  aave,
  debtCall,
  gatewayCall,
  morphoCall,
  poolCall,
  usdcAgainstWstEth,
  vaultCall,
} from '../../support/encode-lending.ts'
import { runCheck } from '../checks/run-check.ts'
import { decoded, STRANGER, WALLET } from './flows.ts'

const { USDC } = tokens
const market = usdcAgainstWstEth
const { pool, gateway } = aave

function codesOf(check: Check, tx: Encoded, policy: object = {}): readonly (string | null)[] {
  const results = runCheck(check, { action: decoded(tx), policy })
  return [...new Set(results.map(({ code }) => code))].filter((code) => code !== null)
}

describe('traps of lending', () => {
  const gifts = {
    'a deposit in the name of a stranger': poolCall('supply', [USDC, 5n, STRANGER, 0]),
    'native coin deposited in the name of a stranger': gatewayCall('depositETH', [pool, STRANGER, 0], 5n),
    'a withdrawal to a stranger': poolCall('withdraw', [USDC, 5n, STRANGER]),
    'all there is, to a stranger': poolCall('withdraw', [USDC, ALL, STRANGER]),
    'native coin to a stranger': gatewayCall('withdrawETH', [pool, 5n, STRANGER]),
    'a debt of a stranger paid back': poolCall('repay', [USDC, 5n, 2n, STRANGER]),
    'a loan that a stranger will owe': poolCall('borrow', [USDC, 5n, 2n, 0, STRANGER]),
    'a deposit sent as a token': {
      ...erc20Transfer({ token: aave.aUSDC, to: STRANGER, amount: 5n }),
      protocol: 'aave',
    },
    'a stranger within a batch': poolCall('multicall', [
      [poolCall('supply', [USDC, 5n, WALLET, 0]).data, poolCall('withdraw', [USDC, 5n, STRANGER]).data],
    ]),
    'shares of a vault for a stranger': vaultCall('deposit', [5n, STRANGER]),
    'assets of a vault to a stranger': vaultCall('withdraw', [5n, STRANGER, WALLET]),
    'the deposit of a stranger withdrawn': vaultCall('withdraw', [5n, WALLET, STRANGER]),
    'the shares of a stranger redeemed': vaultCall('redeem', [5n, WALLET, STRANGER]),
    'a deposit at Morpho for a stranger': morphoCall('supply', [market, 5n, 0n, STRANGER, '0x']),
    'a loan at Morpho to a stranger': morphoCall('borrow', [market, 5n, 0n, WALLET, STRANGER]),
    'a loan at Morpho of a stranger': morphoCall('borrow', [market, 5n, 0n, STRANGER, WALLET]),
    'collateral at Morpho to a stranger': morphoCall('withdrawCollateral', [market, 5n, WALLET, STRANGER]),
    'a right to borrow for a stranger': debtCall('approveDelegation', [STRANGER, 5n]),
    'a right over deposits for a stranger': {
      ...erc20Approve({ token: aave.aUSDC, spender: STRANGER, amount: 5n }),
      protocol: 'aave',
    },
    'a stranger as manager of the account': poolCall('approvePositionManager', [STRANGER, true]),
    'a stranger as operator at Morpho': morphoCall('setAuthorization', [STRANGER, true]),
  }
  for (const [name, tx] of Object.entries(gifts))
    test(`${name} is for those who are listed alone`, () => {
      assert.deepEqual(codesOf(recipient, tx), ['recipient_not_allowed'])
      assert.deepEqual(codesOf(recipient, tx, { recipients: { allow: [STRANGER] } }), [])
      assert.ok(addressesOf(decoded(tx)).includes(STRANGER), 'and they are screened')
    })

  test('what is the wallet’s own needs no list, nor does a right for a contract of the venue', () => {
    for (const tx of [
      poolCall('supply', [USDC, 5n, WALLET, 0]),
      poolCall('withdraw', [USDC, ALL, WALLET]),
      poolCall('borrow', [USDC, 5n, 2n, 0, WALLET]),
      debtCall('approveDelegation', [gateway, ALL]),
      debtCall('approveDelegation', [STRANGER, 0n]),
      poolCall('approvePositionManager', [STRANGER, false]),
      vaultCall('redeem', [5n, WALLET, WALLET]),
    ])
      assert.deepEqual(codesOf(recipient, tx), [], tx.description)
  })

  test('what is sent to a venue’s own contract is lost', () => {
    for (const to of [pool, gateway, aave.aUSDC, aave.debtUSDC, USDC])
      assert.deepEqual(codesOf(sinkRecipient, poolCall('withdraw', [USDC, 5n, to])), ['sink_recipient'], to)
  })

  test('a loan, and what is taken from behind one, raise leverage; a repayment does not', () => {
    const raises = (tx: Encoded) =>
      decoded(tx).legs.some(({ positions = [] }) => positions.some((change) => raisesLeverage(change)))
    assert.ok(raises(poolCall('borrow', [USDC, 5n, 2n, 0, WALLET])))
    assert.ok(raises(gatewayCall('borrowETH', [pool, 5n, 0])))
    assert.ok(raises(poolCall('withdraw', [USDC, ALL, WALLET])))
    assert.ok(raises({ ...erc20Transfer({ token: aave.aUSDC, to: STRANGER, amount: 5n }), protocol: 'aave' }))
    assert.ok(raises(morphoCall('withdrawCollateral', [market, 5n, WALLET, WALLET])))
    assert.ok(raises(vaultCall('redeem', [5n, WALLET, WALLET])))
    assert.ok(!raises(poolCall('repay', [USDC, 5n, 2n, WALLET])))
    assert.ok(!raises(poolCall('supply', [USDC, 5n, WALLET, 0])))
  })
})
