// What a trial on a node adds to the answer: steps that fail, tokens that misbehave, pools that are thin.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ok, refuse } from '../../src/lib/result.ts'
import { type CandidateTx, ValidationRequest, ValidationResponse } from '../../src/schema/validation.ts'
import { createValidator, type Simulated, type Surroundings, type Trial } from '../../src/validation/index.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import { approveTx, routerTrade, SWAP_ROUTER, transferTx } from '../support/intent-corpus/transactions.ts'
import { NOW_SECONDS, PERMIT2, TOKENS, WALLET, WETH } from '../support/intent-corpus/world.ts'

const [USDC] = TOKENS
const PAYEE = '0x00000000000000000000000000000000deadbeef'
const POOL = '0x0000000000000000000000000000000000009001'
const FINE: Simulated = { steps: 1, failed: null, changes: null, arrivals: null, pools: null }
const LEGITIMACY = 'legal_compliance.token_legitimacy'
const MEV = 'adversarial_detection.mev_risky_parameters'

const sending = transferTx(USDC, PAYEE, 5_000_000n)
const trade = routerTrade({
  sell: USDC,
  buy: WETH,
  amountIn: 100_000_000n,
  amountOut: 33_000_000_000_000_000n,
  recipient: WALLET,
  deadline: NOW_SECONDS + 600n,
  exact: 'in',
})

type World = Readonly<{ simulated?: Simulated; balance?: bigint; seen?: Trial[]; from?: string | undefined }>

async function validate(human_intent: string, tx: CandidateTx, world: World) {
  const { simulated, balance, seen } = world
  const surroundings: Surroundings = {
    ...corpusSurroundings(),
    balanceOf: async () => balance,
    async simulate(trial) {
      seen?.push(trial)
      return simulated
    },
  }
  const from = 'from' in world ? world.from : WALLET
  const request = ValidationRequest.parse({ human_intent, proposed_tx: { chainId: 1, ...(from && { from }), ...tx } })
  const answer = ValidationResponse.parse(await createValidator(surroundings).validate(request))
  return {
    outcome: [answer.decision, answer.primary_failure_node],
    reason: answer.reason,
    details: (id: string) => answer.results[id]?.details ?? {},
  }
}

describe('a trial of a payment', () => {
  const send = (simulated: Partial<Simulated>) =>
    validate(`send 5 USDC to ${PAYEE}`, sending, { simulated: { ...FINE, ...simulated } })
  /** The wallet's change, then the receiver's. */
  const changes = (left: bigint | null, arrived: bigint | null) => send({ changes: [left, arrived] })

  it('that fails is a rejection with its reason', async () => {
    const { outcome, reason } = await send({ failed: { step: 0, reason: 'The call reverted: Pausable: paused' } })
    assert.deepEqual(outcome, ['REJECT', LEGITIMACY])
    assert.match(reason, /does not run: .*Pausable: paused/)
  })

  it('passes where as much arrives as the bytes say, but for a unit of rounding', async () => {
    assert.deepEqual((await changes(-5_000_000n, 5_000_000n)).outcome, ['PASS', null])
    assert.deepEqual((await changes(-5_000_001n, 4_999_998n)).outcome, ['PASS', null])
    const passed = await changes(-5_000_000n, 5_000_000n)
    assert.deepEqual(passed.details(LEGITIMACY), { simulated: true, steps: 1, transfers: 2 })
  })

  it('shows a fee on the transfer, more that leaves, and a token that tells nothing', async () => {
    const fee = await changes(-5_000_000n, 4_950_000n)
    assert.deepEqual(fee.outcome, ['REJECT', LEGITIMACY])
    assert.equal(fee.reason, 'Of 5 USDC only 4.95 USDC arrives: the token keeps a part.')
    const more = await changes(-6_000_000n, 5_000_000n)
    assert.match(more.reason, /6 USDC leaves .* where 5 USDC should/)
    assert.deepEqual((await changes(-5_000_000n, 0n)).outcome, ['REJECT', LEGITIMACY])
    assert.match((await changes(-5_000_000n, null)).reason, /does not say what/)
  })

  it('explains a rejection last: what differs from the words comes first', async () => {
    const simulated = { ...FINE, failed: { step: 0, reason: 'insufficient' } }
    const { outcome, reason } = await validate(`send 4 USDC to ${PAYEE}`, sending, { simulated })
    assert.deepEqual(outcome, ['REJECT', 'intent_alignment.amount_matching'])
    assert.equal(reason, 'You said 4 USDC, and it is 5 USDC.')
  })

  it('is not made without a node or a sender, which the answer says', async () => {
    const noNode = await validate(`send 5 USDC to ${PAYEE}`, sending, {})
    assert.deepEqual(noNode.outcome, ['PASS', null])
    assert.deepEqual(noNode.details(LEGITIMACY), { simulated: false, notChecked: 'No node of the chain is set.' })
    const seen: Trial[] = []
    const nobody = await validate(`send 5 USDC to ${PAYEE}`, sending, { simulated: FINE, seen, from: undefined })
    assert.deepEqual([nobody.outcome, seen], [['PASS', null], []])
    assert.deepEqual(nobody.details(LEGITIMACY), { simulated: false, notChecked: 'The sender is not named.' })
  })

  it('says where the node could only run it', async () => {
    const { details } = await send({})
    assert.deepEqual(details(LEGITIMACY), { simulated: true, steps: 1, transfers: 'not checked' })
  })
})

describe('a trial of a trade', () => {
  const words = 'swap 100 USDC for WETH'
  const swap = (simulated: Partial<Simulated>) => validate(words, trade, { simulated: { ...FINE, ...simulated } })
  const pool = (impactBps: number | null) => swap({ pools: [{ pool: POOL, impactBps }] })

  it('is made once, with all steps, and tries to pass on what was bought', async () => {
    const seen: Trial[] = []
    const steps = { transactions: [approveTx(USDC, SWAP_ROUTER, 100_000_000n), trade] }
    assert.deepEqual((await validate(words, steps, { simulated: { ...FINE, steps: 2 }, seen })).outcome, ['PASS', null])
    assert.equal(seen.length, 1)
    const [asked] = seen
    assert.deepEqual([asked?.txs.length, asked?.wallet], [2, WALLET])
    assert.deepEqual(asked?.probes, [{ asset: WETH.address, holder: WALLET, amount: 33_000_000_000_000_000n }])
    assert.deepEqual(
      asked?.watched.map(({ asset }) => asset),
      [USDC.address, WETH.address],
    )
  })

  it('names the step that fails', async () => {
    const steps = { transactions: [approveTx(USDC, SWAP_ROUTER, 100_000_000n), trade] }
    const simulated = { ...FINE, steps: 2, failed: { step: 1, reason: 'STF' } }
    assert.match((await validate(words, steps, { simulated })).reason, /^Step 2 of it does not run: STF/)
  })

  it('rejects what cannot be sold again, or only in part', async () => {
    const stuck = await swap({ arrivals: [refuse('The call reverted: trap')] })
    assert.deepEqual(
      [stuck.outcome, stuck.reason],
      [['REJECT', LEGITIMACY], 'WETH cannot be passed on: The call reverted: trap'],
    )
    const taxed = await swap({ arrivals: [ok(30_000_000_000_000_000n)] })
    assert.match(taxed.reason, /Of 0\.033 WETH passed on only 0\.03 WETH arrives/)
    assert.deepEqual((await swap({ arrivals: [ok(33_000_000_000_000_000n)] })).outcome, ['PASS', null])
  })

  it('rejects a pool that it moves too far, and says how far', async () => {
    const thin = await pool(450)
    assert.deepEqual(thin.outcome, ['REJECT', MEV])
    assert.equal(thin.reason, `Pool ${POOL} is thin: the trade is filled 4.5 % below its price, and 3 % is the most.`)
    assert.deepEqual(thin.details(MEV)['pools'], [{ pool: POOL, impactBps: 450 }])
    assert.deepEqual((await pool(null)).outcome, ['REJECT', MEV])
    const deep = await pool(300)
    assert.deepEqual([deep.outcome, deep.details(MEV)['mostImpactBps']], [['PASS', null], 300])
    assert.equal((await swap({})).details(MEV)['pools'], 'not checked')
  })

  it('allows a pool as much as the request allows', async () => {
    const simulated = { ...FINE, pools: [{ pool: POOL, impactBps: 450 }] }
    const asked = (percent: number) => validate(`${words} with ${percent}% slippage`, trade, { simulated })
    assert.deepEqual((await asked(5)).outcome, ['PASS', null])
    assert.deepEqual((await asked(4)).outcome, ['REJECT', MEV])
  })
})

describe('a trial of an approval', () => {
  it('tries to move what the wallet has of it', async () => {
    const approval = approveTx(USDC, PERMIT2, 100_000_000n)
    const seen: Trial[] = []
    const ask = (balance: bigint, simulated: Simulated) =>
      validate('approve 100 USDC for Permit2', approval, { simulated, balance, seen })
    assert.deepEqual((await ask(40_000_000n, FINE)).outcome, ['PASS', null])
    assert.deepEqual(seen.at(-1)?.probes, [{ asset: USDC.address, holder: WALLET, amount: 40_000_000n }])
    await ask(0n, FINE)
    assert.deepEqual(seen.at(-1)?.probes, [])
    const paused = await ask(1n, { ...FINE, arrivals: [refuse('The call reverted: paused')] })
    assert.deepEqual(paused.outcome, ['REJECT', LEGITIMACY])
  })
})
