// The validation interface over HTTP: who may ask, what is answered, and what is wrong with a request.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ValidationResponse } from '../../src/schema/validation.ts'
import { problemIn, startServer, WALLET } from './running-server.ts'

const running = await startServer()
after(() => running.close())

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const TRANSFER = {
  human_intent: `send 100 USDC to ${WALLET}`,
  proposed_tx: {
    chainId: 1,
    from: WALLET,
    to: USDC,
    data: `0xa9059cbb${WALLET.slice(2).toLowerCase().padStart(64, '0')}${(100_000_000).toString(16).padStart(64, '0')}`,
    value: 0,
  },
}

const post = (body: unknown, key: string | undefined = running.agentKey) =>
  running.request('POST', '/validation/validate', { ...(key && { key }), body: JSON.stringify(body) })

describe('the validation interface', () => {
  it('says how it is to anybody', async () => {
    const { status, text } = await running.request('GET', '/validation/health')
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(text), { status: 'ok', llm: { configured: false, reachable: false } })
  })

  it('answers a rejection as 200 with the decision and every node', async () => {
    const answer = await post({ ...TRANSFER, proposed_tx: { ...TRANSFER.proposed_tx, data: '0xa9059cbb' } })
    assert.equal(answer.status, 200)
    const { decision, primary_failure_node, results, llm_calls } = ValidationResponse.parse(JSON.parse(answer.text))
    assert.deepEqual(
      [decision, primary_failure_node, llm_calls],
      ['REJECT', 'technical_invariants.protocol_compatibility', 0],
    )
    assert.equal(Object.keys(results).length, 18)
  })

  it('answers 503 where a source is down: here there is none of sanctions', async () => {
    const problem = problemIn(await post(TRANSFER))
    assert.deepEqual([problem.status, problem.error], [503, 'unavailable'])
    assert.match(problem.detail, /Sanctions|Token/)
  })

  it('answers 422 and names the field', async () => {
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [{}, /human_intent/],
      [{ human_intent: '' }, /human_intent/],
      [{ human_intent: 7 }, /human_intent/],
      [{ ...TRANSFER, extra: 1 }, /extra/],
      [{ ...TRANSFER, proposed_tx: { to: 5 } }, /proposed_tx\.to/],
      [{ ...TRANSFER, proposed_tx: { transactions: [] } }, /proposed_tx\.transactions/],
      [{ ...TRANSFER, return_prompts: 'yes' }, /return_prompts/],
    ]
    for (const [body, field] of cases) {
      const problem = problemIn(await post(body))
      assert.deepEqual([problem.status, problem.error], [422, 'unprocessable'], JSON.stringify(body))
      assert.match(problem.detail, field)
    }
  })

  it('asks for a key, unless the configuration opens it', async () => {
    assert.equal(problemIn(await running.request('POST', '/validation/validate', { body: '{}' })).status, 401)
    const open = await startServer({ validationIsPublic: true })
    const answer = await open.request('POST', '/validation/validate', {
      body: JSON.stringify({ human_intent: 'hello' }),
    })
    assert.equal(answer.status, 200)
    assert.equal(JSON.parse(answer.text).decision, 'REJECT')
    assert.equal(problemIn(await open.request('POST', '/api/transactions', { body: '{}' })).status, 401)
    await open.close()
  })
})
