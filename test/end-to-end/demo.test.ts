import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { conversation } from '../../scripts/demo/conversation.ts'
import { launch, temporaryFolder } from '../support/product.ts'

describe('the demo', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  it('plays its conversation once, and everything ends as it should', async () => {
    const demo = launch({ entry: 'scripts/demo.ts', args: ['--once'], cwd: folder.path })
    const { code, signal } = await demo.exited
    assert.deepEqual([code, signal], [0, null], `${demo.stdout()}\n${demo.stderr()}`)
    const output = demo.stdout()
    for (const { title, text } of conversation) {
      assert.ok(output.includes(title), title)
      assert.ok(output.includes(text), text)
    }
    for (const reason of ['no_slippage_guard', 'recipient_not_allowed', 'per_tx_cap_exceeded', 'decode_failure'])
      assert.ok(output.includes(reason), reason)
    assert.match(output, /Everything ended as it should\./)
    assert.match(output, /0x[0-9a-f]{64}/, 'the hash of what was executed')
    assert.match(output, /9900 USDC/)
    assert.doesNotMatch(output, /undefined|NaN|\[object Object\]/)
    assert.equal(demo.stderr(), '')
  })

  it('plays the conversation about perpetuals, against a stand-in of the venue', async () => {
    const demo = launch({ entry: 'scripts/demo.ts', args: ['perps', '--once'], cwd: folder.path })
    const { code, signal } = await demo.exited
    assert.deepEqual([code, signal], [0, null], `${demo.stdout()}\n${demo.stderr()}`)
    const output = demo.stdout()
    const reasons = ['leverage_cap_exceeded', 'no_execution_price_bound', 'recipient_not_allowed']
    for (const reason of reasons) assert.ok(output.includes(reason), reason)
    assert.match(output, /Placed at hyperliquid: filled\./)
    assert.match(output, /The venue took 5 actions, each signed as approved/)
    assert.match(output, /Everything ended as it should\./)
    assert.equal(demo.stderr(), '')
  })

  it('plays the conversation about predictions, against a stand-in of the venue', async () => {
    const demo = launch({ entry: 'scripts/demo.ts', args: ['predictions', '--once'], cwd: folder.path })
    const { code, signal } = await demo.exited
    assert.deepEqual([code, signal], [0, null], `${demo.stdout()}\n${demo.stderr()}`)
    const output = demo.stdout()
    const reasons = [
      'no_execution_price_bound',
      'per_tx_cap_exceeded',
      'asset_not_in_universe',
      'protocol_exposure_exceeded',
    ]
    for (const reason of reasons) assert.ok(output.includes(reason), reason)
    assert.match(output, /Placed at polymarket: matched\./)
    assert.match(output, /The venue took 3 orders, each signed as approved/)
    assert.match(output, /Everything ended as it should\./)
    assert.equal(demo.stderr(), '')
  })

  it('plays nothing under a name that it does not know', async () => {
    const demo = launch({ entry: 'scripts/demo.ts', args: ['constructor', '--once'], cwd: folder.path })
    assert.equal((await demo.exited).code, 1)
    assert.match(demo.stderr(), /there is none of that name, but swaps, perps, predictions\./)
  })
})
