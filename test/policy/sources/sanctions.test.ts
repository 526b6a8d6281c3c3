import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Address, toAddress } from '../../../src/lib/address.ts'
import { gather } from '../../../src/policy/gather.ts'
import type { Question } from '../../../src/policy/source.ts'
import { listFault, SANCTIONS_MAX_AGE_DAYS, sanctions } from '../../../src/policy/sources/sanctions.ts'
import { SANCTIONS_AS_OF, sanctionsOracle } from '../../../src/registry/index.ts'
import * as c from './contracts.ts'

const oracle = sanctionsOracle(1)
assert.ok(oracle)
/** The Ronin bridge's thief, listed on 2022-04-14. */
const LISTED = toAddress('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')
const PAYER: Address = '0x4000000000000000000000000000000000000004'
const OWNER: Address = '0x5000000000000000000000000000000000000005'
const SPENDER: Address = '0x6000000000000000000000000000000000000006'
const HOOK: Address = '0x7000000000000000000000000000000000000007'
const EVERYBODY = [c.WALLET, c.TARGET, PAYER, OWNER, SPENDER, HOOK, c.USDC, c.OBSCURE]

const swap = {
  spends: [c.flow('native', PAYER)],
  receives: [c.flow(c.USDC)],
  grants: [{ asset: c.OBSCURE, owner: OWNER, spender: SPENDER, amount: 1n, unlimited: false, expiresAt: null }],
  touches: [HOOK, HOOK],
}
/** Days after the day of the bundled list. */
const daysAfter = (days: number) => () => new Date(Date.parse(SANCTIONS_AS_OF.asOf) + days * 86_400_000)
const YOUNG = daysAfter(SANCTIONS_MAX_AGE_DAYS)
const OLD = daysAfter(SANCTIONS_MAX_AGE_DAYS + 1)

let stand: c.ContractsStandIn

describe('the source of sanctions', () => {
  before(async () => {
    stand = await c.startContracts()
  })
  after(() => stand.node.stop())
  beforeEach(() => {
    for (const address of EVERYBODY) oracleSays(address, c.uint(0))
  })

  function oracleSays(address: Address, answer: c.Answer): void {
    assert.ok(oracle)
    stand.answer(oracle, `${c.IS_SANCTIONED}${address.slice(2).padStart(64, '0')}`, answer)
  }

  type Options = Readonly<{ now?: () => Date; nodes?: Parameters<typeof c.clientsOf>[0]; maxAgeDays?: number }>

  async function screen(question: Question = c.question(swap), options: Options = {}) {
    const { now = OLD, nodes = { 1: stand.node }, maxAgeDays = SANCTIONS_MAX_AGE_DAYS } = options
    const source = sanctions({ chains: c.clientsOf(nodes), now, maxAgeDays })
    const { sanctions: fact } = await gather(['sanctions'], [source], question)
    assert.ok(fact)
    return fact
  }

  describe('who is screened', () => {
    test('sender, target, payers, receivers, owners, spenders, tokens and whatever else is touched, each once', async () => {
      const reads = stand.reads()
      const fact = await screen()
      assert.ok(fact.status === 'fresh')
      assert.deepEqual(fact.value, { screened: [...EVERYBODY].sort(), hits: [] })
      assert.equal(stand.reads() - reads, 1)
    })

    for (const address of EVERYBODY) {
      test(`the oracle's word against ${address} is a hit`, async () => {
        oracleSays(address, c.uint(1))
        const fact = await screen()
        assert.ok(fact.status === 'fresh')
        assert.deepEqual(fact.value.hits, [address])
      })
    }

    const places: readonly [string, Parameters<typeof c.question>[0]][] = [
      ['payer', { spends: [c.flow('native', LISTED)] }],
      ['receiver', { receives: [c.flow('native', LISTED)] }],
      [
        'owner',
        { grants: [{ asset: c.USDC, owner: LISTED, spender: SPENDER, amount: 0n, unlimited: false, expiresAt: 0 }] },
      ],
      [
        'spender',
        { grants: [{ asset: c.USDC, owner: OWNER, spender: LISTED, amount: 0n, unlimited: false, expiresAt: 0 }] },
      ],
      ['token', { spends: [c.flow(LISTED)] }],
      ['hook', { touches: [LISTED] }],
    ]
    for (const [name, sketch] of places) {
      test(`the bundled list's word against a ${name} counts with no node at all and however old it is`, async () => {
        for (const chainId of [1, 999, 31337]) {
          const fact = await screen(c.question({ ...sketch, chainId }), { nodes: {}, now: daysAfter(5_000) })
          assert.ok(fact.status === 'fresh')
          assert.deepEqual(fact.value.hits, [LISTED])
        }
      })
    }
  })

  describe('whose word clears an address', () => {
    const faults: readonly [string, c.Answer][] = [
      ['no code', '0x'],
      ['two words', `${c.uint(0)}${'0'.repeat(64)}`],
      ['a bool of 2', c.uint(2)],
      ['a revert', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
      ['an error of the node', { error: { code: -32005, message: 'limit' } }],
      ['status 500', { status: 500, body: 'https://node.example/key' }],
      ['no bool', { result: false }],
      ['silence', 'hang'],
      ['a cut connection', 'hang up'],
    ]
    for (const [name, answer] of faults) {
      test(`the oracle answers ${name}: nobody's, once the list is too old`, async () => {
        oracleSays(PAYER, answer)
        const fact = await screen()
        assert.ok(fact.status === 'unavailable')
        assert.equal('value' in fact, false)
        assert.match(fact.reason, /31 days old, over its limit of 30/)
        assert.doesNotMatch(fact.reason, /127\.0\.0\.1|secret-key|https?:/)
      })

      test(`the oracle answers ${name}: the list's, while it is young`, async () => {
        oracleSays(PAYER, answer)
        const fact = await screen(undefined, { now: YOUNG })
        assert.ok(fact.status === 'cached')
        assert.deepEqual(fact.value.hits, [])
        assert.equal(fact.observedAt, new Date(SANCTIONS_AS_OF.asOf).toISOString())
      })
    }

    test('a hit counts beside an answer that reverts', async () => {
      oracleSays(PAYER, { error: { code: 3, message: 'execution reverted', data: '0x' } })
      oracleSays(HOOK, c.uint(1))
      const fact = await screen()
      assert.ok(fact.status === 'fresh')
      assert.deepEqual(fact.value.hits, [HOOK])
    })

    test('a young list does not silence the oracle', async () => {
      oracleSays(HOOK, c.uint(1))
      const fact = await screen(undefined, { now: YOUNG })
      assert.ok(fact.status === 'fresh')
      assert.deepEqual(fact.value.hits, [HOOK])
    })

    test("a chain without an oracle has Ethereum's", async () => {
      for (const chainId of [999, 11155111, 31337]) {
        const fact = await screen(c.question({ ...swap, chainId }))
        assert.ok(fact.status === 'fresh')
        assert.deepEqual(fact.value.hits, [])
      }
      oracleSays(PAYER, c.uint(1))
      const fact = await screen(c.question({ ...swap, chainId: 999 }))
      assert.ok(fact.status === 'fresh')
      assert.deepEqual(fact.value.hits, [PAYER])
    })

    test("a chain with an oracle of its own does not have Ethereum's", async () => {
      const fact = await screen(c.question({ ...swap, chainId: 8453 }))
      assert.ok(fact.status === 'unavailable')
      assert.match(fact.reason, /No RPC is configured for chain 8453/)
    })

    const ages: readonly [string, () => Date, number, 'cached' | 'unavailable'][] = [
      ['its own day', daysAfter(0), 30, 'cached'],
      ['the last day of its limit', daysAfter(30), 30, 'cached'],
      ['a moment before it is too old', daysAfter(30.999), 30, 'cached'],
      ['the day after', daysAfter(31), 30, 'unavailable'],
      ['years later', daysAfter(1_000), 30, 'unavailable'],
      ['the day before its own', daysAfter(-1), 30, 'unavailable'],
      ['a limit of none', daysAfter(1), 0, 'unavailable'],
      ['a longer limit', daysAfter(90), 90, 'cached'],
    ]
    for (const [name, now, maxAgeDays, status] of ages) {
      test(`without any oracle, on ${name}: ${status}`, async () => {
        const fact = await screen(c.question({ ...swap, chainId: 999 }), { now, nodes: {}, maxAgeDays })
        assert.equal(fact.status, status)
      })
    }
  })

  describe('the age of the bundled list', () => {
    test('is a fault once it is over its limit, or before its day', () => {
      assert.equal(listFault(daysAfter(30.9)(), 30), null)
      assert.match(listFault(daysAfter(31)(), 30) ?? '', /is 31 days old, over its limit of 30\.$/)
      assert.match(listFault(daysAfter(-1)(), 30) ?? '', /future/)
    })
  })
})
