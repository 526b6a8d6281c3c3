import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toAddress } from '../../../src/lib/address.ts'
import { erc20Approve, erc20Transfer } from '../../support/encode.ts'
import { vaultCall, vaults } from '../../support/encode-lending.ts'
import { decoded, FRIEND, refusal, STRANGER, WALLET } from './flows.ts'
import { lendingOf } from './lending-flows.ts'

const vault = vaults.steakUSDC

describe('vaults of ERC-4626', () => {
  test('deposit: exactly the assets leave, for whose shares it is', () => {
    const own = lendingOf(vaultCall('deposit', [5n, WALLET]))
    assert.deepEqual([own.kinds, own.spends, own.receives], [['supply'], ['= 5 USDC of wallet'], []])
    assert.deepEqual(own.positions, ['supply +5 USDC of wallet at steakUSDC'])
    assert.deepEqual(lendingOf(vaultCall('deposit', [5n, STRANGER])).positions, [
      'supply +5 USDC of stranger at steakUSDC',
    ])
    assert.match(refusal(vaultCall('deposit', [0n, WALLET])), /the amount is 0/)
  })

  test('each vault has the asset that the registry gives it, and the venue', () => {
    const call = vaultCall('deposit', [5n, WALLET], vaults.savingsDAI)
    assert.deepEqual(lendingOf(call).spends, ['= 5 DAI of wallet'])
    assert.equal(decoded(call).protocol, 'sky')
    assert.equal(decoded(vaultCall('deposit', [5n, WALLET])).protocol, 'morpho')
    assert.equal(decoded({ ...call, protocol: 'sky' }).legs[0].venue, 'sky')
    assert.match(refusal({ ...call, protocol: 'morpho' }), /"sky" would be right/)
  })

  test('mint names shares, and nobody says what they cost: it is refused, and the reason names the other way', () => {
    assert.match(refusal(vaultCall('mint', [5n, WALLET])), /"deposit" names the assets/)
  })

  test('withdraw: exactly the assets arrive where it says, out of the owner’s deposit', () => {
    const own = lendingOf(vaultCall('withdraw', [5n, FRIEND, WALLET]))
    assert.deepEqual([own.kinds, own.spends, own.receives], [['withdraw'], [], ['= 5 USDC to friend']])
    assert.deepEqual(own.positions, ['supply -5 USDC of wallet at steakUSDC'])
    assert.deepEqual(lendingOf(vaultCall('withdraw', [5n, WALLET, STRANGER])).positions, [
      'supply -5 USDC of stranger at steakUSDC',
    ])
  })

  test('redeem names shares: up to all of the deposit goes, and nothing is promised for it', () => {
    const own = lendingOf(vaultCall('redeem', [5n, WALLET, WALLET]))
    assert.deepEqual([own.spends, own.receives], [[], ['>= 0 USDC to wallet']])
    assert.deepEqual(own.positions, ['supply -all USDC of wallet at steakUSDC'])
    assert.deepEqual(lendingOf(vaultCall('redeem', [5n, WALLET, STRANGER])).positions, [
      'supply -all USDC of stranger at steakUSDC',
    ])
  })

  test('its shares are a token', () => {
    const transfer = { ...erc20Transfer({ token: vault, to: STRANGER, amount: 5n }), protocol: 'erc4626' }
    assert.equal(decoded(transfer).legs[0].kind, 'transfer')
    assert.equal(decoded(transfer).legs[0].spends[0]?.asset, toAddress(vault))
    const approve = { ...erc20Approve({ token: vault, spender: STRANGER, amount: 5n }), protocol: 'erc4626' }
    assert.equal(decoded(approve).legs[0].grants[0]?.spender, STRANGER)
  })

  test('takes no native value, no bytes behind its arguments, and no other function', () => {
    const call = vaultCall('deposit', [5n, WALLET])
    assert.match(refusal({ ...call, value: '0x1' }), /"value" must be 0/)
    assert.match(refusal({ ...call, data: `${call.data}00` }), /followed by 1 bytes/)
    assert.match(refusal({ ...call, data: `0x12345678${'0'.repeat(64)}` }), /not decoded/)
    // A vault that nobody listed is a contract that nobody knows.
    assert.match(refusal({ ...call, to: STRANGER }), /no contract that countersign knows/)
  })
})
