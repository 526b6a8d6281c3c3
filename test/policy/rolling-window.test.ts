import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { rollingWindow } from '../../src/policy/rolling-window.ts'

it('a rolling window counts each amount until its end, as a plain list would', () => {
  const step = fc.record({
    after: fc.nat({ max: 50 }),
    microUsd: fc.bigInt({ min: 0n, max: 1_000n }),
    lasts: fc.oneof(fc.nat({ max: 100 }), fc.constant(Number.POSITIVE_INFINITY)),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const window = rollingWindow()
      const list: { microUsd: bigint; until: number }[] = []
      let now = 0
      for (const { after, microUsd, lasts } of steps) {
        now += after
        window.add(microUsd, now + lasts)
        list.push({ microUsd, until: now + lasts })
        const counted = list.filter(({ until }) => until > now)
        assert.equal(
          window.total(now),
          counted.reduce((sum, one) => sum + one.microUsd, 0n),
        )
      }
    }),
    { seed: 1 },
  )
})
