// What a decision asks of the node: only what applies to it, and nothing twice within its time.
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { createChains } from '../../src/chain/index.ts'
import { positions, sanctions, tokenIdentity, usdPrice } from '../../src/policy/index.ts'
import { addressesOf } from '../../src/policy/source.ts'
import { sanctionsOracle, usdFeed } from '../../src/registry/index.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { decoded, FRIEND, sendNative, swap, transfer, USDC, WALLET, WETH } from '../support/actions.ts'
import { startService } from '../support/app.ts'
import { decide } from './operations/service.ts'
import * as c from './sources/contracts.ts'

const NOW = 0x68000000 * 1000
const ORACLE = sanctionsOracle(1)
assert.ok(ORACLE)
const oracle = ORACLE
const POLICY: Policy = {
  recipients: { allow: [FRIEND] },
  caps: { perTxUsd: 5_000, outflow24hUsd: 50_000 },
  leverage: { max: 2, maxPortfolio: 2 },
  exposure: { perProtocolUsd: { '*': 1_000 } },
}

let stand: c.ContractsStandIn | undefined

describe('what a decision asks of a node', () => {
  beforeEach(async () => {
    await stand?.node.stop()
    stand = await c.startContracts()
    for (const [asset, pair, answer] of [
      [USDC, 'USDC / USD', 1_00000000n],
      [WETH, 'ETH / USD', 3_000_00000000n],
    ] as const) {
      const feed = usdFeed(1, asset)?.feed
      assert.ok(feed)
      stand.answer(feed, c.LATEST_ROUND_DATA, c.round(answer, NOW / 1000))
      stand.answer(feed, c.DECIMALS, c.uint(8))
      stand.answer(feed, c.DESCRIPTION, c.text(pair))
    }
  })
  after(() => stand?.node.stop())

  /** A service on the stand-in whose clock can be moved on. Gives how many requests a decision on an action made. */
  async function counting(
    run: (requestsFor: (tx: EvmTx) => Promise<number>, wait: (ms: number) => void) => Promise<void>,
  ) {
    assert.ok(stand)
    const { node, answer } = stand
    let at = NOW
    const now = () => new Date(at)
    const chains = createChains([{ id: 1, name: 'Ethereum', rpcUrl: node.url }])
    const prices = usdPrice({ chains, now })
    const sources = [
      prices,
      tokenIdentity({ chains, now }),
      sanctions({ chains, now, maxAgeDays: 0 }),
      positions({ chains, now, prices }),
    ]
    const service = await startService({ sources })
    const principal = await service.agentOf(WALLET, [1], POLICY)
    const requestsFor = async (proposedTx: EvmTx) => {
      for (const address of addressesOf(decoded(proposedTx)))
        answer(oracle, `${c.IS_SANCTIONED}${address.slice(2).padStart(64, '0')}`, c.uint(0))
      const before = node.calls.length
      const request = { escrowAddress: WALLET, prompt: 'Go on.', proposedTx }
      const { verdict } = await decide(service.policy, principal, request)
      assert.equal(verdict.outcome, 'approved', verdict.humanReason)
      return node.calls.length - before
    }
    try {
      await run(requestsFor, (ms) => {
        at += ms
      })
    } finally {
      await service.close()
    }
  }

  // A read of many things is two requests: which block is the latest, and what its contracts say.
  test('a transfer asks for the price of one token, and whether anybody is sanctioned', async () => {
    await counting(async (requestsFor, wait) => {
      const tx = transfer(USDC, FRIEND, 5_000_000n)
      // The node's chain id may be asked for once by each of the reads that start together.
      const first = await requestsFor(tx)
      assert.ok(first <= 12, String(first))
      assert.equal(await requestsFor(tx), 2)
      wait(16_000)
      assert.equal(await requestsFor(tx), 6)
      assert.equal(await requestsFor(sendNative(FRIEND, 10n ** 15n)), 4)
    })
  })

  test('a swap asks for the prices of both of its tokens at once', async () => {
    await counting(async (requestsFor, wait) => {
      assert.ok((await requestsFor(swap())) <= 10)
      assert.equal(await requestsFor(swap()), 2)
      wait(16_000)
      assert.equal(await requestsFor(swap()), 4)
    })
  })
})
