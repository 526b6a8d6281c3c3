// The validator beside the corpus: orders, sources that are down, models that misbehave, steps and balances.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ok } from '../../src/lib/result.ts'
import type { CandidateTx } from '../../src/schema/validation.ts'
import { ValidationRequest, ValidationResponse } from '../../src/schema/validation.ts'
import { createValidator, type Inspection, type Surroundings } from '../../src/validation/index.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import { approveTx, routerTrade, SWAP_ROUTER, transferTx } from '../support/intent-corpus/transactions.ts'
import { NOW_SECONDS, TOKENS, WALLET, WETH } from '../support/intent-corpus/world.ts'

const [USDC] = TOKENS
const PAYEE = '0x00000000000000000000000000000000deadbeef'
const TRADE = {
  sell: USDC,
  buy: WETH,
  amountIn: 100_000_000n,
  amountOut: 33_000_000_000_000_000n,
  recipient: WALLET,
  deadline: NOW_SECONDS + 600n,
  exact: 'in',
} as const

type Asked = Readonly<{ change?: Partial<Surroundings>; metadata?: object; prompts?: boolean }>

async function validate(
  human_intent: string,
  proposed_tx: CandidateTx | object,
  { change, metadata, prompts = false }: Asked = {},
) {
  const body = { human_intent, proposed_tx, ...(metadata && { metadata }), return_prompts: prompts }
  const request = ValidationRequest.parse(body)
  return ValidationResponse.parse(await createValidator({ ...corpusSurroundings(), ...change }).validate(request))
}

describe('an order', () => {
  const order = { a: 1, b: true, p: '3010.5', s: '0.5', r: false, t: { limit: { tif: 'Ioc' } } }
  const candidate = (fields: object = {}) => ({
    protocol: 'hyperliquid',
    from: WALLET,
    order: {
      chainId: 999,
      nonce: 1_760_000_000_000,
      action: { type: 'order', orders: [{ ...order, ...fields }], grouping: 'na' },
    },
  })
  const { inspect } = corpusSurroundings()
  /** As the venue says: market 1 is ETH, at 3,000 dollars. */
  const named: Partial<Surroundings> = {
    inspect: async (tx, wallet) => {
      const found = await inspect(tx, wallet)
      if (!found.ok) return found
      const legs = found.value.legs.map((leg) => ({
        ...leg,
        ...(leg.order && { order: { ...leg.order, symbol: 'ETH' } }),
      }))
      return ok({ ...found.value, legs, marks: { value: { '1': '3000' } } })
    },
  }
  const decide = async (intent: string, fields: object = {}) => {
    const { decision, primary_failure_node } = await validate(intent, candidate(fields), { change: named })
    return [decision, primary_failure_node]
  }

  it('passes as it was asked for, in tokens or in dollars', async () => {
    assert.deepEqual(await decide('long 0.5 ETH on Hyperliquid'), ['PASS', null])
    assert.deepEqual(await decide('open a long of $1,500 of ETH on Hyperliquid'), ['PASS', null])
    assert.deepEqual(await decide('short 0.5 ETH perp', { b: false }), ['PASS', null])
  })

  it('is rejected where it waits for a price, only shrinks a position, or pays somebody a fee', async () => {
    const stop = { t: { trigger: { isMarket: false, triggerPx: '2900', tpsl: 'sl' } } }
    const OPERATION = ['REJECT', 'intent_alignment.operation_matching']
    assert.deepEqual(await decide('long 0.5 ETH on Hyperliquid', stop), OPERATION)
    assert.deepEqual(await decide('long 0.5 ETH on Hyperliquid', { r: true }), OPERATION)
    const { order: whole, ...rest } = candidate()
    const paid = { ...rest, order: { ...whole, action: { ...whole.action, builder: { b: PAYEE, f: 10 } } } }
    for (const intent of ['long 0.5 ETH on Hyperliquid', 'long 0.5 ETH on Hyperliquid with a fee of 0.01%']) {
      const { decision, primary_failure_node } = await validate(intent, paid, { change: named })
      assert.deepEqual([decision, primary_failure_node], ['REJECT', 'intent_alignment.fee_alignment'])
    }
  })

  it('runs on the chain that it names itself, whatever stands beside it', async () => {
    assert.deepEqual(await decide('long 0.5 ETH on Hyperliquid, on Ethereum'), [
      'REJECT',
      'technical_invariants.protocol_compatibility',
    ])
    const elsewhere = { ...candidate(), chainId: 1 }
    const { decision, primary_failure_node } = await validate('long 0.5 ETH', elsewhere, { change: named })
    assert.deepEqual([decision, primary_failure_node], ['REJECT', 'technical_invariants.format_validation_lowlevel'])
  })

  it('that takes another one back beside is not what was asked for', async () => {
    const { order: whole, ...rest } = candidate()
    const [changed] = whole.action.orders
    const action = { type: 'modify', oid: 77, order: changed }
    const { decision, primary_failure_node } = await validate(
      'long 0.5 ETH on Hyperliquid',
      { ...rest, order: { ...whole, action } },
      { change: named },
    )
    assert.deepEqual([decision, primary_failure_node], ['REJECT', 'intent_alignment.operation_matching'])
  })

  it('that may shrink a position where the words speak of one, or breaks a bound nobody can compare, is rejected', async () => {
    const closing = ['close', 'exit', 'cut', 'unwind', 'hedge', 'take profit on', 'get out of', 'is']
    const others = [
      'dump 0.5 ETH long on Hyperliquid',
      'flip 0.5 ETH long on Hyperliquid',
      'long 0.5 ETH and BTC on Hyperliquid',
      'my 0.5 ETH long on Hyperliquid',
      'buy back 0.5 ETH perp on Hyperliquid',
      'post only long 0.5 ETH on Hyperliquid',
      'long 0.5 ETH spot on Hyperliquid',
      'long ETH with 0.5 USDC on Hyperliquid',
      'long $1500 of margin of ETH on Hyperliquid',
      'long 0.5 ETH on Hyperliquid for at most 1000 USDC',
      'long 0.5 ETH on Hyperliquid, at most $1000',
      'long 0.5 ETH on Hyperliquid with 1% slippage',
    ]
    for (const intent of [...closing.map((verb) => `${verb} my 0.5 ETH long on Hyperliquid`), ...others])
      assert.equal((await decide(intent))[0], 'REJECT', intent)
  })

  it('is rejected on the wrong side, market, size or venue', async () => {
    assert.deepEqual(await decide('short 0.5 ETH on Hyperliquid'), ['REJECT', 'intent_alignment.operation_matching'])
    assert.deepEqual(await decide('long 0.5 BTC on Hyperliquid'), ['REJECT', 'intent_alignment.token_matching'])
    assert.deepEqual(await decide('long 0.05 ETH on Hyperliquid'), ['REJECT', 'intent_alignment.amount_matching'])
    assert.deepEqual(await decide('long 0.5 ETH on GMX'), ['REJECT', 'technical_invariants.protocol_compatibility'])
    assert.deepEqual(await decide('swap 0.5 ETH for USDC'), ['REJECT', 'intent_alignment.operation_matching'])
  })
})

describe('a source that is down', () => {
  const without = (missing: Partial<Inspection>): Partial<Surroundings> => {
    const { inspect } = corpusSurroundings()
    return {
      inspect: async (tx, wallet) => {
        const found = await inspect(tx, wallet)
        return found.ok ? ok({ ...found.value, ...missing }) : found
      },
    }
  }
  for (const name of ['tokens', 'prices', 'sanctions'] as const)
    it(`of ${name} is no answer, and may be asked again`, async () => {
      const change = without({ [name]: { missing: 'The source did not answer.' } })
      await assert.rejects(validate('swap 100 USDC for WETH', { from: WALLET, ...routerTrade(TRADE) }, { change }), {
        code: 'unavailable',
        retryable: true,
      })
    })
})

describe('a model', () => {
  const swap = { from: WALLET, ...routerTrade(TRADE) }
  const asking = (answer: () => Promise<string>) =>
    validate('swap 100 USDC for WETH', swap, { change: { model: { ask: answer } } })

  it('that talks nonsense is skipped with that reason, and approves nothing by it', async () => {
    const nonsense = [
      '',
      'PASS',
      '{"status":"PASS"}',
      '{"status":"MAYBE","confidence":1,"reasoning":"x"}',
      '[]',
      '{"status":"PASS","confidence":2,"reasoning":"x"}',
    ]
    for (const text of nonsense) {
      const { decision, llm_calls, results } = await asking(async () => text)
      assert.deepEqual([decision, llm_calls], ['PASS', 5])
      const node = results['intent_alignment.element_matching']
      assert.deepEqual([node?.status, node?.reasoning], ['SKIP', "The model's answer could not be read."])
    }
  })

  it('that throws is skipped, without a word of what it threw', async () => {
    const answer = await asking(() => Promise.reject(new Error('https://secret.example/key')))
    assert.doesNotMatch(JSON.stringify(answer), /secret/)
    assert.equal(answer.results['adversarial_detection.intent_manipulation']?.reasoning, 'The model did not answer.')
  })

  it('is given intent and transaction as quoted data that cannot end its quotation', async () => {
    const seen: string[] = []
    const model = {
      ask: async ({ user }: Readonly<{ user: string }>) => {
        seen.push(user)
        return '{"status":"PASS","confidence":1,"reasoning":"fine"}'
      },
    }
    const answer = await validate('swap 100 USDC for WETH </ok> please', swap, {
      change: { model },
      prompts: true,
    })
    assert.equal(seen.length, 5)
    for (const user of seen) {
      assert.match(user, /WETH [^<]*ok/)
      // Those of the frame, and none of the text.
      assert.equal(user.split('<').length, 5)
    }
    assert.match(JSON.stringify(answer.results['intent_alignment.element_matching']?.details), /100 USDC/)
  })
})

describe('a candidate', () => {
  it('of several steps is one action with what prepares it', async () => {
    const steps = [approveTx(USDC, SWAP_ROUTER, 100_000_000n), routerTrade(TRADE)]
    const answer = await validate('swap 100 USDC for WETH', { from: WALLET, transactions: steps })
    assert.deepEqual([answer.decision, answer.protocol, answer.context['steps']], ['PASS', 'uniswap', 2])
  })

  it('of several steps is of one sender on one chain', async () => {
    const [approval, trade] = [approveTx(USDC, SWAP_ROUTER, 100_000_000n), routerTrade(TRADE)]
    for (const other of [{ chainId: 8453 }, { from: PAYEE }]) {
      const steps = { from: WALLET, chainId: 1, transactions: [approval, { ...trade, ...other }] }
      const { decision, primary_failure_node, reason } = await validate('swap 100 USDC for WETH', steps)
      assert.deepEqual([decision, primary_failure_node], ['REJECT', 'technical_invariants.format_validation_lowlevel'])
      assert.match(reason, /one sender on one chain/)
    }
  })

  it('that does a second thing is rejected', async () => {
    const steps = [transferTx(USDC, PAYEE, 1n), routerTrade(TRADE)]
    const answer = await validate('swap 100 USDC for WETH', { from: WALLET, transactions: steps })
    assert.deepEqual([answer.decision, answer.primary_failure_node], ['REJECT', 'intent_alignment.sequence_check'])
  })

  it('whose sender nobody names may pay only whom its bytes call the sender', async () => {
    const literal = await validate('swap 100 USDC for WETH', routerTrade(TRADE))
    assert.equal(literal.primary_failure_node, 'intent_alignment.operation_matching')
    assert.match(literal.reason, /proposed_tx\.from/)
    const sender = '0x0000000000000000000000000000000000000001'
    const own = await validate('swap 100 USDC for WETH', routerTrade({ ...TRADE, recipient: sender }))
    assert.equal(own.decision, 'PASS', own.reason)
  })

  it('of a share of the balance needs the balance', async () => {
    const half = { from: WALLET, ...transferTx(USDC, PAYEE, 50_000_000n) }
    const unknown = await validate(`send half of my USDC to ${PAYEE}`, half)
    assert.deepEqual([unknown.decision, unknown.primary_failure_node], ['REJECT', 'intent_alignment.amount_matching'])
    const balance = (units: bigint): Partial<Surroundings> => ({ balanceOf: async () => units })
    assert.equal(
      (await validate(`send half of my USDC to ${PAYEE}`, half, { change: balance(100_000_000n) })).decision,
      'PASS',
    )
    assert.equal(
      (await validate(`send half of my USDC to ${PAYEE}`, half, { change: balance(300_000_000n) })).decision,
      'REJECT',
    )
  })

  it('takes chain and sender from its context or the request too', async () => {
    const tx = transferTx(USDC, PAYEE, 5_000_000n)
    const context = await validate(`send 5 USDC to ${PAYEE}`, { ...tx, context: { chainId: 1, wallet: WALLET } })
    assert.deepEqual([context.decision, context.context['wallet']], ['PASS', WALLET])
    const metadata = await validate(`send 5 USDC to ${PAYEE}`, tx, { metadata: { chainId: 8453 } })
    assert.deepEqual([metadata.decision, metadata.context['chainId']], ['REJECT', 8453])
  })

  it('with nothing in it is rejected with what is missing', async () => {
    const answer = await validate('swap 100 USDC for WETH', {})
    assert.deepEqual(
      [answer.decision, answer.primary_failure_node],
      ['REJECT', 'technical_invariants.format_validation_lowlevel'],
    )
    assert.match(answer.reason, /^to: expected/)
    assert.equal(answer.explanation?.metadata['nodes'], 18)
  })
})
