import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { numberToHex } from 'viem'
import { decode } from '../../src/policy/decode.ts'
import { erc20Transfer, erc20TransferFrom, nativeTransfer } from '../support/encode.ts'
import { FRIEND, STRANGER, WALLET } from './decoders/flows.ts'

const HYPE = '0x2222222222222222222222222222222222222222'
const UETH = '0xbe6727b535545c67d5caa73dea54865b92cf7907'
const UETH_SYSTEM = '0x20000000000000000000000000000000000000dd'

const at = (tx: ReturnType<typeof nativeTransfer>, chainId = 999) =>
  decode({ ...tx, chainId, protocol: 'native' }, WALLET)

describe('system addresses of HyperCore', () => {
  test('take what is sent to the sender’s own account', () => {
    for (const [tx, market, asset] of [
      [nativeTransfer({ to: HYPE, amount: 5n }), HYPE, 'native'],
      [erc20Transfer({ token: UETH, to: UETH_SYSTEM, amount: 5n }), UETH_SYSTEM, UETH],
    ] as const) {
      const result = at(tx)
      assert.ok(result.ok, result.ok ? '' : result.reason)
      const [leg] = result.value.legs
      const position = { market, side: 'supply', change: 'increase', asset, amount: 5n, party: WALLET }
      assert.deepEqual([leg.kind, leg.venue, leg.receives, leg.positions], ['supply', 'hyperliquid', [], [position]])
      assert.deepEqual(leg.spends, [{ asset, amount: 5n, bound: 'exact', party: WALLET }])
    }
  })

  test('of somebody else’s tokens credit their account, not the wallet’s', () => {
    const result = at(erc20TransferFrom({ token: UETH, from: STRANGER, to: UETH_SYSTEM, amount: 5n }))
    assert.ok(result.ok && result.value.legs[0].positions?.[0]?.party === STRANGER)
  })

  test('lose any other asset, and are refused', () => {
    const refused = [
      nativeTransfer({ to: UETH_SYSTEM, amount: 5n }),
      erc20Transfer({ token: UETH, to: HYPE, amount: 5n }),
      erc20Transfer({ token: FRIEND, to: UETH_SYSTEM, amount: 5n }),
      erc20Transfer({ token: UETH, to: '0x20000000000000000000000000000000000000de', amount: 5n }),
    ]
    for (const tx of refused) {
      const result = at(tx)
      assert.ok(!result.ok && /system address/.test(result.reason), tx.description)
    }
    assert.ok(!at(nativeTransfer({ to: '0x3333333333333333333333333333333333333333', amount: 5n })).ok, 'CoreWriter')
  })

  test('are like any other address elsewhere', () => {
    const result = at({ ...nativeTransfer({ to: HYPE, amount: 5n }), value: numberToHex(5) }, 1)
    assert.ok(result.ok && result.value.legs[0].kind === 'transfer')
  })
})
