// Orders that are signed and settled by others, as candidates of an intent.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ValidationRequest } from '../../src/schema/validation.ts'
import { createValidator } from '../../src/validation/index.ts'
import { STRANGER, WALLET } from '../support/actions.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import { NOW_SECONDS } from '../support/intent-corpus/world.ts'
import { ORDER_PROTOCOLS, orderOf, type Terms } from '../support/signed-orders.ts'

const INTENT = 'swap 100 USDC for WETH with at most 2% slippage'
const until = Number(NOW_SECONDS) + 600

for (const protocol of ORDER_PROTOCOLS)
  describe(`an order of ${protocol} as a candidate`, () => {
    const decide = async (human_intent: string, terms: Terms = {}) => {
      const { protocol: _, chainId, ...order } = orderOf(protocol, { until, ...terms })
      const proposed_tx = { protocol, chainId, from: WALLET, order }
      const request = ValidationRequest.parse({ human_intent, proposed_tx })
      const { decision, primary_failure_node } = await createValidator(corpusSurroundings()).validate(request)
      return [decision, primary_failure_node]
    }

    it('passes where it is what was asked for, at the venue that was named', async () => {
      assert.deepEqual(await decide(INTENT), ['PASS', null])
      assert.deepEqual(await decide(`${INTENT} on ${protocol}`), ['PASS', null])
    })

    it('fails by the node of what is wrong', async () => {
      for (const venue of ['Uniswap', 'Aave', 'GMX'])
        assert.equal((await decide(`${INTENT} on ${venue}`))[0], 'REJECT', venue)
      assert.deepEqual(await decide(INTENT, { sold: 101_000_000n, least: 33_000_000_000_000_000n * 2n }), [
        'REJECT',
        'intent_alignment.amount_matching',
      ])
      assert.deepEqual(await decide(INTENT, { least: 1n }), ['REJECT', 'intent_alignment.slippage_tolerance'])
      assert.deepEqual(await decide(INTENT, { until: Number(NOW_SECONDS) - 1 }), [
        'REJECT',
        'intent_alignment.deadline_consistency',
      ])
      const [decision] = await decide(INTENT, { to: STRANGER })
      assert.equal(decision, 'REJECT')
      assert.deepEqual(await decide('send 100 USDC to my friend'), ['REJECT', 'intent_alignment.operation_matching'])
    })
  })
