// Every source of facts against every way in which a node fails: nothing is approved that needs it, the verdict comes
// in time, and once the fault is over the next submission is decided as if it had never been.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeFunctionData, parseAbi } from 'viem'
import { type Chains, createChains } from '../../src/chain/index.ts'
import type { Address } from '../../src/lib/address.ts'
import { type AnySource, positions, sanctions, tokenIdentity, usdPrice } from '../../src/policy/index.ts'
import { addressesOf } from '../../src/policy/source.ts'
import { reservesOf, sanctionsOracle, usdFeed } from '../../src/registry/index.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { decoded, FRIEND, transfer, USDC, WALLET } from '../support/actions.ts'
import { startService } from '../support/app.ts'
import { type FaultyFront, type NodeFault, startFaultyFront } from '../support/faulty-front.ts'
import { AAVE_POOL } from '../support/lending.ts'
import { decide } from './operations/service.ts'
import * as c from './sources/contracts.ts'

const abi = parseAbi([
  'function borrow(address asset, uint256 amount, uint256 mode, uint16 referral, address onBehalfOf)',
  'function getUserAccountData(address)',
  'function balanceOf(address)',
])
/** When the blocks of the stand-in are from: facts are looked at from there. */
const NOW = new Date(0x68000000 * 1000)
const SECONDS = NOW.getTime() / 1000
const ORACLE = must(sanctionsOracle(1))
const USDC_FEED = must(usdFeed(1, USDC)).feed
const ACCOUNT_DATA = encodeFunctionData({ abi, functionName: 'getUserAccountData', args: [WALLET] })
const BORROW: EvmTx = {
  protocol: 'aave',
  chainId: 1,
  to: AAVE_POOL,
  data: encodeFunctionData({ abi, functionName: 'borrow', args: [USDC, 1_000_000n, 2n, 0, WALLET] }),
  value: '0x0',
}

function must<value>(found: value | undefined): value {
  assert.ok(found !== undefined)
  return found
}

/** A source, an action that cannot be approved without it, and what its own contracts can answer amiss. */
type Tried = Readonly<{
  name: string
  tx: EvmTx
  policy: Policy
  told: Address
  data: string
  amiss: readonly [string, c.Answer][]
}>

const OTHER_TYPES: readonly [string, c.Answer][] = [
  ['a number for bytes', { result: 5 }],
  ['NaN', { result: 'NaN' }],
  ['null', { result: null }],
  ['an object', { result: { answer: '0x1' } }],
  ['half a byte', { result: '0x1' }],
  ['a word too few', '0x'],
  ['a revert', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
]

const SOURCES: readonly Tried[] = [
  {
    name: 'prices',
    tx: transfer(USDC, FRIEND, 1_000_000n),
    policy: { recipients: { allow: [FRIEND] }, caps: { perTxUsd: 5 } },
    told: USDC_FEED,
    data: c.LATEST_ROUND_DATA,
    amiss: [
      ...OTHER_TYPES,
      ['a price of zero', c.round(0n, SECONDS)],
      ['a negative price', c.round(-1n, SECONDS)],
      ['a stale price', c.round(1_00000000n, SECONDS - 30 * 3600)],
      ['a price of tomorrow', c.round(1_00000000n, SECONDS + 86_400)],
    ],
  },
  {
    name: 'token identities',
    tx: transfer(c.OBSCURE, FRIEND, 1n),
    policy: { recipients: { allow: [FRIEND] } },
    told: c.OBSCURE,
    data: c.DECIMALS,
    amiss: [...OTHER_TYPES, ['decimals beyond any', c.uint(77)], ['negative decimals', c.uint(-1)]],
  },
  {
    name: 'sanctions',
    tx: transfer(USDC, FRIEND, 1_000_000n),
    policy: { recipients: { allow: [FRIEND] } },
    told: ORACLE,
    data: `${c.IS_SANCTIONED}${FRIEND.slice(2).padStart(64, '0')}`,
    amiss: [...OTHER_TYPES, ['a bool of 2', c.uint(2)]],
  },
  {
    name: 'positions',
    tx: BORROW,
    policy: { leverage: { maxPortfolio: 3 } },
    told: AAVE_POOL,
    data: ACCOUNT_DATA,
    amiss: [...OTHER_TYPES, ['five words for six', `0x${'00'.repeat(160)}`]],
  },
]

const NODE_FAULTS: readonly NodeFault[] = [
  'refused',
  'silent',
  'slow',
  'reset',
  'status 500',
  'bad JSON',
  'other chain',
]

let stand: c.ContractsStandIn

describe('sources that fail', () => {
  before(async () => {
    stand = await c.startContracts()
    stand.answer(USDC_FEED, c.DECIMALS, c.uint(8))
    stand.answer(USDC_FEED, c.DESCRIPTION, c.text('USDC / USD'))
    stand.answer(c.OBSCURE, c.SYMBOL, c.text('RARE'))
    for (const { aToken, variableDebtToken } of reservesOf(1, AAVE_POOL))
      for (const token of [aToken, variableDebtToken])
        stand.answer(token, encodeFunctionData({ abi, functionName: 'balanceOf', args: [WALLET] }), c.uint(0))
    for (const { tx } of SOURCES)
      for (const address of addressesOf(decoded(tx)))
        stand.answer(ORACLE, `${c.IS_SANCTIONED}${address.slice(2).padStart(64, '0')}`, c.uint(0))
    for (const { told, data } of SOURCES) stand.answer(told, data, healthyAnswer(told))
  })
  after(() => stand.node.stop())

  function healthyAnswer(told: Address): c.Answer {
    if (told === USDC_FEED) return c.round(1_00000000n, SECONDS)
    if (told === c.OBSCURE) return c.uint(18)
    if (told === ORACLE) return c.uint(0)
    return `0x${[100_00000000n, 0n, 0n, 0n, 0n, 0n].map((word) => c.uint(word).slice(2)).join('')}`
  }

  /**
   * All sources on a healthy node but the one that is tried, with the product's own limits unless told otherwise. The
   * bundled list of sanctions is never believed here: an oracle that does not answer clears nobody.
   */
  function sourcesOn(
    tried: Tried,
    url: string,
    limits: Readonly<{ timeoutMs?: number }>,
    now = () => NOW,
  ): readonly AnySource[] {
    const on = (at: string, of = {}): Chains => createChains([{ id: 1, name: 'Ethereum', rpcUrl: at }], of)
    const [healthy, faulty] = [on(stand.node.url), on(url, limits)]
    const of = (name: string) => (name === tried.name ? faulty : healthy)
    const prices = usdPrice({ chains: of('prices'), now })
    return [
      prices,
      tokenIdentity({ chains: of('token identities'), now }),
      sanctions({ chains: of('sanctions'), now, maxAgeDays: 0 }),
      positions({ chains: of('positions'), now, prices: usdPrice({ chains: healthy, now }) }),
    ]
  }

  type Trial = Readonly<{ limits?: Readonly<{ timeoutMs?: number }>; now?: () => Date }>

  /** A submission while the fault holds, and one after it. */
  async function tryOut(
    tried: Tried,
    fault: (front: FaultyFront) => Promise<void>,
    mend: (front: FaultyFront) => Promise<void>,
    { limits = { timeoutMs: 3_000 }, now = () => NOW }: Trial = {},
  ) {
    const front = await startFaultyFront(stand.node.url)
    const service = await startService({ sources: sourcesOn(tried, front.url, limits, now) })
    try {
      const principal = await service.agentOf(WALLET, [1], tried.policy)
      const request = { escrowAddress: WALLET, prompt: 'Go on.', proposedTx: tried.tx }
      const timed = async () => {
        const started = performance.now()
        const { verdict } = await decide(service.policy, principal, request)
        return { verdict, ms: Math.round(performance.now() - started) }
      }
      await fault(front)
      const during = await timed()
      await mend(front)
      // A busy machine may need a second try; a source that stays down after its fault would need more than that.
      const first = await timed()
      return { during, afterwards: first.verdict.outcome === 'approved' ? first : await timed() }
    } finally {
      await service.close()
      await front.stop()
    }
  }

  type Tryout = Awaited<ReturnType<typeof tryOut>>

  function check({ during, afterwards }: Tryout, codes: readonly string[] = ['data_unavailable']): void {
    const { verdict } = during
    assert.equal(verdict.outcome, 'rejected', verdict.humanReason)
    assert.ok(codes.includes(verdict.reasonCode), `${verdict.reasonCode}: ${verdict.humanReason}`)
    assert.doesNotMatch(JSON.stringify(verdict), /127\.0\.0\.1|secret-key|node\.example/)
    assert.equal(afterwards.verdict.outcome, 'approved', afterwards.verdict.humanReason)
  }

  for (const tried of SOURCES) {
    describe(`${tried.name}, of a node that fails`, { concurrency: true }, () => {
      for (const fault of NODE_FAULTS)
        test(fault, async () => {
          check(
            await tryOut(
              tried,
              (front) => front.fail(fault),
              (front) => front.fail('none'),
            ),
          )
        })
    })

    describe(`${tried.name}, of a contract that answers`, () => {
      for (const [name, answer] of tried.amiss)
        test(name, async () => {
          const tell = async (what: c.Answer) => stand.answer(tried.told, tried.data, what)
          // A token that does not say who it is, is nobody.
          const codes =
            tried.name === 'token identities' ? ['data_unavailable', 'asset_identity_unresolved'] : undefined
          try {
            const tryout = await tryOut(
              tried,
              () => tell(answer),
              () => tell(healthyAnswer(tried.told)),
            )
            check(tryout, codes)
          } finally {
            await tell(healthyAnswer(tried.told))
          }
        })
    })
  }

  describe('in the product’s own time limits', { concurrency: true }, () => {
    for (const tried of SOURCES)
      for (const fault of ['silent', 'slow'] as const)
        test(`${tried.name} on a node that is ${fault}: a verdict all the same`, async (t) => {
          const tryout = await tryOut(
            tried,
            (front) => front.fail(fault),
            (front) => front.fail('none'),
            { limits: {} },
          )
          check(tryout)
          t.diagnostic(`verdict after ${tryout.during.ms} ms, recovered in ${tryout.afterwards.ms} ms`)
        })
  })

  describe('facts of the past', () => {
    test('positions of a node that is a quarter of an hour behind', async () => {
      const tried = must(SOURCES.find(({ name }) => name === 'positions'))
      let at = NOW.getTime() + 901_000
      const now = () => new Date(at)
      const tryout = await tryOut(
        tried,
        async () => undefined,
        async () => void (at = NOW.getTime()),
        { now },
      )
      check(tryout)
      assert.match(tryout.during.verdict.humanReason, /s behind/)
    })
  })

  describe('a fact that no check needs', () => {
    test('is not waited for: positions are down, and a transfer is approved', async () => {
      const front = await startFaultyFront(stand.node.url)
      await front.fail('refused')
      const tried = must(SOURCES.find(({ name }) => name === 'positions'))
      const service = await startService({ sources: sourcesOn(tried, front.url, {}) })
      const principal = await service.agentOf(WALLET, [1], { recipients: { allow: [FRIEND] } })
      const request = { escrowAddress: WALLET, prompt: 'Pay.', proposedTx: transfer(USDC, FRIEND, 1n) }
      const { verdict } = await decide(service.policy, principal, request)
      assert.equal(verdict.outcome, 'approved', verdict.humanReason)
      await service.close()
      await front.stop()
    })
  })
})
