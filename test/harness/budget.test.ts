import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter, DEFAULT_BUDGET } from '../../src/harness/budget.ts'
import { freshMemory } from '../support/memory.ts'

const used = (tokens: number, microUsd?: number) => ({
  inputTokens: tokens,
  outputTokens: 0,
  ...(microUsd !== undefined && { microUsd }),
})

test('a budget ends what goes beyond it, for the message, the conversation and the day', async () => {
  const { usage, storage } = await freshMemory()
  const meter = (budget: Parameters<typeof createMeter>[0], conversation = 'c') =>
    createMeter(budget, { agentId: 'a', conversation, usage })

  const turn = meter({ turn: { tokens: 100 } })
  assert.equal(await turn.refusal(), undefined)
  await turn.record(used(99))
  assert.equal(await turn.refusal(), undefined)
  await turn.record(used(1))
  assert.equal(await turn.refusal(), 'the budget of 100 tokens for one message is used up')
  assert.equal(await meter({ turn: { tokens: 100 } }).refusal(), undefined, 'the next message begins anew')

  assert.match((await meter({ chat: { tokens: 100 } }).refusal()) ?? '', /for this conversation today/)
  assert.equal(await meter({ chat: { tokens: 100 } }, 'other').refusal(), undefined)
  assert.match((await meter({ day: { tokens: 100 } }, 'other').refusal()) ?? '', /100 tokens for today/)

  await meter({}).record(used(1, 1_500_000))
  assert.equal(await meter({ day: { usd: 1.6 } }).refusal(), undefined)
  assert.equal(await meter({ day: { usd: 1.5 } }).refusal(), 'the budget of 1.5 USD for today is used up')
  await storage.close()
})

test('there is a budget where none is configured', async () => {
  const { usage, storage } = await freshMemory()
  const meter = createMeter({}, { agentId: 'a', conversation: 'c', usage })
  await meter.record(used(DEFAULT_BUDGET.turn.tokens))
  assert.match((await meter.refusal()) ?? '', /for one message/)
  await storage.close()
})
