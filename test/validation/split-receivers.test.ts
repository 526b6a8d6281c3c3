// Value that is shared out: whoever was meant gets all of it, or it is rejected, in whatever form it is sent.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ValidationRequest } from '../../src/schema/validation.ts'
import { createValidator } from '../../src/validation/index.ts'
import { ownBatch, paidThroughMulticall, paidThroughPermit2, safeBatch } from '../support/intent-corpus/batches.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import {
  aaveTx,
  approveTx,
  routerTrade,
  SWAP_ROUTER,
  type Tx,
  transferTx,
  universalTrade,
  unwrapTx,
  wrapTx,
} from '../support/intent-corpus/transactions.ts'
import { ETH, NOW_SECONDS, TOKENS, WALLET, WETH } from '../support/intent-corpus/world.ts'

const [USDC] = TOKENS
const PAYEE = '0x00000000000000000000000000000000deadbeef'
const STRANGER = '0x0000000000000000000000000000000000057a9e'
const UNIT = 1_000_000n
const BATCHES = { 'ERC-7821': ownBatch, "a Safe's": safeBatch } as const

async function decide(human_intent: string, tx: Tx): Promise<readonly [string, string | null]> {
  const request = ValidationRequest.parse({ human_intent, proposed_tx: { chainId: 1, from: WALLET, ...tx } })
  const { decision, primary_failure_node } = await createValidator(corpusSurroundings()).validate(request)
  return [decision, primary_failure_node]
}

const PASSES = ['PASS', null]
const OTHERS = ['REJECT', 'intent_alignment.operation_matching']
const pay = (to: `0x${string}`, units: bigint) => transferTx(USDC, to, units * UNIT)
const usdc = USDC.address as `0x${string}`

describe('a payment in a batch', () => {
  const intent = `send 100 USDC to ${PAYEE}`
  for (const [name, batch] of Object.entries(BATCHES)) {
    it(`of ${name} reaches whom it was meant for, in one part or in two`, async () => {
      assert.deepEqual(await decide(intent, batch([pay(PAYEE, 100n)])), PASSES)
      assert.deepEqual(await decide(intent, batch([pay(PAYEE, 40n), pay(PAYEE, 60n)])), PASSES)
      assert.deepEqual(await decide(intent, batch([pay(PAYEE, 40n), pay(PAYEE, 61n)])), [
        'REJECT',
        'intent_alignment.amount_matching',
      ])
    })

    it(`of ${name} is rejected where a stranger gets a part, or the wallet`, async () => {
      assert.deepEqual(await decide(intent, batch([pay(PAYEE, 1n), pay(STRANGER, 99n)])), OTHERS)
      assert.deepEqual(await decide(intent, batch([pay(STRANGER, 99n), pay(PAYEE, 1n)])), OTHERS)
      assert.deepEqual(await decide(intent, batch([pay(PAYEE, 100n), pay(STRANGER, 1n)])), OTHERS)
      assert.deepEqual(await decide(intent, batch([pay(PAYEE, 1n), pay(WALLET, 99n)])), OTHERS)
    })
  }

  it('through Permit2 or Multicall3 is looked at in each of its parts', async () => {
    const parts = [
      { to: PAYEE, amount: UNIT },
      { to: STRANGER, amount: 99n * UNIT },
    ] as const
    assert.deepEqual(await decide(intent, paidThroughPermit2(usdc, parts)), OTHERS)
    assert.deepEqual(await decide(intent, paidThroughPermit2(usdc, [{ to: PAYEE, amount: 100n * UNIT }])), PASSES)
    const ether = 10n ** 18n
    const native = [
      { to: PAYEE, amount: ether / 100n },
      { to: STRANGER, amount: (ether * 99n) / 100n },
    ] as const
    assert.deepEqual(await decide(`send 1 ETH to ${PAYEE}`, paidThroughMulticall(native)), OTHERS)
    const whole = paidThroughMulticall([{ to: PAYEE, amount: ether }])
    assert.deepEqual(await decide(`send 1 ETH to ${PAYEE}`, whole), PASSES)
  })
})

describe('what is kept at a venue', () => {
  const asset = USDC.address
  const supply = (units: bigint, to: string) => aaveTx('supply', [asset, units * UNIT, to, 0])
  const withdraw = (units: bigint, to: string) => aaveTx('withdraw', [asset, units * UNIT, to])
  const borrow = (units: bigint, debtor: string) => aaveTx('borrow', [asset, units * UNIT, 2n, 0, debtor])
  const repay = (units: bigint, debtor: string) => aaveTx('repay', [asset, units * UNIT, 2n, debtor])

  it('is for whom it was meant alone', async () => {
    assert.deepEqual(
      await decide('supply 100 USDC to Aave', ownBatch([supply(50n, WALLET), supply(50n, WALLET)])),
      PASSES,
    )
    assert.deepEqual(
      await decide('supply 100 USDC to Aave', ownBatch([supply(1n, WALLET), supply(99n, STRANGER)])),
      OTHERS,
    )
    assert.deepEqual(
      await decide('repay 100 USDC on Aave', ownBatch([repay(1n, WALLET), repay(99n, STRANGER)])),
      OTHERS,
    )
    const shared = ownBatch([withdraw(1n, WALLET), withdraw(99n, STRANGER)])
    assert.deepEqual(await decide('withdraw 100 USDC from Aave', shared), OTHERS)
    assert.deepEqual(await decide('borrow 100 USDC from Aave', borrow(100n, WALLET)), PASSES)
    assert.deepEqual(await decide('borrow 100 USDC from Aave', borrow(100n, STRANGER)), OTHERS)
  })

  it('runs wholly at the venue that was named', async () => {
    const both = ownBatch([supply(100n, WALLET)])
    assert.deepEqual(await decide('supply 100 USDC to Morpho', both), [
      'REJECT',
      'technical_invariants.protocol_compatibility',
    ])
  })
})

describe('a trade', () => {
  const trade = {
    sell: USDC,
    buy: WETH,
    amountIn: 3_000n * UNIT,
    amountOut: 997_000_000_000_000_000n,
    recipient: WALLET,
    deadline: NOW_SECONDS + 600n,
    exact: 'in',
  } as const

  it('may not give a stranger a part that nobody asked for, small or nearly all', async () => {
    for (const bips of [10n, 1_000n, 9_900n])
      assert.deepEqual(await decide('swap 3000 USDC for WETH', universalTrade(trade, { to: STRANGER, bips })), [
        'REJECT',
        'intent_alignment.fee_alignment',
      ])
  })

  it('with a fee that was asked for may take that, and no more', async () => {
    const intent = 'swap 3000 USDC for WETH, with a fee of 0.3%'
    assert.deepEqual(await decide(intent, universalTrade(trade, { to: STRANGER, bips: 30n })), PASSES)
    const more = await decide(intent, universalTrade(trade, { to: STRANGER, bips: 31n }))
    assert.deepEqual(more, ['REJECT', 'intent_alignment.fee_alignment'])
  })

  it('brings what was bought to whom it is for, not to everybody together', async () => {
    const tenth = { ...trade, amountOut: 1_000_000_000_000_000_000n }
    const cut = universalTrade(tenth, { to: STRANGER, bips: 100n })
    const [decision, node] = await decide('buy exactly 1 WETH with USDC, fee 1%', cut)
    assert.deepEqual([decision, node], ['REJECT', 'intent_alignment.amount_matching'])
  })

  it('in parts ends with the last of them', async () => {
    const half = { ...trade, amountIn: 1_500n * UNIT, amountOut: 499_000_000_000_000_000n }
    const until = (seconds: bigint) => routerTrade({ ...half, deadline: NOW_SECONDS + seconds })
    const intent = 'swap 3000 USDC for WETH within 10 minutes'
    const DEADLINE = ['REJECT', 'intent_alignment.deadline_consistency']
    assert.deepEqual(await decide(intent, ownBatch([until(600n), until(500n)])), PASSES)
    assert.deepEqual(await decide(intent, ownBatch([until(600n), until(5_000n)])), DEADLINE)
    assert.deepEqual(await decide('swap 3000 USDC for WETH', ownBatch([until(600n), until(500_000n)])), [
      'REJECT',
      'adversarial_detection.mev_risky_parameters',
    ])
  })

  it('for somebody else leaves nothing with the sender', async () => {
    const half = { ...trade, amountIn: 1_500n * UNIT, amountOut: 499_000_000_000_000_000n }
    const split = ownBatch([routerTrade(half), routerTrade({ ...half, recipient: PAYEE })])
    const intent = `swap 3000 USDC for WETH and send it to ${PAYEE}`
    assert.deepEqual(await decide(intent, split), ['REJECT', 'intent_alignment.fee_alignment'])
    const whole = ownBatch([half, half].map((one) => routerTrade({ ...one, recipient: PAYEE })))
    assert.deepEqual(await decide(intent, whole), PASSES)
  })

  it('in a batch may let its own router spend, and nobody beside', async () => {
    const approved = (spender: `0x${string}`) =>
      ownBatch([approveTx(USDC, spender, trade.amountIn), routerTrade(trade)])
    assert.deepEqual(await decide('swap 3000 USDC for WETH', approved(SWAP_ROUTER)), PASSES)
    for (const spender of [STRANGER, usdc] as const)
      assert.deepEqual(await decide('swap 3000 USDC for WETH', approved(spender)), [
        'REJECT',
        'intent_alignment.approval_covers_primary',
      ])
  })

  it('of a coin for its wrapped form goes the way that was asked for', async () => {
    const ether = 10n ** 18n
    const TURNED = ['REJECT', 'intent_alignment.token_matching']
    assert.deepEqual(await decide('swap 1 ETH for WETH', wrapTx(ether)), PASSES)
    assert.deepEqual(await decide('swap 1 ETH for WETH', unwrapTx(ether)), TURNED)
    assert.deepEqual(await decide('swap 1 WETH for ETH', wrapTx(ether)), TURNED)
    assert.deepEqual(await decide(`send 1 ETH to ${PAYEE}`, transferTx(WETH, PAYEE, ether)), TURNED)
    assert.deepEqual(await decide(`send 1 ETH to ${PAYEE}`, transferTx(ETH, PAYEE, ether)), PASSES)
  })
})
