import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseOutbound } from '../../src/chat/outbound.ts'
import { verdictCard } from '../../src/harness/verdict-card.ts'
import { verdictOf } from '../harness/stand-in-policy.ts'
import { WALLET } from '../harness/stand-in-reader.ts'

it('what a harness tells is read as it is', () => {
  const execution = { mode: 'dry-run', ok: true, text: 'Simulated.', txHash: null } as const
  for (const outcome of ['approved', 'rejected', 'pending'] as const) {
    const facts = { requestHash: '0x1', title: 'Swap', verdict: verdictOf(outcome), wallet: WALLET }
    for (const card of [verdictCard(facts), verdictCard(facts, execution)])
      assert.deepEqual(parseOutbound(JSON.stringify({ type: 'verdict', card })), { type: 'verdict', card })
  }
  for (const type of ['text', 'status', 'error'] as const)
    assert.deepEqual(parseOutbound(JSON.stringify({ type, text: 'x' })), { type, text: 'x' })
  assert.deepEqual(parseOutbound('{"type":"end"}'), { type: 'end' })
})

it('what is not understood is never taken for a verdict', () => {
  const card = { requestHash: '0x1', title: 't', outcome: 'approved' }
  for (const wrong of ['', '[]', 'null', { type: 'text' }, { type: 'card' }, { type: 'verdict', card }, { text: 'x' }])
    assert.equal(parseOutbound(typeof wrong === 'string' ? wrong : JSON.stringify(wrong)).type, 'error')
})
