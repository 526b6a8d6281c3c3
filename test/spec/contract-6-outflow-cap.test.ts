// Submissions to three processes at once, in rounds of random sizes, with executions and cancels between them: what is held
// and posted never exceeds the cap of 24 hours, and what fits is approved.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { ETH_USD, payment, SPEC_SERVICES, type SpecService, startSpecService } from '../support/spec-service.ts'
import { volume } from '../support/volume.ts'

const SUBMISSIONS = volume(240, 20_000)
/** A round: waves that come at once, each after what became of the one before. */
const WAVES = 3
const WAVE = 20
const ROUND = WAVES * WAVE
const TX_HASH = `0x${'cd'.repeat(32)}`
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

    async function submit({
      wallet,
      key,
      amount,
      i,
    }: Readonly<{ wallet: string; key: string; amount: bigint; i: number }>) {
      const body = { escrowAddress: wallet, prompt: 'p', proposedTx: payment(FRIEND, amount * WEI) }
      const answer = await service.send('POST', '/transactions', { key, body, replica: i })
      assert.equal(answer.status, 201, answer.text)
      const requestHash = String(answer.body['requestHash'])
      const { outcome, reasonCode } = await service.verdictOn(requestHash, key)
      return { requestHash, outcome, reasonCode, amount }
    }

    it(`holds over ${SUBMISSIONS} submissions through three processes, and refuses none that fits`, async (t) => {
      let decided = 0
      let started = performance.now()
      const wanted = fc.array(fc.bigInt(1n, 100n * MICRO), { minLength: WAVE, maxLength: WAVE })
      const ends = fc.array(fc.constantFrom('executed', 'cancelled', 'held'), { minLength: WAVE, maxLength: WAVE })
      const waves = fc.array(fc.record({ wanted, ends }), { minLength: WAVES, maxLength: WAVES })
      const property = fc.asyncProperty(waves, async (round) => {
        const { wallet, key } = await service.newAgent({
          recipients: { allow: [FRIEND] },
          caps: { outflow24hUsd: CAP_USD },
        })
        let counting = 0n
        for (const wave of round) {
          const decisions = await Promise.all(wave.wanted.map((amount, i) => submit({ wallet, key, amount, i })))
          decided += decisions.length
          for (const { outcome, amount } of decisions) if (outcome === 'approved') counting += amount
          assert.ok(counting <= BigInt(CAP_USD) * MICRO, `${counting} is held and posted`)
          for (const { outcome, reasonCode, amount } of decisions) {
            if (outcome === 'approved') continue
            assert.equal(reasonCode, 'outflow_24h_exceeded')
            assert.ok(counting + amount > BigInt(CAP_USD) * MICRO, `${amount} was refused beside ${counting}`)
          }
          await Promise.all(
            decisions.map(async ({ outcome, requestHash, amount }, i) => {
              const end = wave.ends[i]
              if (outcome !== 'approved' || end === 'held') return
              const [verb, body] = end === 'executed' ? ['execution', { txHash: TX_HASH }] : ['cancel', {}]
              const answer = await service.send('POST', `/transactions/${requestHash}/${verb}`, {
                key,
                body,
                replica: i,
              })
              assert.equal(answer.status, 200, answer.text)
              if (end === 'cancelled') counting -= amount
            }),
          )
        }
      })
      started = performance.now()
      await fc.assert(property, { seed: 6, numRuns: Math.ceil(SUBMISSIONS / ROUND) })
      t.diagnostic(`${decided} decided in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    })
  })
