import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Result } from '../../src/lib/result.ts'
import { actionHashOf } from '../../src/policy/action-hash.ts'
import { decode } from '../../src/policy/decode.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import type { DecodedAction } from '../../src/policy/decoded-action.ts'
import { type Evaluation, evaluate, factsNeeded } from '../../src/policy/evaluate.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { addressesOf } from '../../src/policy/source.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import { CHECK_IDS } from '../../src/schema/check.ts'
import { Policy } from '../../src/schema/policy.ts'
import type { Review } from '../../src/schema/review.ts'
import { Verdict } from '../../src/schema/verdict.ts'
import {
  decoded,
  FRIEND,
  factsOf,
  OBSERVED_AT,
  permitAndSwap,
  STRANGER,
  SWAP_ROUTER_02,
  swap,
  transfer,
  UNIVERSAL_ROUTER,
  USDC,
  unavailable,
  WALLET,
  WETH,
} from '../support/actions.ts'
import { decideVector, timeless, verdictVectors } from '../support/verdict-vectors.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')
const APPROVED: Review = { decision: 'APPROVED', analysis: 'It is what we want.', by: 'a reviewer' }

type Given = Readonly<{ tx: EvmTx; policy?: object | null; facts?: Facts; review?: Review | null }>

function evaluationOf({ tx, policy = {}, facts, review = null }: Given): Evaluation {
  const result: Result<DecodedAction> = decode(tx, WALLET)
  return {
    protocol: tx.protocol,
    chainId: tx.chainId,
    wallet: WALLET,
    actionHash: actionHashOf(tx),
    decoded: result,
    policy: policy && { version: 3, policy: Policy.parse(policy) },
    facts: facts ?? (result.ok ? factsOf(result.value) : {}),
    review,
    at: AT,
    latencyMs: 5,
  }
}

const verdictOn = (given: Given) => evaluate(evaluationOf(given))

/** The ids of a verdict's checks, a check of several legs once. */
function idsOf({ checks }: Verdict) {
  return checks.map(({ checkId }) => checkId).filter((id, i, all) => id !== all[i - 1])
}

describe('golden verdicts', () => {
  for (const { name, expected, ...vector } of verdictVectors())
    it(name.replaceAll('-', ' '), () => assert.deepEqual(timeless(decideVector({ expected, ...vector })), expected))

  it('are of every outcome and of every reason that can be', () => {
    const reasons = new Set(
      verdictVectors().map(({ expected }) => Verdict.shape.reasonCode.parse((expected as Verdict).reasonCode)),
    )
    const all = new Set(Verdict.shape.reasonCode.options)
    // An order's price bound is the matter of its venue's own tests.
    const elsewhere = ['no_execution_price_bound']
    assert.deepEqual(
      [...all].filter((reason) => !reasons.has(reason) && !elsewhere.includes(reason)),
      [],
    )
  })
})

/** Ways to break one rule each, on a swap to somebody; what each makes of the policy, the facts or the bytes. */
const VIOLATIONS = {
  venue: { policy: { venues: { allow: ['weth'] } }, code: 'venue_not_allowed' },
  chain: { policy: { chains: { allow: [10] } }, code: 'chain_not_allowed' },
  contract_selector: { policy: { contracts: { allow: [] } }, code: 'contract_or_selector_not_allowed' },
  asset: { policy: { assets: { allow: [] } }, code: 'asset_not_in_universe' },
  recipient: { swap: { to: STRANGER }, code: 'recipient_not_allowed' },
  side: { policy: { sides: { allow: ['sell'] } }, code: 'side_not_allowed' },
  slippage_guard: { swap: { minOut: 0n }, code: 'no_slippage_guard' },
  sanctions: { sanctioned: true, code: 'sanctioned_address' },
  sink_recipient: { policy: { sinks: { deny: [WALLET, STRANGER] } }, code: 'sink_recipient' },
  per_tx_cap: { policy: { caps: { perTxUsd: 99 } }, code: 'per_tx_cap_exceeded' },
  outflow_24h: { policy: { caps: { outflow24hUsd: 99 } }, code: 'outflow_24h_exceeded' },
} as const

type Broken = keyof typeof VIOLATIONS
const BROKEN = Object.keys(VIOLATIONS) as Broken[]

function broken(rules: readonly Broken[], missing: readonly ('sanctions' | 'prices')[] = []): Given {
  let policy: Record<string, object> = {}
  let change = {}
  for (const rule of rules) {
    const violation = VIOLATIONS[rule]
    if ('policy' in violation) policy = { ...policy, caps: { ...policy['caps'] }, ...merged(policy, violation.policy) }
    if ('swap' in violation) change = { ...change, ...violation.swap }
  }
  const tx = swap(change)
  const action = decoded(tx)
  const hits = rules.includes('sanctions') ? [WALLET] : []
  const sanctions = { ...factsOf(action).sanctions, value: { screened: addressesOf(action), hits } } as const
  const gone = Object.fromEntries(missing.map((name) => [name, unavailable(name)]))
  return { tx, policy, facts: { ...factsOf(action), sanctions, ...gone } }
}

function merged(before: Record<string, object>, more: object): Record<string, object> {
  return Object.fromEntries(
    Object.entries(more).map(([key, value]: [string, object]) => [key, { ...before[key], ...value }]),
  )
}

describe('the reason of a verdict', () => {
  for (const rule of BROKEN)
    it(`is ${VIOLATIONS[rule].code} where that rule alone is broken`, () => {
      const { outcome, reasonCode, checks } = verdictOn(broken([rule]))
      assert.deepEqual([outcome, reasonCode], ['rejected', VIOLATIONS[rule].code])
      assert.deepEqual(
        checks.filter(({ status }) => status === 'failed').map(({ checkId }) => checkId),
        [rule],
      )
    })

  it('is the first violation in the order of the checks, and every other one is reported', () => {
    const property = fc.property(fc.subarray(BROKEN, { minLength: 1 }), (rules) => {
      const verdict = verdictOn(broken(rules))
      const first = verdict.checks.find(({ status }) => status === 'failed')
      const inOrder = CHECK_IDS.filter((id) => rules.some((rule) => rule === id))
      assert.equal(first?.checkId, inOrder[0])
      assert.deepEqual(
        [verdict.reasonCode, verdict.humanReason, verdict.triggeringPolicyField],
        [first?.code, first?.humanReason, first?.triggeringPolicyField],
      )
      const failed = verdict.checks.filter(({ status }) => status === 'failed').map(({ checkId }) => checkId)
      assert.deepEqual(failed, inOrder)
    })
    fc.assert(property, { seed: 1, numRuns: 300 })
  })

  it('is never missing data where any check failed with a violation', () => {
    const certain = BROKEN.filter((rule) => !['sanctions', 'per_tx_cap', 'outflow_24h'].includes(rule))
    const missing = fc.constantFrom(['sanctions'] as const, ['sanctions', 'prices'] as const)
    const property = fc.property(fc.subarray(certain, { minLength: 1 }), missing, (rules, gone) => {
      const { reasonCode, checks } = verdictOn(broken(rules, gone))
      const first = CHECK_IDS.find((id) => rules.some((rule) => rule === id))
      assert.equal(reasonCode, VIOLATIONS[first as Broken].code)
      assert.ok(checks.some(({ code }) => code === 'data_unavailable'))
    })
    fc.assert(property, { seed: 1, numRuns: 200 })
  })

  it('is the first missing data where that is all, in the order of the checks', () => {
    const capped = { caps: { perTxUsd: 500, outflow24hUsd: 500 } }
    const { tx, facts } = broken([], ['sanctions', 'prices'])
    const both = verdictOn({ tx, policy: capped, ...(facts && { facts }) })
    assert.deepEqual([both.outcome, both.reasonCode], ['rejected', 'data_unavailable'])
    assert.match(both.humanReason, /minimum output could not be compared/)
    const failed = both.checks.filter(({ status }) => status === 'failed')
    assert.deepEqual(
      failed.map(({ checkId, code }) => [checkId, code]),
      ['slippage_guard', 'sanctions', 'per_tx_cap', 'outflow_24h'].map((id) => [id, 'data_unavailable']),
    )
  })

  it('is an unknown token before missing data, and after a violation', () => {
    const unknown = '0x00000000000000000000000000000000000000aa'
    const tx = transfer(unknown, FRIEND, 1n)
    const facts = { ...factsOf(decoded(tx)), sanctions: unavailable('sanctions') }
    const friends = { recipients: { allow: [FRIEND] } }
    assert.equal(verdictOn({ tx, facts, policy: friends }).reasonCode, 'asset_identity_unresolved')
    assert.equal(verdictOn({ tx, facts, policy: {} }).reasonCode, 'recipient_not_allowed')
  })

  it('is an unknown token too where the answer leaves it out', () => {
    const tx = swap()
    const facts = factsOf(decoded(tx))
    const tokens = { status: 'fresh', source: 'token-identity', observedAt: OBSERVED_AT, value: {} } as const
    const prices = {
      status: 'fresh',
      source: 'usd-price',
      observedAt: OBSERVED_AT,
      value: { [USDC]: null, [WETH]: null },
    } as const
    assert.equal(verdictOn({ tx, facts: { ...facts, tokens, prices } }).reasonCode, 'asset_identity_unresolved')
  })

  it('is missing data for a wallet without a policy, and for no facts at all', () => {
    assert.deepEqual(
      [verdictOn({ tx: swap(), policy: null }).reasonCode, verdictOn({ tx: swap(), facts: {} }).reasonCode],
      ['data_unavailable', 'data_unavailable'],
    )
    assert.equal(verdictOn({ tx: swap(), policy: null }).policyVersion, null)
  })

  it('is never an approval while any fact that is always needed is missing', () => {
    const names = ['tokens', 'prices', 'sanctions'] as const
    const property = fc.property(fc.subarray([...names], { minLength: 1 }), fc.boolean(), (gone, silent) => {
      const facts = factsOf(decoded(swap()))
      const left = Object.fromEntries(Object.entries(facts).filter(([name]) => !gone.some((one) => one === name)))
      const down = Object.fromEntries(gone.map((name) => [name, unavailable(name)]))
      const { outcome, reasonCode } = verdictOn({ tx: swap(), facts: silent ? left : { ...facts, ...down } })
      assert.deepEqual([outcome, reasonCode], ['rejected', 'data_unavailable'])
    })
    fc.assert(property, { seed: 1, numRuns: 50 })
  })
})

describe('a verdict', () => {
  it('reports all 15 checks in their order, each leg of a check in its place', () => {
    const given: readonly Given[] = [
      { tx: swap() },
      { tx: permitAndSwap(UNIVERSAL_ROUTER, { minOut: 331n * 10n ** 14n }) },
      { tx: permitAndSwap(STRANGER, { to: STRANGER }) },
      { tx: swap(), policy: null },
      { tx: { ...swap(), data: '0x12345678' } },
    ]
    for (const one of given) assert.deepEqual(idsOf(verdictOn(one)), CHECK_IDS)
    const two = verdictOn({ tx: permitAndSwap(UNIVERSAL_ROUTER) }).checks.filter(
      ({ checkId }) => checkId === 'recipient',
    )
    assert.deepEqual(
      two.map(({ legIndex }) => legIndex),
      [0, 1],
    )
  })

  it('on bytes that are not understood says why, and no check ran', () => {
    const verdict = verdictOn({ tx: { ...swap(), to: SWAP_ROUTER_02, data: '0xdeadbeef' } })
    assert.deepEqual([verdict.outcome, verdict.reasonCode, verdict.usdNotional], ['rejected', 'decode_failure', null])
    assert.ok(verdict.checks.every(({ status, code }) => status === 'not_checked' && code === null))
    assert.deepEqual(verdict.evidence.decodedAction, { protocol: 'uniswap', chainId: 1 })
  })

  it('says what it rests on: bytes, legs, facts, policy version', () => {
    const tx = permitAndSwap(UNIVERSAL_ROUTER, { minOut: 331n * 10n ** 14n })
    const { evidence, policyVersion, usdNotional, timestamp, latencyMs } = verdictOn({ tx })
    assert.deepEqual([policyVersion, usdNotional, timestamp, latencyMs], [3, 100, AT.toISOString(), 5])
    assert.deepEqual([evidence.observations['actionHash'], evidence.observations['wallet']], [actionHashOf(tx), WALLET])
    assert.deepEqual(
      evidence.decodedActions?.map(({ protocol, kind }) => [protocol, kind]),
      [
        ['permit2', 'approve'],
        ['uniswap', 'swap'],
      ],
    )
    assert.deepEqual(
      evidence.sources.map(({ source, status }) => [source, status]),
      ['token-identity', 'usd-price', 'sanctions', 'ledger', 'positions'].map((source) => [source, 'fresh']),
    )
  })

  it('names bytes behind the calldata', () => {
    const deposit = { protocol: 'weth', chainId: 1, to: WETH, data: '0xd0e30db0c0ffee', value: '0x1' } as const
    assert.equal(verdictOn({ tx: deposit }).evidence.observations['trailingBytes'], 3)
    assert.ok(!('trailingBytes' in verdictOn({ tx: swap() }).evidence.observations))
  })

  it('is trusted less the more of its facts were cached or missing', () => {
    const facts = factsOf(decoded(swap()))
    const trust = (change: object) => {
      const { dataFreshness, trust: given } = verdictOn({ tx: swap(), facts: { ...facts, ...change } })
      return [dataFreshness.overall, given.level]
    }
    const cached = Object.fromEntries(
      Object.entries(facts).map(([name, fact]) => [name, { ...fact, status: 'cached' }]),
    )
    assert.deepEqual(trust({}), ['fresh', 'high'])
    assert.deepEqual(trust({ prices: cached['prices'] }), ['mixed', 'medium'])
    assert.deepEqual(trust(cached), ['cached', 'medium'])
    assert.deepEqual(trust({ prices: unavailable('usd-price') }), ['mixed', 'low'])
  })

  it('is the same for the same, and leaves what it was given as it was', () => {
    for (const { expected: _, name: __, ...vector } of verdictVectors()) {
      const given = deepFreeze({ ...vector, expected: null, name: '' })
      assert.deepEqual(decideVector(given), decideVector(given))
    }
  })

  it('can be decided again from what is stored of it, and is the same', () => {
    for (const vector of verdictVectors()) {
      const stored = Verdict.parse(JSON.parse(JSON.stringify(decideVector(vector))))
      const { observations } = stored.evidence
      assert.ok(vector.policy === null || stored.policyVersion !== null)
      const again = evaluate({
        protocol: vector.proposedTx.protocol,
        chainId: vector.proposedTx.chainId,
        wallet: vector.wallet,
        actionHash: actionHashOf(vector.proposedTx),
        decoded: decodeProposed(vector.proposedTx, vector.wallet),
        policy: vector.policy && { version: stored.policyVersion ?? 0, policy: vector.policy },
        facts: observations['facts'] as Facts,
        review: null,
        at: new Date(stored.timestamp),
        latencyMs: stored.latencyMs,
      })
      assert.deepEqual(again, stored, vector.name)
    }
  })
})

describe('a review by a person', () => {
  const review = { review: { aboveUsd: 99.99 } }

  it('holds what is above its limit, until it was given', () => {
    const { outcome, reasonCode, triggeringPolicyField, humanReason } = verdictOn({ tx: swap(), policy: review })
    assert.deepEqual([outcome, reasonCode, triggeringPolicyField], ['pending', 'pending', 'review.aboveUsd'])
    assert.match(humanReason, /\$99\.99/)
    assert.equal(verdictOn({ tx: swap(), policy: review, review: APPROVED }).outcome, 'approved')
    assert.equal(verdictOn({ tx: swap(), policy: { review: { aboveUsd: 100 } } }).outcome, 'approved')
  })

  it('holds what has no known price', () => {
    const prices = {
      status: 'fresh',
      source: 'usd-price',
      observedAt: OBSERVED_AT,
      value: { [USDC]: null, [WETH]: null },
    } as const
    const facts = { ...factsOf(decoded(swap())), prices }
    assert.equal(verdictOn({ tx: swap(), policy: { review: { aboveUsd: 1e12 } }, facts }).outcome, 'pending')
  })

  it('never saves what is rejected', () => {
    for (const given of [APPROVED, null]) {
      const verdict = verdictOn({ tx: swap({ to: STRANGER }), policy: review, review: given })
      assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'recipient_not_allowed'])
    }
  })
})

describe('the facts that a verdict needs', () => {
  it('are those of the checks that apply, each once', () => {
    const needed = (tx: EvmTx, policy: object) =>
      [...factsNeeded({ action: decoded(tx), policy: Policy.parse(policy) })].sort()
    assert.deepEqual(needed(swap(), {}), ['prices', 'sanctions', 'tokens'])
    assert.deepEqual(needed(swap(), { caps: { outflow24hUsd: 1 } }), ['outflow24h', 'prices', 'sanctions', 'tokens'])
  })
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
