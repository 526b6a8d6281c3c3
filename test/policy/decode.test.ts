import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decode, type ProposedCall } from '../../src/policy/decode.ts'
import { contractOf } from '../../src/registry/index.ts'
import {
  type Encoded,
  erc20Transfer,
  nativeTransfer,
  SENDER,
  tokens,
  universalRouter,
  urV3In,
  type Version,
} from '../support/encode.ts'
import { decoded, FRIEND, STRANGER, WALLET } from './decoders/flows.ts'

const swap = (version: Version) => {
  const route = { tokens: [tokens.USDC, tokens.WETH], fees: [500] }
  const sold = { version, walletPays: true, recipient: SENDER, amountIn: 5n, min: 1n }
  return universalRouter({ version, commands: [urV3In({ ...sold, ...route })], deadline: 1_900_000_000n })
}

const at = (tx: Encoded, change: Partial<ProposedCall> = {}): ProposedCall => ({ ...tx, chainId: 1, ...change })

function reasonOf(tx: ProposedCall): string {
  const result = decode(tx, WALLET)
  return result.ok ? 'decoded' : result.reason
}

describe('decode', () => {
  test('the target’s contract decides how calldata is read, never the selector', () => {
    const [one, other] = [swap('2.0'), swap('2.1')]
    assert.equal(decoded(one).protocol, 'uniswap')
    assert.equal(decoded(one).legs[0].deadline, 1_900_000_000)
    assert.equal(decoded(one).selector, '0x3593564c')
    assert.match(reasonOf(at(one, { to: other.to })), /Universal Router 2.1/)
    assert.match(reasonOf(at(one, { to: STRANGER })), /no contract that countersign knows on chain 1/)
    // The same bytes on a chain where the router is elsewhere.
    assert.match(reasonOf(at(one, { chainId: 8453 })), /no contract that countersign knows on chain 8453/)
    const base = contractOf(8453, 'uniswap-universal-router', '2.0')
    assert.ok(base)
    assert.equal(reasonOf(at(one, { chainId: 8453, to: base })), 'decoded')
  })

  test('the wallet and the target are compared in lower case, whatever case they come in', () => {
    const { to, data } = swap('2.0')
    const upper = at(swap('2.0'), { to: `0x${to.slice(2).toUpperCase()}`, data: `0x${data.slice(2).toUpperCase()}` })
    assert.deepEqual(decode(upper, WALLET), decode(at(swap('2.0')), WALLET))
    assert.match(reasonOf(at(swap('2.0'), { to: to.replace('c', 'C').replace('a', 'A') })), /"to" is not an address/)
  })

  test('"protocol" must not contradict the target', () => {
    const transfer = erc20Transfer({ token: tokens.USDC, to: FRIEND, amount: 5n })
    for (const protocol of ['erc20', 'token', 'transfer', 'native', 'ERC20'])
      assert.equal(reasonOf(at(transfer, { protocol })), 'decoded')
    for (const protocol of ['uniswap', 'uniswap-v3', 'UNISWAP'])
      assert.equal(reasonOf(at(swap('2.0'), { protocol })), 'decoded')
    assert.match(reasonOf(at(transfer, { protocol: 'uniswap' })), /"protocol" says "uniswap".*"erc20" would be right/)
    assert.match(reasonOf(at(swap('2.0'), { protocol: 'transfer' })), /"uniswap" would be right/)
    assert.ok(reasonOf(at(swap('2.0'), { protocol: 'x'.repeat(9999) })).length < 400)
  })

  test('a value is an amount of wei, in hex or in decimal digits', () => {
    const value = (text: string) => {
      const result = decode(at(nativeTransfer({ to: FRIEND, amount: 0n }), { value: text }), WALLET)
      return result.ok ? result.value.legs[0].spends[0]?.amount : result.reason
    }
    assert.equal(value('10'), 10n)
    assert.equal(value('0x10'), 16n)
    assert.equal(value('0x00'), 0n)
    assert.equal(value(`0x${'f'.repeat(64)}`), (1n << 256n) - 1n)
    for (const wrong of ['', '0x', '-1', '1.0', '1e3', ' 1', `0x1${'0'.repeat(64)}`, '0xg', '９'])
      assert.match(String(value(wrong)), /"value" is not an amount/, wrong)
  })

  test('data is hex of whole bytes, and not more than a node takes', () => {
    const tx = at(nativeTransfer({ to: FRIEND, amount: 1n }))
    for (const data of ['', '0', '0x0', '0xzz', 'a9059cbb', '0x12 '])
      assert.match(reasonOf({ ...tx, data }), /"data" is not hex/)
    assert.match(reasonOf({ ...tx, data: `0x${'00'.repeat(131_073)}` }), /more than 131072 bytes/)
  })

  test('an unknown chain, and a call of the wallet to itself', () => {
    const tx = nativeTransfer({ to: FRIEND, amount: 1n })
    for (const chainId of [0, 5, -1, 1.5, Number.NaN]) assert.match(reasonOf(at(tx, { chainId })), /is not supported/)
    assert.match(reasonOf(at(tx, { to: WALLET, data: '0xa9059cbb' })), /call of the wallet to itself/)
    assert.equal(reasonOf(at(tx, { to: WALLET })), 'decoded')
    for (const to of ['', '0x', WALLET.slice(0, -1), `${WALLET}0`])
      assert.match(reasonOf(at(tx, { to })), /"to" is not an address/)
  })

  test('plain value is a transfer, to a known contract only where that takes it', () => {
    const { legs, selector, protocol } = decoded(nativeTransfer({ to: FRIEND, amount: 5n }))
    assert.deepEqual([legs[0].kind, selector, protocol], ['transfer', null, 'native'])
    for (const kind of ['uniswap-universal-router', 'uniswap-swap-router-02', 'permit2']) {
      const to = contractOf(1, kind)
      assert.ok(to)
      assert.notEqual(reasonOf(at(nativeTransfer({ to, amount: 5n }))), 'decoded')
    }
  })
})
