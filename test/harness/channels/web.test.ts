import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WebEvent, web } from '../../../src/harness/channels/web.ts'

const text = (n: number) => ({ type: 'text', text: String(n) }) as const

test('what is sent reaches the listeners of that conversation only, until they leave', async () => {
  const channel = web()
  const heard: WebEvent[] = []
  const leave = channel.subscribe('a', (event) => heard.push(event))
  channel.tell('a', text(1))
  channel.tell('b', text(2))
  leave()
  channel.tell('a', text(3))
  assert.deepEqual(heard, [{ id: 1, message: text(1) }])
})

test('who comes back is told what was missed, once and in order', async () => {
  const channel = web()
  for (let n = 1; n <= 5; n++) channel.tell('a', text(n))
  const heard: number[] = []
  channel.subscribe('a', ({ id }) => heard.push(id), 3)
  channel.tell('a', text(6))
  assert.deepEqual(heard, [4, 5, 6])
})

test('the last 200 events are kept; an id from before a restart is told everything', async () => {
  const channel = web()
  for (let n = 1; n <= 250; n++) channel.tell('a', text(n))
  const all: number[] = []
  channel.subscribe('a', ({ id }) => all.push(id))
  assert.deepEqual([all.length, all[0], all.at(-1)], [200, 51, 250])
  const after: number[] = []
  channel.subscribe('a', ({ id }) => after.push(id), 9_999)
  assert.equal(after.length, 200)
})

test('a message is handed over between start and stop', async () => {
  const channel = web()
  const message = { id: '1', conversation: 'a', sender: 'u', text: 'hi' }
  await assert.rejects(channel.post(message), { code: 'unavailable' })
  const got: unknown[] = []
  await channel.start(async (one) => void got.push(one))
  await channel.post(message)
  assert.deepEqual(got, [message])
  await channel.stop()
  await assert.rejects(channel.post(message), { code: 'unavailable' })
})

test('conversations that nobody listens to make room, others stay', async () => {
  const channel = web()
  const kept: number[] = []
  channel.subscribe('kept', ({ id }) => kept.push(id))
  for (let n = 0; n < 600; n++) channel.tell(`c${n}`, text(n))
  channel.tell('kept', text(1))
  assert.deepEqual(kept, [1])
  const first: number[] = []
  channel.subscribe('c0', ({ id }) => first.push(id))
  assert.deepEqual(first, [])
})
