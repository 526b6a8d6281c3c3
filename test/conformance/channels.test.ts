// One suite over every channel: what the core relies on, wherever people write.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { channels } from '../../src/harness/channels/index.ts'

test('names are unique', () => {
  const names = channels.map((create) => create().name)
  assert.deepEqual([...new Set(names)], names)
})

for (const create of channels) {
  describe(create().name, () => {
    test('starts, sends every kind of message, and stops, in any order and more than once', async () => {
      const channel = create()
      await channel.stop()
      await channel.start(async () => undefined)
      for (const type of ['text', 'status', 'error'] as const) await channel.send('conversation', { type, text: 'x' })
      await channel.send('conversation', { type: 'end' })
      await channel.stop()
      await channel.stop()
    })
  })
}
