import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { decode } from '../../../src/policy/decode.ts'
import type { Leg } from '../../../src/policy/decoded-action.ts'
import { FRIEND, STRANGER, WALLET } from './flows.ts'

const CORE_WRITER = '0x3333333333333333333333333333333333333333'
const DEPOSIT_WALLET = '0x6b9e773128f453f5c2c60935ee2de2cbc5390a24'
const USDC = '0xb88339cb7199b77e23db6e890353e22632ba630f'
const ABI = parseAbi([
  'function sendRawAction(bytes data)',
  'function deposit(uint256 amount, uint32 destinationDex)',
  'function depositFor(address recipient, uint256 amount, uint32 destinationId)',
])

const raw = (id: number, types: string, values: readonly unknown[]): Hex =>
  concatHex(['0x01', numberToHex(id, { size: 3 }), encodeAbiParameters(parseAbiParameters(types), values as never)])
const send = (data: Hex, value = '0x0') => ({
  to: CORE_WRITER,
  data: encodeFunctionData({ abi: ABI, functionName: 'sendRawAction', args: [data] }),
  value,
  chainId: 999,
  protocol: 'hyperliquid',
})

function legOf(data: Hex): Leg {
  const result = decode(send(data), WALLET)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value.legs[0]
}

function refusal(data: Hex, value?: string): string {
  const result = decode(send(data, value), WALLET)
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

const ORDER = 'uint32, bool, uint64, uint64, bool, uint8, uint128'

describe('CoreWriter', () => {
  test('an order is an order, whichever door it comes by', () => {
    const leg = legOf(raw(1, ORDER, [4, true, 6_050_000_000_000n, 1_000_000n, false, 3, 7n]))
    assert.deepEqual([leg.kind, leg.venue], ['order', 'hyperliquid'])
    assert.deepEqual(leg.order, {
      market: '4',
      side: 'buy',
      size: '0.01',
      price: '60500',
      trigger: null,
      reduceOnly: false,
      timeInForce: 'Ioc',
      cloid: `0x${'0'.repeat(31)}7`,
      account: WALLET,
      feeTo: null,
    })
    assert.match(refusal(raw(1, ORDER, [4, true, 1n, 1n, false, 4, 0n])), /time in force 4/)
    assert.match(refusal(raw(1, ORDER, [4, true, 0n, 1n, false, 3, 0n])), /price is 0/)
  })

  test('what moves funds goes to whom it names', () => {
    const usd = legOf(raw(2, 'address, bool, uint64', [STRANGER, true, 7n]))
    assert.deepEqual([usd.receives[0]?.party, usd.receives[0]?.amount, usd.margin], [STRANGER, 7n, -7n])
    const spot = legOf(raw(6, 'address, uint64, uint64', [FRIEND, 0n, 250n]))
    // 8 decimals there, 6 here: what does not fit counts as one more.
    assert.deepEqual(spot.receives, [{ asset: USDC, amount: 3n, bound: 'exact', party: FRIEND }])
    const home = legOf(raw(6, 'address, uint64, uint64', ['0x2222222222222222222222222222222222222222', 150n, 5n]))
    assert.deepEqual(
      [home.kind, home.receives[0]?.party, home.receives[0]?.amount],
      ['withdraw', WALLET, 5n * 10n ** 10n],
    )
    const asset = 'address, address, uint32, uint32, uint64, uint64'
    const nobody = '0x0000000000000000000000000000000000000000'
    assert.equal(legOf(raw(13, asset, [FRIEND, nobody, 0, 0xffffffff, 0n, 100n])).receives[0]?.party, FRIEND)
    assert.match(refusal(raw(13, asset, [FRIEND, STRANGER, 0, 0, 0n, 1n])), /sub-account/)
    assert.match(refusal(raw(13, asset, [FRIEND, nobody, 7, 0, 0n, 1n])), /another exchange/)
    assert.match(refusal(raw(6, 'address, uint64, uint64', [FRIEND, 1n, 5n])), /not known/)
    assert.equal(legOf(raw(7, 'uint64, bool', [9n, false])).margin, -9n)
  })

  test('who may act for the account is control', () => {
    const agent = [{ owner: WALLET, operator: STRANGER, granted: true }]
    assert.deepEqual(legOf(raw(9, 'address, string', [STRANGER, 'bot'])).controls, agent)
    assert.deepEqual(legOf(raw(12, 'uint64, address', [5n, STRANGER])).controls, agent)
    assert.equal(legOf(raw(10, 'uint32, uint64', [1, 5n])).kind, 'cancel')
    assert.equal(legOf(raw(11, 'uint32, uint128', [1, 5n])).kind, 'cancel')
  })

  test('anything else is refused: other versions, other actions, native value, bytes too many', () => {
    const transfer = raw(7, 'uint64, bool', [9n, false])
    assert.match(refusal(transfer, '0x1'), /"value" must be 0/)
    assert.match(refusal(`0x02${transfer.slice(4)}`), /no known version/)
    for (const id of [0, 3, 4, 5, 8, 14, 15, 16]) assert.match(refusal(raw(id, 'uint64', [1n])), /not decoded/)
    assert.match(refusal(`${transfer}00`), /bytes follow/)
    assert.match(refusal(transfer.slice(0, -2) as Hex), /ends before/)
    for (const short of ['0x', '0x01', '0x0100'] as const) assert.match(refusal(short), /version|not decoded/)
  })
})

describe('CoreDepositWallet', () => {
  const deposit = (data: Hex, value = '0x0') =>
    decode({ to: DEPOSIT_WALLET, data, value, chainId: 999, protocol: 'hyperliquid' }, WALLET)
  const to = (amount: bigint, dex: number) =>
    encodeFunctionData({ abi: ABI, functionName: 'deposit', args: [amount, dex] })

  test('brings USDC to an account on HyperCore', () => {
    const own = deposit(to(5n, 0))
    assert.ok(own.ok)
    const [leg] = own.value.legs
    assert.deepEqual([leg.kind, leg.venue, leg.margin], ['supply', 'hyperliquid', 5n])
    assert.deepEqual(leg.spends, [{ asset: USDC, amount: 5n, bound: 'exact', party: WALLET }])
    const other = deposit(
      encodeFunctionData({ abi: ABI, functionName: 'depositFor', args: [STRANGER, 5n, 0xffffffff] }),
    )
    assert.ok(other.ok && other.value.legs[0].positions?.[0]?.party === STRANGER)
    const unknown = deposit(to(5n, 3))
    assert.ok(!unknown.ok && /not known/.test(unknown.reason))
    assert.ok(!deposit(to(5n, 0), '0x1').ok)
  })
})
