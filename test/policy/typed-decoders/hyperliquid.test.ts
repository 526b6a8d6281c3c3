import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeProposed } from '../../../src/policy/decode-proposed.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import { CORE_USDC } from '../../../src/registry/index.ts'
import { ProposedTx } from '../../../src/schema/action.ts'
import { FRIEND, STRANGER, WALLET } from '../decoders/flows.ts'

const CLOID = `0x${'0'.repeat(31)}1`
const OTHER_CLOID = `0x${'34'.repeat(16)}`
const order = { a: 4, b: true, p: '1670.1', s: '0.0147', r: false, t: { limit: { tif: 'Ioc' } }, c: CLOID }
const user = { signatureChainId: '0x66eee', hyperliquidChain: 'Mainnet' }
const USDC = `USDC:${CORE_USDC.tokenId}`

const proposed = (action: object, change: object = {}) =>
  ProposedTx.parse({ protocol: 'hyperliquid', chainId: 999, action, nonce: 1_700_000_000_000, ...change })

function decoded(action: object, change: object = {}): DecodedAction {
  const result = decodeProposed(proposed(action, change), WALLET)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}

function refusal(action: object, change: object = {}): string {
  const result = decodeProposed(proposed(action, change), WALLET)
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

const orders = (...all: readonly object[]) => ({ type: 'order', orders: all, grouping: 'na' })
const one = (change: object) => decoded(orders({ ...order, ...change })).legs[0].order

describe('an order', () => {
  test('has its market, side, size, price, life and key', () => {
    const { legs, target, chainId, protocol } = decoded(orders(order), { expiresAfter: 1_700_000_060_999 })
    assert.deepEqual([target, chainId, protocol, legs[0].kind], [null, 999, 'hyperliquid', 'order'])
    assert.deepEqual(legs[0].order, {
      market: '4',
      side: 'buy',
      size: '0.0147',
      price: '1670.1',
      trigger: null,
      reduceOnly: false,
      timeInForce: 'Ioc',
      cloid: CLOID,
      account: WALLET,
      feeTo: null,
    })
    assert.equal(legs[0].deadline, 1_700_000_060)
    assert.equal(decoded(orders(order, { ...order, b: false, c: OTHER_CLOID })).legs.length, 2)
  })

  test('for another account, and with a fee to somebody, names them', () => {
    const { legs, touches } = decoded({ ...orders(order), builder: { b: FRIEND, f: 10 } }, { vaultAddress: STRANGER })
    assert.deepEqual([legs[0].order?.account, legs[0].order?.feeTo], [STRANGER, FRIEND])
    assert.deepEqual(touches, [STRANGER, FRIEND])
  })

  test('that is a market order once it is triggered has no price', () => {
    const trigger = (isMarket: boolean) => one({ t: { trigger: { isMarket, triggerPx: '1500', tpsl: 'sl' } } })
    assert.deepEqual([trigger(true)?.price, trigger(true)?.trigger], [null, '1500'])
    assert.equal(trigger(false)?.price, '1670.1')
    const twap = { type: 'twapOrder', twap: { a: 4, b: true, s: '1', r: false, m: 30, t: false } }
    assert.equal(decoded(twap).legs[0].order?.price, null)
  })

  test('that is changed counts as a new one, beside which the old one is taken back', () => {
    const modify = { type: 'modify', oid: 7, order: { ...order, s: '9' } }
    assert.equal(decoded(modify).legs[0].order?.size, '9')
    const batch = {
      type: 'batchModify',
      modifies: [
        { oid: CLOID, order },
        { oid: 8, order: { ...order, c: OTHER_CLOID } },
      ],
    }
    assert.deepEqual(
      decoded(batch).legs.map(({ kind }) => kind),
      ['order', 'order', 'cancel'],
    )
  })

  test('shares its own id with no other: the venue could not be asked about either', () => {
    assert.match(refusal(orders(order, { ...order, a: 5 })), /same "c"/)
    const modifies = [7, 8].map((oid) => ({ oid, order }))
    assert.match(refusal({ type: 'batchModify', modifies }), /same "c"/)
    const { c: _, ...unnamed } = order
    assert.equal(decoded(orders(unnamed, unnamed)).legs.length, 2)
  })

  test('has one form only, the one that is hashed', () => {
    const { c: _, ...rest } = order
    for (const [change, reason] of [
      [{ p: '1670.10' }, /needless zeros/],
      [{ p: '0' }, /more than 0/],
      [{ p: 1670 }, /orders/],
      [{ s: '01' }, /needless zeros/],
      [{ c: CLOID.toUpperCase().replace('X', 'x').replace('1', 'A') }, /lower case/],
      [{ extra: 1 }, /orders/],
      [{ a: -1 }, /orders/],
      [{ t: { limit: { tif: 'Fok' } } }, /orders\.0\.t\.limit\.tif: .*expected one of "Gtc"/],
    ] as const)
      assert.match(refusal(orders({ ...order, ...change })), reason, JSON.stringify(change))
    assert.match(refusal(orders({ c: CLOID, ...rest })), /order of the venue/)
    assert.match(refusal({ grouping: 'na', type: 'order', orders: [order] }), /order of the venue/)
    assert.match(refusal(orders()), /action\.orders/)
    assert.match(refusal(orders(order), { vaultAddress: `0x${'AB'.repeat(20)}` }), /vaultAddress/)
    assert.match(refusal(orders(order), { nonce: 0 }), /nonce/)
    assert.match(refusal(orders(order), { extra: 1 }), /extra is not a known field/)
    assert.ok(refusal(orders({ ...order, ['x'.repeat(5_000)]: 1 })).length < 300)
    assert.match(refusal(orders(order), { chainId: 1 }), /chain 999/)
    assert.match(refusal({ type: 'perpDeploy' }), /"perpDeploy" is not decoded/)
  })
})

describe('the digest', () => {
  test('changes with the action, its nonce, its account and its end', () => {
    const digests = [
      decoded(orders(order)),
      decoded(orders({ ...order, s: '0.0148' })),
      decoded(orders(order), { nonce: 1_700_000_000_001 }),
      decoded(orders(order), { vaultAddress: STRANGER }),
      decoded(orders(order), { expiresAfter: 1_700_000_060_000 }),
    ].map(({ digest }) => digest)
    assert.equal(new Set(digests).size, 5)
    assert.ok(digests.every((digest) => /^0x[0-9a-f]{64}$/.test(digest ?? '')))
  })
})

describe('what moves funds or hands out control', () => {
  const flows = (action: object) => {
    const [leg] = decoded(action, { nonce: 5 }).legs
    return {
      kind: leg.kind,
      out: leg.spends.map(({ amount, party }) => [amount, party]),
      in: leg.receives.map(({ amount, party }) => [amount, party]),
      margin: leg.margin,
    }
  }

  test('a send goes to its destination, a withdrawal too', () => {
    const expected = { kind: 'transfer', out: [[1_500_001n, WALLET]], in: [[1_500_001n, FRIEND]], margin: -1_500_001n }
    for (const type of ['usdSend', 'withdraw3'])
      assert.deepEqual(flows({ type, ...user, destination: FRIEND, amount: '1.5000001', time: 5 }), expected)
  })

  test('tokens that are known go to whom they are sent, or by a system address to HyperEVM', () => {
    const send = { type: 'spotSend', ...user, destination: FRIEND, token: USDC, amount: '2', time: 5 }
    assert.deepEqual(flows(send).in, [[2_000_000n, FRIEND]])
    const hype = 'HYPE:0x0d01dc56dcaaca66ad901c959b4011ec'
    const home = { ...send, token: hype, destination: '0x2222222222222222222222222222222222222222' }
    assert.deepEqual(flows(home), {
      kind: 'withdraw',
      out: [[2n * 10n ** 18n, WALLET]],
      in: [[2n * 10n ** 18n, WALLET]],
      margin: undefined,
    })
    assert.match(refusal({ ...home, token: USDC }, { nonce: 5 }), /system address/)
    assert.match(refusal({ ...send, token: 'PURR:0xc1fb593aeffbeb02f85e0308e9956a90' }, { nonce: 5 }), /not known/)
    const asset = {
      type: 'sendAsset',
      ...user,
      destination: FRIEND,
      sourceDex: '',
      destinationDex: 'spot',
      token: USDC,
    }
    assert.deepEqual(flows({ ...asset, amount: '3', fromSubAccount: '', nonce: 5 }).margin, -3_000_000n)
  })

  test('vaults and sub-accounts are other accounts', () => {
    const vault = { type: 'vaultTransfer', vaultAddress: STRANGER, isDeposit: true, usd: 7 }
    assert.deepEqual(flows(vault).in, [[7n, STRANGER]])
    assert.deepEqual(flows({ ...vault, isDeposit: false }), {
      kind: 'withdraw',
      out: [],
      in: [[7n, WALLET]],
      margin: 7n,
    })
    const sub = { type: 'subAccountTransfer', subAccountUser: STRANGER, isDeposit: true, usd: 7 }
    assert.deepEqual(flows(sub).in, [[7n, STRANGER]])
    assert.match(refusal(sub, { vaultAddress: FRIEND }), /another account/)
  })

  test('an agent and a builder’s fee are control', () => {
    const controls = (action: object) => decoded(action, { nonce: 5 }).legs[0].controls
    const agent = { type: 'approveAgent', ...user, agentAddress: STRANGER, agentName: 'bot', nonce: 5 }
    assert.deepEqual(controls(agent), [{ owner: WALLET, operator: STRANGER, granted: true }])
    const builder = { type: 'approveBuilderFee', ...user, maxFeeRate: '0.001%', builder: FRIEND, nonce: 5 }
    assert.deepEqual(controls(builder), [{ owner: WALLET, operator: FRIEND, granted: true }])
    assert.equal(controls({ ...builder, maxFeeRate: '0%' })?.[0]?.granted, false)
  })

  test('margin between one’s own balances changes what stands behind positions', () => {
    const transfer = { type: 'usdClassTransfer', ...user, amount: '5', toPerp: false, nonce: 5 }
    assert.equal(flows(transfer).margin, -5_000_000n)
    assert.equal(flows({ ...transfer, toPerp: true }).margin, 5_000_000n)
    assert.match(refusal({ type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: -1 }), /leverage/)
  })

  test('the nonce of the message is the nonce of the request, and it is the main network’s', () => {
    const send = { type: 'usdSend', ...user, destination: FRIEND, amount: '1', time: 5 }
    assert.match(refusal(send, { nonce: 6 }), /"nonce"/)
    assert.match(refusal({ ...send, hyperliquidChain: 'Testnet' }, { nonce: 5 }), /hyperliquidChain/)
    assert.match(refusal(send, { nonce: 5, expiresAfter: 9 }), /expiresAfter/)
  })
})

describe('cancelling and leverage', () => {
  test('move nothing', () => {
    for (const action of [
      { type: 'cancel', cancels: [{ a: 1, o: 5 }] },
      { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: CLOID }] },
      { type: 'scheduleCancel' },
      { type: 'scheduleCancel', time: 5 },
      { type: 'twapCancel', a: 1, t: 2 },
    ])
      assert.equal(decoded(action).legs[0].kind, 'cancel')
    assert.deepEqual(decoded({ type: 'updateLeverage', asset: 3, isCross: false, leverage: 20 }).legs[0].leverage, {
      market: '3',
      leverage: 20,
      margin: 'isolated',
    })
  })
})

describe('every kind of action that the venue takes', () => {
  /** Those that are decoded; what all others do is not known here. */
  const DECODED = new Set(
    'order modify batchModify cancel cancelByCloid scheduleCancel twapOrder twapCancel updateLeverage updateIsolatedMargin vaultTransfer subAccountTransfer subAccountSpotTransfer usdSend spotSend sendAsset withdraw3 usdClassTransfer approveAgent approveBuilderFee'.split(
      ' ',
    ),
  )
  const folder = join(dirname(createRequire(import.meta.url).resolve('@nktkas/hyperliquid/api/exchange')), '_methods')
  const kinds = readdirSync(folder).flatMap((name) => /^([a-zA-Z0-9]+)\.js$/.exec(name)?.[1] ?? [])

  test('is known by an independent library, and either decoded whole or refused by its name', () => {
    assert.ok(kinds.length > 50, `${kinds.length} kinds`)
    for (const kind of DECODED) assert.ok(kinds.includes(kind), kind)
    for (const type of kinds) {
      const result = decodeProposed(proposed({ type }), WALLET)
      const reason = result.ok ? '' : result.reason
      // Taking back everything has no members that must be there.
      if (type === 'scheduleCancel') assert.equal(reason, '')
      else assert.match(reason, DECODED.has(type) ? /action\./ : /is not decoded/, type)
    }
    // Wrapped actions, and a grouping whose meaning is not published.
    assert.match(refusal({ type: 'multiSig', signatures: [], payload: {} }), /is not decoded/)
    assert.match(refusal({ type: 'order', orders: [order], grouping: { p: 1 } }), /grouping/)
  })
})
