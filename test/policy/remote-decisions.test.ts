// A policy service that lies, is slow, breaks off or dies: nothing is approved here but what its receipt proves.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createAttestor } from '../../src/policy/attestor.ts'
import {
  createPolicyService,
  createRemoteDecisions,
  type DecisionPort,
  type Principal,
} from '../../src/policy/index.ts'
import type { SubmitRequest } from '../../src/schema/action.ts'
import type { SignedReceipt } from '../../src/schema/receipt.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { decoded, STRANGER, swap, WALLET } from '../support/actions.ts'
import { startApp } from '../support/app.ts'
import { attestor } from '../support/attestor.ts'
import { type Answered, type Asked, type Lie, type LyingService, startLyingService } from '../support/lying-service.ts'
import { CHAIN_ID, POLICY, requestOf, sourcesFor } from './operations/service.ts'

type Receipt = SignedReceipt['receipt']
type Envelope = Readonly<{ verdict: Verdict | null; reviewer: readonly unknown[] }>
type Record = Readonly<{ id: string; requestHash: string }>

const PATIENT = { firstMs: 1, longestMs: 20, attempts: 500 }
const BRIEF = { firstMs: 1, longestMs: 4, attempts: 5 }
const TOO_LATE = new Date(Date.now() - 1_000).toISOString()
const NEXT_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString()
const NO_SUCH: Hex = `0x${'0'.repeat(64)}`

const isSubmission = ({ method, path }: Asked) => method === 'POST' && path === '/transactions'
const isStatus = ({ path }: Asked) => path.endsWith('/approval-status')
const isReceipt = ({ path }: Asked) => path.endsWith('/receipt')

/** A lie about the answers to one kind of question. */
const about =
  (
    which: (asked: Asked) => boolean,
    change: (answer: Answered) => ReturnType<Lie> extends Promise<infer T> ? T : never,
  ): Lie =>
  async (asked, pass) =>
    which(asked) ? change(await pass()) : undefined

const resigned = (change: Partial<Receipt>, by = attestor): Lie =>
  about(isReceipt, ({ status, json }) => {
    const { receipt, ...rest } = json as SignedReceipt
    return { status, json: { ...rest, ...by.sign({ ...receipt, ...change }) } }
  })
const reworded = (change: (verdict: Verdict) => unknown): Lie =>
  about(isStatus, ({ status, json }) => {
    const { verdict, reviewer } = json as Envelope
    return { status, json: { verdict: verdict && change(verdict), reviewer } }
  })
const instead =
  (which: (asked: Asked) => boolean, answer: Exclude<Awaited<ReturnType<Lie>>, undefined>): Lie =>
  async (asked) =>
    which(asked) ? answer : undefined

/** What is told, and what is said of it. */
const LIES: readonly (readonly [name: string, lie: Lie, said: RegExp])[] = [
  [
    'a requestHash of other bytes',
    about(isSubmission, ({ status, json }) => ({ status, json: { ...(json as Record), requestHash: NO_SUCH } })),
    /other bytes/,
  ],
  [
    'an id that is not in the hash',
    about(isSubmission, ({ status, json }) => ({ status, json: { ...(json as Record), id: 'another' } })),
    /other bytes/,
  ],
  [
    'no requestHash',
    about(isSubmission, ({ status, json }) => ({ status, json: { ...(json as Record), requestHash: '' } })),
    /malformed/,
  ],
  ['a record that is none', instead(isSubmission, { status: 201, json: ['approved'] }), /malformed/],
  [
    'JSON that is cut off',
    instead(isStatus, { status: 200, text: '{"verdict":{"outcome":"approved"' }),
    /no JSON.*stays paused/,
  ],
  ['no JSON at all', instead(isStatus, { status: 200, text: '<html>ok</html>' }), /no JSON.*stays paused/],
  [
    'a redirect',
    instead(isStatus, { status: 302, text: '', headers: { location: 'http://127.0.0.1:1/approved' } }),
    /redirect.*stays paused/,
  ],
  [
    'an answer without end',
    instead(isStatus, { status: 200, text: `"${'a'.repeat(3_000_000)}"` }),
    /too much.*stays paused/,
  ],
  ['errors for ever', instead(isStatus, { status: 503, json: {} }), /status 503.*stays paused/],
  ['limits for ever', instead(isStatus, { status: 429, json: {} }), /no more requests.*stays paused/],
  ['silence', instead(isStatus, 'silence'), /in time.*stays paused/],
  ['a connection that breaks', instead(isStatus, 'drop'), /broke the connection.*stays paused/],
  [
    'never a verdict',
    instead(isStatus, { status: 200, json: { verdict: null, reviewer: [] } }),
    /has not decided in time/,
  ],
  ['no verdict at all', instead(isStatus, { status: 200, json: {} }), /has not decided in time/],
  ['an unknown outcome', reworded((verdict) => ({ ...verdict, outcome: 'fine' })), /malformed/],
  ['approved for a reason that is none', reworded((verdict) => ({ ...verdict, reasonCode: 'pending' })), /malformed/],
  [
    'approved with a failed check',
    reworded(({ checks: [first, ...rest], ...verdict }) => ({
      ...verdict,
      checks: [{ ...first, status: 'failed' }, ...rest],
    })),
    /malformed/,
  ],
  ['a verdict with a member too many', reworded((verdict) => ({ ...verdict, approved: true })), /malformed/],
  [
    'a verdict that was touched up',
    reworded((verdict) => ({ ...verdict, usdNotional: 1 })),
    /receipt is not of the stored verdict/,
  ],
  [
    'a receipt that is unsigned',
    about(isReceipt, ({ status, json }) => ({
      status,
      json: { ...(json as SignedReceipt), signature: `0x${'0'.repeat(128)}` },
    })),
    /signature of the receipt does not hold/,
  ],
  [
    'a receipt without a signature',
    about(isReceipt, ({ status, json }) => ({ status, json: { receipt: (json as SignedReceipt).receipt } })),
    /malformed/,
  ],
  ['a receipt of another key', resigned({}, createAttestor(`0x${'99'.repeat(32)}`)), /signed by another key/],
  ['a receipt of another wallet', resigned({ wallet: STRANGER }), /not of the stored verdict/],
  ['a receipt of another chain', resigned({ chainId: 10 }), /not of the stored verdict/],
  ['a receipt of other bytes', resigned({ actionHash: NO_SUCH }), /not of the stored verdict/],
  ['a receipt of another request', resigned({ requestHash: NO_SUCH }), /not of the stored verdict/],
  [
    'a receipt of a rejection',
    resigned({ outcome: 'rejected', reasonCode: 'per_tx_cap_exceeded', expiresAt: null }),
    /receipt is of no approval/,
  ],
  ['a receipt that has run out', resigned({ expiresAt: TOO_LATE }), /expired/],
  ['a receipt for a week', resigned({ expiresAt: NEXT_WEEK }), /more than a day/],
  ['no receipt', instead(isReceipt, { status: 404, json: { error: 'not_found', detail: 'none' } }), /none/],
  [
    'a key that is not known',
    instead(isSubmission, { status: 401, json: { error: 'unauthenticated', detail: 'no' } }),
    /SERVICE_API_KEY/,
  ],
  [
    'a refusal in words without end',
    instead(isSubmission, { status: 403, json: { error: 'wallet_not_registered', detail: 'x'.repeat(5_000) } }),
    /^The policy service refused \(403\): x{300}$/,
  ],
]

describe('decisions of a service in another process', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  let front: LyingService
  let storage: Storage
  let principal: Principal
  let decisions: DecisionPort
  /** One that waits for no answer long. */
  let hasty: DecisionPort
  /** One that asks a few times. */
  let brief: DecisionPort

  before(async () => {
    app = await startApp({ sources: sourcesFor(decoded(swap())) })
    const apiKey = await app.keyOf(WALLET, [CHAIN_ID])
    await app.policy.writePolicy(WALLET, { ...POLICY, caps: { perTxUsd: 500 } }, 'test')
    front = await startLyingService(app.url)
    storage = await openStorage({ url: undefined })
    const agent = await storage.stores.agents.create({ name: 'harness', ethereumAddress: WALLET })
    await storage.stores.wallets.register({ address: WALLET, chainIds: [CHAIN_ID], agentId: agent.id })
    principal = { id: 'harness', agentId: agent.id, scopes: ['verdicts:create:own', 'transactions:read:own'] }
    const local = createPolicyService({
      storage,
      sources: [],
      log: silentLog,
      attestor: createAttestor(`0x${'11'.repeat(32)}`),
      approvalTtlSeconds: 120,
    })
    const over = (timeoutMs: number, limits = BRIEF) => {
      const client = createClient({ baseUrl: front.url, apiKey, timeoutMs })
      const { publicKey } = attestor
      return createRemoteDecisions({
        client,
        storage,
        local,
        wallet: WALLET,
        publicKey,
        log: silentLog,
        limits,
      })
    }
    decisions = over(20_000, PATIENT)
    brief = over(20_000)
    hasty = over(100)
  })
  after(async () => {
    await front?.stop()
    await storage?.close()
    await app?.close()
  })

  /** Submits, and waits for the decision; what was told on the way. */
  async function decide(request: SubmitRequest = requestOf(), by = decisions) {
    const told: string[] = []
    const { record, decided } = await by.submit(principal, request, (text) => told.push(text))
    return { record, told, ...(await decided) }
  }
  const here = async () => ({
    verdicts: (await storage.stores.verdicts.recorded({ after: 0, limit: 1_000 })).length,
    holds: await storage.stores.holds.inForce(),
  })
  const there = async () =>
    (await app.policy.listSubmissions({ ...principal, agentId: await owner() }, { limit: 100 })).items
  const owner = async () => (await app.storage.stores.wallets.ownerOf(WALLET, CHAIN_ID)) ?? assert.fail()

  it('an approval is kept here with its receipt, its hold and the bytes, and is the only one', async () => {
    front.tell(undefined)
    const before = await here()
    const { record, approval, verdict, told } = await decide()
    assert.equal(verdict.outcome, 'approved')
    assert.deepEqual(
      [approval?.requestHash, approval?.wallet, approval?.tx],
      [record.requestHash, WALLET, requestOf().proposedTx],
    )
    const stored = await storage.stores.verdicts.byRequestHash(record.requestHash as Hex)
    assert.equal(stored?.receipt?.publicKey, attestor.publicKey)
    assert.equal((await storage.stores.transactions.byRequestHash(record.requestHash as Hex))?.status, 'APPROVED')
    const after = await here()
    assert.deepEqual([after.verdicts - before.verdicts, after.holds.count - before.holds.count], [1, 1])
    assert.deepEqual(told, [])
    const sent = JSON.parse(front.asked.find(isSubmission)?.body ?? '') as object
    assert.deepEqual(sent, { ...requestOf(), arbiter: 'policy' })
  })

  it('a rejection is one, and is kept', async () => {
    front.tell(undefined)
    const { verdict, approval } = await decide(requestOf(swap({ amountIn: 900_000_000n })))
    assert.deepEqual([verdict.outcome, approval], ['rejected', undefined])
    const past = await decisions.pastVerdict(principal)
    assert.deepEqual(past.verdict, verdict)
  })

  for (const [name, lie, said] of LIES)
    it(`${name}: no approval`, async () => {
      front.tell(lie)
      const before = await here()
      const endless = /paused|in time/.test(said.source) ? brief : decisions
      await assert.rejects(decide(requestOf(), name === 'silence' ? hasty : endless), (thrown: unknown) => {
        assert.ok(thrown instanceof CountersignError, String(thrown))
        assert.match(thrown.message, said)
        return true
      })
      assert.deepEqual(await here(), before)
    })

  it('a rejection that is called an approval: no approval, for its receipt is of a rejection', async () => {
    front.tell(
      reworded((verdict) => ({
        ...verdict,
        outcome: 'approved',
        reasonCode: 'allowed',
        checks: verdict.checks.map((one) => ({ ...one, status: 'passed', code: null })),
      })),
    )
    const before = await here()
    await assert.rejects(decide(requestOf(swap({ amountIn: 900_000_000n }))), /receipt is of no approval/)
    assert.deepEqual(await here(), before)
  })

  it('bytes that are read there as something else: no approval, even with a receipt for that', async () => {
    let touched: Verdict | undefined
    front.tell(async (asked, pass) => {
      if (isStatus(asked)) {
        const { status, json } = await pass()
        const { verdict, reviewer } = json as Envelope
        const [leg, ...legs] = verdict?.evidence.decodedActions ?? []
        if (!verdict || !leg) return { status, json }
        touched = { ...verdict, evidence: { ...verdict.evidence, decodedActions: [{ ...leg, spends: [] }, ...legs] } }
        return { status, json: { verdict: touched, reviewer } }
      }
      if (!isReceipt(asked) || !touched) return undefined
      const { status, json } = await pass()
      const { receiptOf } = await import('../../src/policy/receipt.ts')
      const { receipt } = json as SignedReceipt
      const approvedUntil = Date.parse(receipt.expiresAt ?? '')
      const { requestHash, actionHash, wallet, chainId } = receipt as Receipt & {
        requestHash: Hex
        actionHash: Hex
        wallet: typeof WALLET
      }
      return {
        status,
        json: attestor.sign(receiptOf({ requestHash, actionHash, wallet, chainId, verdict: touched, approvedUntil })),
      }
    })
    const before = await here()
    await assert.rejects(decide(), /read here as something else/)
    assert.deepEqual(await here(), before)
  })

  it('an answer that is of an earlier submission: refused', async () => {
    front.tell(undefined)
    const { record } = await decide()
    front.tell(instead(isSubmission, { status: 201, json: record }))
    await assert.rejects(decide(), /known here already/)
  })

  it('one that breaks off after it has stored a submission: found again, and not submitted twice', async () => {
    const before = (await there()).length
    let dropped = 0
    front.tell(async (asked, pass) => {
      if (!isSubmission(asked) || dropped++ > 0) return undefined
      await pass()
      return 'drop'
    })
    const { verdict, told } = await decide(requestOf(swap({ amountIn: 99_000_000n })))
    assert.equal(verdict.outcome, 'approved')
    assert.equal((await there()).length - before, 1)
    assert.equal(told.length, 2)
    assert.match(told.join(' '), /broke the connection.*asked again.*answers again/)
  })

  it('one that breaks off before it has stored a submission: submitted again, after it was looked for', async () => {
    const before = (await there()).length
    const first = front.asked.length
    let lost = 0
    front.tell(async (asked) => (isSubmission(asked) && lost++ === 0 ? 'drop' : undefined))
    const { verdict } = await decide(requestOf(swap({ amountIn: 98_000_000n })))
    assert.equal(verdict.outcome, 'approved')
    assert.equal((await there()).length - before, 1)
    assert.deepEqual(
      front.asked.slice(first, first + 3).map(({ method, path }) => `${method} ${path}`),
      ['POST /transactions', 'GET /transactions?limit=50', 'POST /transactions'],
    )
  })

  it('one that stores a submission late, after it was looked for, and allows no more meanwhile: not submitted twice', async () => {
    const before = (await there()).length
    let asked = 0
    const late = Promise.withResolvers<void>()
    front.tell(async (one, pass) => {
      if (!isSubmission(one)) return undefined
      asked += 1
      if (asked === 1) {
        void late.promise.then(pass)
        return 'drop'
      }
      if (asked > 2) return undefined
      late.resolve()
      while ((await there()).length === before) await new Promise((resolve) => setTimeout(resolve, 5))
      return { status: 429, json: {} }
    })
    const { verdict } = await decide(requestOf(swap({ amountIn: 97_000_000n })))
    assert.equal(verdict.outcome, 'approved')
    assert.equal((await there()).length - before, 1)
  })

  it('one that is away for a moment: told, asked again, and it goes on', async () => {
    let failures = 0
    front.tell(async (asked) => (isStatus(asked) && failures++ < 2 ? { status: 503, json: {} } : undefined))
    const { approval, told } = await decide()
    assert.ok(approval)
    assert.deepEqual(told, [
      'The policy service cannot answer (status 503). The action is paused, and the service is asked again.',
      'The policy service answers again; the action goes on.',
    ])
  })

  it('is asked so often and no more', async () => {
    front.tell(instead(isSubmission, { status: 429, json: {} }))
    const before = front.asked.length
    await assert.rejects(decide(requestOf(), brief), /stays paused/)
    assert.equal(front.asked.length - before, BRIEF.attempts)
  })

  it('secrets, and wallets that are not the own one, never leave', async () => {
    front.tell(undefined)
    const before = front.asked.length
    await assert.rejects(decide(requestOf(swap(), { prompt: `use ${`0x${'4c0883a6'.repeat(8)}`}` })), /prompt/)
    await assert.rejects(decide(requestOf(swap(), { escrowAddress: STRANGER })), /not the wallet of this harness/)
    assert.equal(front.asked.length, before)
  })

  it('a cancel holds here whatever the service says, and frees its room where it listens', async () => {
    front.tell(undefined)
    const { record } = await decide()
    await decisions.cancel(principal, record.requestHash)
    assert.equal((await there()).find(({ id }) => id === record.id)?.status, 'CANCELLED')
    const other = await decide()
    front.tell(async ({ path }) => (path.endsWith('/cancel') ? 'drop' : undefined))
    await decisions.cancel(principal, other.record.requestHash)
    const { approval, verdict } = await decisions.readDecision(principal, other.record.requestHash)
    assert.equal(verdict.outcome, 'approved')
    assert.equal(
      (await storage.stores.transactions.byRequestHash(approval?.requestHash ?? NO_SUCH))?.status,
      'CANCELLED',
    )
  })

  it('a report is taken only where the service says so of this request', async () => {
    front.tell(undefined)
    const claim = decisions.claim ?? assert.fail()
    const report = { txHash: `0x${'ab'.repeat(32)}` } as const
    const { record } = await decide()
    const hash = record.requestHash as Hex
    const isReport = ({ path }: Asked) => path.endsWith('/execution')
    for (const lie of [
      instead(isReport, { status: 500, json: {} }),
      instead(isReport, { status: 200, json: {} }),
      instead(isReport, { status: 200, json: { ...record, status: 'APPROVED' } }),
      instead(isReport, { status: 200, json: { ...record, requestHash: NO_SUCH, status: 'EXECUTED' } }),
      instead(isReport, { status: 401, json: { error: 'unauthenticated', detail: 'no' } }),
    ]) {
      front.tell(lie)
      assert.equal((await claim(hash, report)).kind, 'unknown')
    }
    front.tell(instead(isReport, 'silence'))
    assert.equal((await hasty.claim?.(hash, report))?.kind, 'unknown')
    front.tell(undefined)
    assert.deepEqual(await claim(hash, report), { kind: 'taken' })
    assert.deepEqual(await claim(hash, report), { kind: 'taken' })
    assert.equal((await claim(hash, { txHash: `0x${'cd'.repeat(32)}` })).kind, 'refused')
    const cancelled = await decide()
    await app.policy.cancel({ ...principal, agentId: await owner() }, cancelled.record.requestHash)
    assert.equal((await claim(cancelled.record.requestHash as Hex, report)).kind, 'refused')
  })

  it('what is held for a person is decided at the service, and this is said', async () => {
    front.tell(undefined)
    await app.policy.writePolicy(WALLET, { ...POLICY, caps: {}, review: { aboveUsd: 50 } }, 'test')
    const { record, verdict, approval } = await decide()
    assert.deepEqual([verdict.outcome, approval], ['pending', undefined])
    const reviewer: Principal = { id: 'owner', agentId: principal.agentId, scopes: ['transactions:approve:own'] }
    const yes = { decision: 'APPROVED', analysis: 'fine' } as const
    await assert.rejects(decisions.review(reviewer, record.requestHash, yes), /its own reviewers/)
    await app.policy.review({ ...reviewer, agentId: null }, record.requestHash, yes)
    const decided = await decisions.review(reviewer, record.requestHash, yes)
    assert.equal(decided.approval?.requestHash, record.requestHash)
    await app.policy.writePolicy(WALLET, { ...POLICY, caps: {} }, 'test')
  })

  it('reads the policy there, and does not know what the service counts', async () => {
    front.tell(undefined)
    assert.deepEqual((await decisions.readPolicy(WALLET))?.policy, { ...POLICY, caps: {} })
    assert.equal(await decisions.outflow(WALLET), undefined)
    front.tell(async () => 'drop')
    await assert.rejects(decisions.readPolicy(WALLET), /broke the connection/)
  })
})
