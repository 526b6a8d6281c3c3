// Submissions to three processes at once, in rounds of random sizes: what is held and posted never exceeds the cap of 24
// hours, and what fits is approved.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { ETH_USD, payment, SPEC_SERVICES, type SpecService, startSpecService } from '../support/spec-service.ts'
import { volume } from '../support/volume.ts'

const SUBMISSIONS = volume(240, 20_000)
const ROUND = 60
/** A payment to oneself moves nothing out. */
const FRIEND = '0x00000000000000000000000000000000000f121e'
const CAP_USD = 1_000
const MICRO = 1_000_000n
/** Wei of a millionth of a dollar. */
const WEI = 10n ** 18n / (BigInt(ETH_USD) * MICRO)

for (const name of SPEC_SERVICES)
  describe(`the cap of 24 hours on ${name}`, () => {
    let service: SpecService
    before(async () => {
      service = await startSpecService(name, 3)
    })
    after(() => service?.stop())

    it(`holds over ${SUBMISSIONS} submissions through three processes, and refuses none that fits`, async (t) => {
      let decided = 0
      let started = performance.now()
      const property = fc.asyncProperty(
        fc.array(fc.bigInt(1n, 100n * MICRO), { minLength: ROUND, maxLength: ROUND }),
        async (wanted) => {
          const { wallet, key } = await service.newAgent({
            recipients: { allow: [FRIEND] },
            caps: { outflow24hUsd: CAP_USD },
          })
          const outcomes = await Promise.all(
            wanted.map(async (amount, replica) => {
              const body = { escrowAddress: wallet, prompt: 'p', proposedTx: payment(FRIEND, amount * WEI) }
              const answer = await service.send('POST', '/transactions', { key, body, replica })
              assert.equal(answer.status, 201, answer.text)
              return service.verdictOn(String(answer.body['requestHash']), key)
            }),
          )
          decided += wanted.length
          const yes = wanted.filter((_, i) => outcomes[i]?.outcome === 'approved')
          const total = yes.reduce((sum, amount) => sum + amount, 0n)
          assert.ok(total <= BigInt(CAP_USD) * MICRO, `${total} approved`)
          for (const [i, verdict] of outcomes.entries()) {
            if (verdict.outcome === 'approved') continue
            assert.equal(verdict.reasonCode, 'outflow_24h_exceeded', verdict.humanReason)
            assert.ok(total + (wanted[i] ?? 0n) > BigInt(CAP_USD) * MICRO, `${wanted[i]} was refused beside ${total}`)
          }
        },
      )
      started = performance.now()
      await fc.assert(property, { seed: 6, numRuns: Math.ceil(SUBMISSIONS / ROUND) })
      t.diagnostic(`${decided} decided in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    })
  })
