// The validator as it is deployed: over HTTP, beside a real chain with its prices, tokens and pools, and without any node.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { ValidationResponse } from '../../src/schema/validation.ts'
import {
  type Encoded,
  erc20Approve,
  erc20Transfer,
  srExactInputSingle,
  srMulticallDeadline,
  swapRouter02,
  tokens,
  uniswap,
} from '../support/encode.ts'
import { type Product, startProduct, temporaryFolder } from '../support/product.ts'

const PAYEE = '0x00000000000000000000000000000000deadbeef'
const LEGITIMACY = 'legal_compliance.token_legitimacy'
const MEV = 'adversarial_detection.mev_risky_parameters'
const usdc = (units: number) => BigInt(Math.round(units * 1e6))

const wallet = privateKeyToAddress(generatePrivateKey())
const approve = (amount: bigint) => erc20Approve({ token: tokens.USDC, spender: uniswap.swapRouter02, amount })
const sell = (amountIn: bigint, min: bigint): Encoded => {
  const pool = { tokenIn: tokens.USDC, tokenOut: tokens.WETH, fee: 500, recipient: wallet, limit: 0n }
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 600)
  return swapRouter02(srMulticallDeadline({ deadline, calls: [srExactInputSingle({ ...pool, amountIn, min })] }))
}

async function ask(product: Product, human_intent: string, ...txs: readonly Encoded[]) {
  const transactions = txs.map(({ to, data, value }) => ({ to, data, value }))
  const body = { human_intent, proposed_tx: { chainId: 1, from: wallet, transactions } }
  const { status, body: answer } = await product.send('POST', '/validation/validate', { body })
  assert.equal(status, 200, JSON.stringify(answer))
  const { decision, primary_failure_node: node, reason, results, llm_calls } = ValidationResponse.parse(answer)
  assert.equal(llm_calls, 0)
  return { outcome: [decision, node], reason, details: (id: string) => results[id]?.details ?? {} }
}

describe('the validator over HTTP', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let chain: LocalChain
  let product: Product
  before(async () => {
    folder = await temporaryFolder()
    writeFileSync(join(folder.path, 'agents.config.json'), JSON.stringify({ validation: { public: true } }))
    chain = await startLocalChain()
    await chain.fund(wallet, { native: 10n ** 18n, tokens: { USDC: usdc(2_000) } })
    product = await startProduct({ cwd: folder.path, env: { RPC_URL: chain.rpcUrl } })
  })
  after(async () => {
    await product?.stop()
    await chain?.stop()
    await folder?.remove()
  })

  it('passes what was asked for, having tried it on the chain', async () => {
    const least = 328n * 10n ** 14n
    const { outcome, reason, details } = await ask(
      product,
      'swap 100 USDC for WETH',
      approve(usdc(100)),
      sell(usdc(100), least),
    )
    assert.deepEqual(outcome, ['PASS', null], reason)
    assert.deepEqual(details(LEGITIMACY), { simulated: true, steps: 2, transfers: 3 })
    assert.equal(details(MEV)['priced'], true)
    assert.ok(Array.isArray(details(MEV)['pools']))
    const half = erc20Transfer({ token: tokens.USDC, to: PAYEE, amount: usdc(1_000) })
    assert.deepEqual((await ask(product, `send half of my USDC to ${PAYEE}`, half)).outcome, ['PASS', null])
  })

  it('rejects what was not, with what was said beside what it is', async () => {
    const more = await ask(
      product,
      'swap 100 USDC for WETH',
      approve(usdc(1_000)),
      sell(usdc(1_000), 328n * 10n ** 15n),
    )
    assert.deepEqual(more.outcome, ['REJECT', 'intent_alignment.amount_matching'])
    assert.equal(more.reason, 'You said 100 USDC, and it is 1000 USDC.')
    const low = await ask(product, 'swap 100 USDC for WETH', approve(usdc(100)), sell(usdc(100), 10n ** 16n))
    assert.deepEqual(low.outcome, ['REJECT', 'intent_alignment.slippage_tolerance'])
    const poor = erc20Transfer({ token: tokens.USDC, to: PAYEE, amount: usdc(5_000) })
    const failing = await ask(product, `send 5000 USDC to ${PAYEE}`, poor)
    assert.deepEqual(failing.outcome, ['REJECT', LEGITIMACY])
    assert.match(failing.reason, /does not run/)
    const other = await ask(
      product,
      "don't send 5 USDC",
      erc20Transfer({ token: tokens.USDC, to: PAYEE, amount: usdc(5) }),
    )
    assert.deepEqual(other.outcome, ['REJECT', 'intent_alignment.operation_matching'])
  })

  it('answers 422 with the field that is wrong', async () => {
    const { status, body } = await product.send('POST', '/validation/validate', { body: { human_intent: '' } })
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /human_intent/)
  })

  it('without a node decides by the bytes, and says what it did not look at', async () => {
    const own = await temporaryFolder()
    // How old the bundled list of sanctioned addresses is depends on the day.
    const settings = { validation: { public: true }, sources: { sanctions: { maxAgeDays: 10_000 } } }
    writeFileSync(join(own.path, 'agents.config.json'), JSON.stringify(settings))
    const alone = await startProduct({ cwd: own.path })
    try {
      const five = erc20Transfer({ token: tokens.USDC, to: PAYEE, amount: usdc(5) })
      const { outcome, reason, details } = await ask(alone, `send 5 USDC to ${PAYEE}`, five)
      assert.deepEqual(outcome, ['PASS', null], reason)
      assert.deepEqual(details(LEGITIMACY), { simulated: false, notChecked: 'No node of the chain is set.' })
      const fifty = erc20Transfer({ token: tokens.USDC, to: PAYEE, amount: usdc(50) })
      const wrong = await ask(alone, `send 5 USDC to ${PAYEE}`, fifty)
      assert.equal(wrong.reason, 'You said 5 USDC, and it is 50 USDC.')
    } finally {
      await alone.stop()
      await own.remove()
    }
  })
})
